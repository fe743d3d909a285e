import { nodeTransport } from '@gpuaas/contract/node';
import { backoffMs, type Chance } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Client } from '../transport/client.ts';
import type { Journal, JournalEntry } from './journal.ts';

/**
 * Posts results until the control plane has them. The journal is the outbox: a result stays `done` there until an answer
 * came, through restarts and for as long as it takes. A repeated post of the same result is the same result.
 */
export interface Outbox {
  post(entry: JournalEntry): void;
  /** How many results nobody has acknowledged. */
  readonly waiting: number;
}

const limitMs = 15_000;
const retry = { firstMs: 250, maxMs: 15_000 };

export function makeOutbox(parts: {
  readonly nodeId: string;
  readonly client: () => Client;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Outbox {
  const { journal, clock, chance, log, signal } = parts;
  const underway = new Set<string>();

  const tell = async (entry: JournalEntry) => {
    const { task_id: taskId } = entry.task;
    const path = nodeTransport.result.path.replace('{id}', parts.nodeId).replace('{task_id}', taskId);
    for (let failures = 1; !signal.aborted; failures += 1) {
      const status = await parts
        .client()
        .call({ method: 'POST', path, body: entry.result ?? {}, limitMs, signal })
        .then(
          (answer) => answer.status,
          (error: unknown) => error,
        );
      if (typeof status === 'number' && isFinal(status)) {
        if (status >= 300) log.error({ task_id: taskId, status }, 'the control plane will not take a result');
        await journal.acknowledge(entry);
        return;
      }
      if (signal.aborted) return;
      log.warn({ task_id: taskId, failures, trouble: status }, 'a result could not be posted; it will be posted again');
      await sleepWell(clock, backoffMs(retry, failures, chance), signal);
    }
  };
  return {
    post(entry) {
      const { task_id: taskId } = entry.task;
      if (underway.has(taskId)) return;
      underway.add(taskId);
      void tell(entry)
        .catch((error: unknown) => log.error({ task_id: taskId, err: error }, 'a result could not be put away'))
        .finally(() => underway.delete(taskId));
    },
    get waiting() {
      return underway.size;
    },
  };
}

/**
 * Taken, or refused for good: a stale generation does not get younger. Who we are may be settled later (401, 403), and
 * so may the trouble of a server or of the way to it.
 */
const isFinal = (status: number): boolean =>
  (status >= 200 && status < 300) || (status >= 400 && status < 500 && !later.includes(status));
const later = [401, 403, 408, 425, 429];
