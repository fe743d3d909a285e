import type { NodeHeartbeat } from '@gpuaas/contract/node';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { maxReportsHeld, reportsEveryMs } from '../facts.ts';
import type { NodeReports } from './reports-store.ts';

/** What a node said, on its way into the table. */
export interface Reports {
  /** Resolves with the state of the node once its word is written; undefined when it is no node any more. */
  record(nodeId: string, heartbeat: NodeHeartbeat): Promise<string | undefined>;
  /** Whether the last write went well: only then may silence be held against anybody. */
  readonly healthy: boolean;
  close(): Promise<void>;
}

interface Waiting {
  readonly heartbeat: NodeHeartbeat;
  readonly at: Date;
  readonly done: PromiseWithResolvers<string | undefined>;
}

/**
 * Heartbeats are gathered and written together, at most once a second: one transaction, however large the fleet. The
 * first one after a pause goes at once. A node that speaks twice within a second is written once, with its last word.
 */
export function openReports(parts: {
  readonly reports: NodeReports;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with nodes that this process hears for the first time: a saga may wait for them. */
  readonly onNewcomers: () => void;
  readonly onWritten?: (nodes: number) => void;
  /** Called with what nodes say about their images, once their word is written. */
  readonly onImages?: (nodeId: string, images: readonly string[]) => void;
}): Reports {
  const { clock } = parts;
  let waiting = new Map<string, Waiting>();
  let writing: Promise<void> | undefined;
  let healthy = true;
  const stopping = new AbortController();
  const known = new Set<string>();

  async function write(): Promise<void> {
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      const beganMs = clock.now().getTime();
      try {
        const states = await parts.reports.record(
          [...batch].map(([nodeId, { heartbeat, at }]) => row(nodeId, heartbeat, at)),
        );
        healthy = true;
        parts.onWritten?.(batch.size);
        let hasNewcomers = false;
        for (const [nodeId, { done, heartbeat }] of batch) {
          const state = states.get(nodeId);
          if (state !== undefined && heartbeat.images) parts.onImages?.(nodeId, heartbeat.images);
          if (state === 'enrolling' || state === 'offline' || !known.has(nodeId)) hasNewcomers = true;
          if (known.size < maxReportsHeld) known.add(nodeId);
          done.resolve(state);
        }
        if (hasNewcomers) parts.onNewcomers();
      } catch (error) {
        healthy = false;
        parts.log.warn({ err: error, nodes: batch.size }, 'reports of nodes could not be written');
        for (const { done } of batch.values()) done.reject(error);
      }
      const restMs = beganMs + reportsEveryMs - clock.now().getTime();
      if (restMs > 0) await clock.sleep(restMs, stopping.signal).catch(() => undefined);
    }
    writing = undefined;
  }

  return {
    get healthy() {
      return healthy;
    },
    record(nodeId, heartbeat) {
      const earlier = waiting.get(nodeId);
      if (!earlier && waiting.size >= maxReportsHeld) return Promise.reject(new Error('too many reports are waiting'));
      const done = earlier?.done ?? Promise.withResolvers<string | undefined>();
      waiting.set(nodeId, { heartbeat, at: clock.now(), done });
      writing ??= write();
      return done.promise;
    },
    async close() {
      stopping.abort(new Error('closed'));
      await writing;
    },
  };
}

const row = (nodeId: string, heartbeat: NodeHeartbeat, at: Date) => ({
  nodeId,
  reportedAt: at,
  bootId: heartbeat.boot_id,
  agentVersion: heartbeat.agent_version,
  // Written down and shown, never trusted: what counts is when we heard it.
  clockSkewMs: skewOf(heartbeat.sent_at, at),
  conditions: heartbeat.conditions,
  leases: heartbeat.leases,
  runningTasks: heartbeat.running_tasks,
  gpuUtilization: heartbeat.gpu_utilization,
});
/** A leap second is a valid time that `Date` cannot read: it counts as no skew, so that the whole batch can be written. */
function skewOf(sentAt: string, at: Date): number {
  const sentMs = Date.parse(sentAt);
  return Number.isNaN(sentMs) ? 0 : Math.round(sentMs - at.getTime());
}
