import { streams } from '@gpuaas/contract';
import { type BeginAct, type Database, type Mounted, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { dayMs } from '../../kernel/units.ts';
import type { Bus } from '../../ports/bus/port.ts';
import type { OutboxLog, OutboxRow, StoredReplies } from '../../ports/database/port.ts';
import { messageIdOf } from './committed-store.ts';
import { deadLetterRoutes, deadSubject, insertDeadLetter } from './dead-letters-routes.ts';
import { sweepBatch } from './facts.ts';
import { type Relay, relayName, startRelay } from './relay.ts';
import { depthSql, forget } from './store.ts';

/** Outbox: events between commit and consumers, and those that were not delivered. */
export interface Outbox {
  readonly routes: readonly Mounted[];
  startRelay(): Promise<Relay>;
  /** Removes what is published and old, replies that have expired, and what consumers need not remember any more. */
  readonly housekeeping: Reconciler;
}

export function makeOutbox(parts: {
  readonly db: Database;
  readonly outbox: OutboxLog;
  readonly replies: StoredReplies;
  readonly bus: Bus;
  readonly begin: BeginAct;
  readonly policy: (key: 'events.publish_max_attempts' | 'events.retention_days') => number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}): Outbox {
  const { db, log, metrics, clock } = parts;

  async function bury(row: OutboxRow, attempts: number, reason: string): Promise<void> {
    const { envelope, key, position } = row;
    log.error(
      { event_id: envelope.event_id, event_type: envelope.event_type, reason },
      'the bus refuses an event for good',
    );
    await db.write(parts.begin('event.bury', { correlationId: envelope.correlation_id }), async (tx) => {
      await insertDeadLetter(tx, { envelope, key, origin: 'publish', consumer: undefined, attempts, reason, position });
      return tx.commit(undefined, {
        target: { type: 'event', id: envelope.event_id },
        change: { attempts },
        result: 'failure',
        events: 'none',
      });
    });
    await parts.bus
      .publish([{ id: `dlq:${messageIdOf(row)}`, subject: deadSubject(envelope), key, envelope }])
      .catch((error: unknown) => log.warn({ err: error }, 'a dead letter could not be announced on the bus'));
  }

  async function forgetConsumed(olderThan: Date): Promise<number> {
    const forgotten = await db.write(parts.begin('event.forget', { correlationId: parts.ids.next() }), async (tx) => {
      const count = await tx.run(forget, [olderThan, sweepBatch]);
      if (count === 0) return tx.abandon(new Fault('event_not_found', 'Nothing is old enough.'));
      return tx.commit(count, { target: { type: 'consumed_events', id: 'old' }, change: { count }, events: 'none' });
    });
    return forgotten instanceof Fault ? 0 : forgotten.value;
  }

  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * dayMs);
  // A consumer compares a message with its row: the row stays for as long as the bus may deliver the message.
  const sweptStreams = (retentionDays: number) =>
    Object.values(streams).map(({ subjects, maxAgeDays }) => ({
      prefix: subjects.replace('>', ''),
      olderThan: daysAgo(Math.max(retentionDays, maxAgeDays)),
    }));

  return {
    routes: deadLetterRoutes(parts),

    async startRelay() {
      const pending = metrics.gauge('gpuaas_outbox_pending', 'Events that are committed and not yet published.', []);
      const age = metrics.gauge('gpuaas_outbox_oldest_age_seconds', 'Age of the oldest event that waits.', []);
      const depth = metrics.gauge('gpuaas_dlq_depth', 'Dead letters that nobody has settled.', ['stream']);
      metrics.onScrape(async () => {
        const backlog = await parts.outbox.backlog(relayName);
        pending.set(backlog.pending);
        age.set(backlog.oldestAgeSeconds);
        const rows = await db.read(systemViewer(relayName, { correlationId: parts.ids.next() }), (tx) =>
          tx.rows<{ stream: string; depth: number }>(depthSql),
        );
        depth.reset();
        for (const row of rows) depth.set({ stream: row.stream }, row.depth);
      });
      return startRelay({
        outbox: parts.outbox,
        bus: parts.bus,
        bury,
        maxAttempts: () => parts.policy('events.publish_max_attempts'),
        clock,
        log,
        metrics,
      });
    },

    housekeeping: {
      name: 'event-housekeeping',
      round: async () => {
        const retentionDays = parts.policy('events.retention_days');
        const olderThan = daysAgo(retentionDays);
        const removed = [
          await parts.outbox.sweep(relayName, { olderThan, streams: sweptStreams(retentionDays) }, sweepBatch),
          await parts.replies.sweep(sweepBatch),
          await forgetConsumed(olderThan),
        ];
        return Math.max(...removed) >= sweepBatch ? 'more' : 'idle';
      },
    },
  };
}

export { consumeUnchecked, type Listener, listener, startConsumer } from './consumer.ts';
export { deadLetterRoutes } from './dead-letters-routes.ts';
export { readBacklog } from './event-list-routes.ts';
export { originOf } from './origin.ts';
export { type Relay, relayName } from './relay.ts';
