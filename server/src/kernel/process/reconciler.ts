import type { Clock } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Lease, underFence } from './lease.ts';

/**
 * A reconciler compares the desired with the actual state, does a bounded amount of work on the difference, and is
 * called again: by a wake-up, which carries no data, and by a timer in case a wake-up was lost.
 */
export interface Reconciler {
  readonly name: string;
  /** Returns `more` when it stopped at its bound: it is called again at once. */
  round(signal: AbortSignal): Promise<'idle' | 'more'>;
}
export interface Reconciling {
  wake(): void;
  /** When a round last ended well; undefined while another process does the work. Readiness looks at it. */
  lastRoundAt(): Date | undefined;
  close(): Promise<void>;
}

/**
 * Runs the work of one node (or of another object that a tenant or host controls) inside a round. If it throws, the
 * failure is logged and counted, and the round continues: one node must not block the others.
 */
export function makeApart(name: string, parts: { readonly log: Log; readonly metrics: Metrics }) {
  const failed = parts.metrics.counter(
    'gpuaas_reconciler_skipped_total',
    'Objects that a round left as they were because working on them failed, by reconciler.',
    ['reconciler'],
  );
  return async (target: Readonly<Record<string, string>>, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failed.inc({ reconciler: name });
      parts.log.error({ err: error, reconciler: name, ...target }, 'one object was skipped; the round goes on');
    }
  };
}

const maxBackoffMs = 30_000;
const firstBackoffMs = 100;

export function startReconciler(
  reconciler: Reconciler,
  parts: {
    readonly clock: Clock;
    readonly log: Log;
    readonly everyMs: number;
    /** The pause after a round, whatever wakes it: wake-ups in the meantime are handled together. */
    readonly restMs?: number;
    /** Rounds run only while this process holds the lease, and write only under its fence. */
    readonly lease?: Lease | undefined;
  },
): Reconciling {
  const { clock, log, lease } = parts;
  const stopping = new AbortController();
  let woken = Promise.withResolvers<void>();
  let lastRoundAt: Date | undefined;

  /** A round under the lease, if there is one. Answers undefined while another process holds it. */
  const attempt = async (): Promise<'idle' | 'more' | undefined> => {
    if (!lease) return reconciler.round(stopping.signal);
    const fence = lease.current();
    if (!fence) return undefined;
    const signal = AbortSignal.any([stopping.signal, fence.signal]);
    return underFence(fence, () => reconciler.round(signal));
  };

  const loop = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const wake = woken.promise;
      let pauseMs = parts.everyMs;
      try {
        const outcome = await attempt();
        failures = 0;
        lastRoundAt = outcome && clock.now();
        if (outcome === 'more') continue;
      } catch (error) {
        if (stopping.signal.aborted) return;
        failures += 1;
        pauseMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** failures);
        log.error({ err: error, reconciler: reconciler.name, failures }, 'a round failed; it will be tried again');
        await clock.sleep(pauseMs, stopping.signal).catch(() => undefined);
        continue;
      }
      if (parts.restMs) await clock.sleep(parts.restMs, stopping.signal).catch(() => undefined);
      const timer = new AbortController();
      await Promise.race([
        wake,
        clock.sleep(pauseMs, AbortSignal.any([stopping.signal, timer.signal])).catch(() => undefined),
      ]);
      timer.abort();
      woken = Promise.withResolvers<void>();
    }
  };
  const running = loop();
  lease?.onHeld(() => woken.resolve());
  return {
    wake: () => woken.resolve(),
    lastRoundAt: () => lastRoundAt,
    close: async () => {
      stopping.abort(new Error('the process is stopping'));
      woken.resolve();
      await running;
    },
  };
}
