import { backoffMs, type Chance } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { ServerTime } from '../server-time.ts';
import type { Log } from '../telemetry/log.ts';
import type { Leases } from './leases.ts';

/**
 * Ends leases at their deadlines, by nobody's word but the lease's: a control plane that is dead cannot keep a lease
 * alive. The time is the control plane's, as this host counts it.
 */
export interface Deadlines {
  /** A lease was taken, moved or ended: look again. */
  look(): void;
  run(signal: AbortSignal): Promise<void>;
}

/** Time may be corrected while we sleep, so no sleep is long. */
const longestSleepMs = 30_000;
const retry = { firstMs: 1_000, maxMs: 60_000 };

export function makeDeadlines(parts: {
  readonly leases: Leases;
  readonly time: ServerTime;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  /** Ends the runtime in its lane and marks the lease; throws when the host could not. */
  readonly end: (allocationId: string) => Promise<void>;
}): Deadlines {
  const { leases, time, clock, chance, log } = parts;
  let wake = new AbortController();
  const troubles = new Map<string, { failures: number; againAtMs: number }>();

  // One host that hangs over one lease does not keep the others alive.
  const underway = new Set<string>();
  const begin = (allocationId: string) => {
    underway.add(allocationId);
    endOne(allocationId).catch((error: unknown) => log.error({ err: error }, 'a deadline could not be kept'));
  };
  const endOne = async (allocationId: string) => {
    try {
      log.warn({ allocation_id: allocationId }, 'a lease has come to its deadline and is ended here');
      await parts.end(allocationId);
      troubles.delete(allocationId);
    } catch (error) {
      const failures = (troubles.get(allocationId)?.failures ?? 0) + 1;
      troubles.set(allocationId, { failures, againAtMs: time.nowMs() + backoffMs(retry, failures, chance) });
      log.error({ allocation_id: allocationId, failures, err: error }, 'a lease could not be ended at its deadline');
    } finally {
      underway.delete(allocationId);
      wake.abort();
    }
  };
  return {
    look: () => wake.abort(),
    async run(signal) {
      const stop = () => wake.abort();
      signal.addEventListener('abort', stop);
      while (!signal.aborted) {
        wake = new AbortController();
        const nowMs = time.nowMs();
        const plan = leases
          .ending()
          .filter(({ allocationId }) => !underway.has(allocationId))
          .map(({ allocationId, deadlineMs }) => ({
            allocationId,
            atMs: Math.max(deadlineMs, troubles.get(allocationId)?.againAtMs ?? 0),
          }));
        for (const { allocationId } of plan.filter(({ atMs }) => atMs <= nowMs)) begin(allocationId);
        const later = plan.filter(({ atMs }) => atMs > nowMs).map(({ atMs }) => atMs - nowMs);
        await sleepWell(clock, Math.min(longestSleepMs, ...later), wake.signal);
      }
      signal.removeEventListener('abort', stop);
    },
  };
}
