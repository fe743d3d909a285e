import { type NodeTask, nodeTransport } from '@gpuaas/contract/node';
import { type Clock, sleepWell } from '../clock.ts';
import type { Client } from '../transport/client.ts';
import { makeProgress, type Progress } from './progress.ts';

/** A phase that is over sooner is not worth a transaction at the other end. */
const worthReportingMs = 20;
const limitMs = 5_000;

/** Makes the progress of a task that is posted to the control plane. */
export const makePostedProgress =
  (parts: {
    readonly nodeId: string;
    readonly client: () => Client;
    readonly clock: Clock;
    readonly now: () => Date;
    readonly signal: AbortSignal;
  }) =>
  (task: NodeTask): Progress => {
    const { client, clock, now, signal } = parts;
    const path = nodeTransport.progress.path.replace('{id}', parts.nodeId).replace('{task_id}', task.task_id);
    return makeProgress({
      generation: task.generation,
      now,
      hesitate: (over) => sleepWell(clock, worthReportingMs, over),
      post: async (progress) => {
        // A lost report is not sent again: the next one says more.
        await client()
          .call({ method: 'POST', path, body: progress, limitMs, signal })
          .catch(() => undefined);
      },
    });
  };
