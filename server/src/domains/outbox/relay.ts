import type { Clock } from '../../kernel/clock.ts';
import { backoffMs } from '../../kernel/process/backoff.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { inSpan } from '../../kernel/telemetry/trace.ts';
import type { Bus } from '../../ports/bus/port.ts';
import type { OutboxLog, OutboxReader, OutboxRow } from '../../ports/database/port.ts';
import { away, batchSize, heldUp, noteMs, pollMs } from './facts.ts';
import { publishRows } from './publish.ts';

/**
 * Carries events from the outbox to the bus, in the order of their commits. A crash between publishing and remembering
 * repeats a few publishes, which the bus drops by message id. When the bus is away everything waits; when it refuses
 * one event for good, that one becomes a dead letter and the others go on.
 */
export interface Relay {
  readonly running: Promise<void>;
  /** True while another relay leads. */
  waiting(): boolean;
  /** When the relay last found everything published, or published something. */
  lastGoodAt(): Date | undefined;
  close(): Promise<void>;
}

export const relayName = 'outbox-relay';

export async function startRelay(parts: {
  readonly outbox: OutboxLog;
  readonly bus: Bus;
  readonly bury: (row: OutboxRow, attempts: number, reason: string) => Promise<void>;
  readonly maxAttempts: () => number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}): Promise<Relay> {
  const { outbox, clock, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let woken = Promise.withResolvers<void>();
  let lastGoodAt: Date | undefined;
  let waiting = true;
  const published = parts.metrics.counter('gpuaas_outbox_published_total', 'Events handed to the bus.', ['outcome']);
  const publishing = { ...parts, published };
  const listening = await outbox.onCommit(() => woken.resolve());

  async function wokenOrAfter(pauseMs: number, wake: Promise<void>): Promise<void> {
    const timer = new AbortController();
    await Promise.race([wake, clock.sleep(pauseMs, AbortSignal.any([signal, timer.signal])).catch(() => undefined)]);
    timer.abort();
  }

  async function pump(reader: OutboxReader): Promise<void> {
    let failures = 0;
    let looksInVain = 0;
    let settled: Promise<void> | undefined;
    while (!signal.aborted) {
      const wake = woken.promise;
      const rows = await reader.next(batchSize);
      await settled;
      settled = undefined;
      const last = rows.at(-1);
      if (last) {
        const subjects = () => rows.map(({ subject }) => subject);
        try {
          await failpoint('relay.before-publish', subjects);
          await inSpan('outbox relay', { attributes: { 'messaging.batch.message_count': rows.length } }, () =>
            publishRows(publishing, rows, signal),
          );
        } catch (error) {
          if (signal.aborted) return;
          failures += 1;
          log.warn({ err: error, waiting: rows.length, failures }, 'the bus does not take events; trying again');
          await clock.sleep(backoffMs(away, failures), signal).catch(() => undefined);
          continue;
        }
        await failpoint('relay.after-publish', subjects);
        // Nobody waits for the mark: the next look goes out behind it, or takes it along.
        settled = reader.settle(last.position).then(() => failpoint('relay.after-mark', subjects));
        settled.catch(() => undefined);
        failures = 0;
        lastGoodAt = clock.now();
        if (rows.length === batchSize) continue;
      } else {
        lastGoodAt = clock.now();
      }
      looksInVain = reader.isHeldUp() ? looksInVain + 1 : 0;
      const pauseMs = looksInVain > 0 ? backoffMs(heldUp, looksInVain) : last ? noteMs : pollMs;
      await wokenOrAfter(pauseMs, wake);
      if (woken.promise === wake) woken = Promise.withResolvers<void>();
    }
  }

  const running = (async () => {
    for (let failures = 0; !signal.aborted; ) {
      let reader: OutboxReader | undefined;
      const goodBefore = lastGoodAt;
      try {
        waiting = true;
        reader = await outbox.lead(relayName, signal);
        waiting = false;
        await pump(reader);
      } catch (error) {
        if (signal.aborted) return;
        // Taking the lead is no success yet: only work that went well shortens the next pause.
        failures = lastGoodAt === goodBefore ? failures + 1 : 1;
        log.warn({ err: error, failures }, 'the relay lost its place; taking it up again');
        await clock.sleep(backoffMs(away, failures), signal).catch(() => undefined);
      } finally {
        await reader?.close();
      }
    }
  })();

  return {
    running,
    waiting: () => waiting,
    lastGoodAt: () => lastGoodAt,
    async close() {
      stopping.abort(new Error('the relay is stopping'));
      await listening.close();
      await running;
    },
  };
}
