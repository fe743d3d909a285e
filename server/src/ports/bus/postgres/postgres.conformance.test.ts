import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { describe, expect, it, vi } from 'vitest';
import { makeTestClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { openTestDatabase } from '../../../testing/postgres.ts';
import { busConformance } from '../conformance.ts';
import { openBus } from '../open.ts';

busConformance(
  'postgres',
  async () => {
    const database = await openTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    const elsewhere = new URL(database.url);
    elsewhere.pathname = '/postgres';
    const server = new pg.Client({ connectionString: elsewhere.href });
    await server.connect();
    const admit = (allowed: boolean) =>
      server.query(`alter database ${pg.escapeIdentifier(name)} allow_connections ${allowed}`);
    return {
      config: { kind: 'postgres', url: database.url, sweepMs: 1_000 },
      async putRaw(consumer, subject, text) {
        const boss = new PgBoss({ connectionString: database.url, schema: 'bus', supervise: false, schedule: false });
        await boss.start();
        await boss.insert(consumer, [
          { data: { id: `raw-${text.length}`, subject, envelope: text }, singletonKey: text },
        ]);
        await boss.stop({ graceful: false });
      },
      async inHand(consumer) {
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        const { rows } = await client.query<{ count: number }>(
          `select count(*)::int as count from bus.job where name = $1 and state = 'active'`,
          [consumer],
        );
        await client.end();
        return rows[0]?.count ?? 0;
      },
      async outage() {
        await admit(false);
        await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
        return {
          end: async () => {
            await admit(true);
          },
        };
      },
      async close() {
        await server.end();
        await database.close();
      },
    };
  },
  { ackWaitMs: 1_000, backoffMs: 40, patienceMs: 20_000 },
);

describe('a message on the bus over Postgres', () => {
  it('reaches its consumer by the wake-up, with no poll to help', async () => {
    const database = await openTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    // Its time stands still: what is only found by looking now and then is never found.
    const bus = await openBus({ kind: 'postgres', url: database.url }, { log: silentLog, clock: makeTestClock() });
    const handled: string[] = [];
    const patience = { timeout: 30_000 };
    try {
      await bus.consume({
        ...{ name: 'woken', subjects: ['billing.>'], concurrency: 1, maxDeliver: 3 },
        ...{ ackWaitMs: 60_000, backoffMs: 1_000, maxBackoffMs: 1_000 },
        handle: async ({ message }) => void handled.push(message.id),
        dead: async () => undefined,
      });
      // The first may be found by the look with which a consumer begins; the others come while it waits.
      for (let sent = 1; sent <= 3; sent += 1) {
        const id = systemIds.next();
        const subject = 'billing.balance_depleted';
        const about = { event_type: subject, version: '1', correlation_id: id, payload: {} };
        const envelope = { event_id: id, occurred_at: '2026-01-01T00:00:00.000Z', ...about };
        expect(await bus.publish([{ id, subject, key: id, envelope }])).toEqual(['stored']);
        await vi.waitFor(() => expect(handled).toHaveLength(sent), patience);
        await vi.waitFor(async () => {
          const open = `select from bus.job where name = 'woken' and state < 'completed'`;
          expect((await client.query(open)).rowCount).toBe(0);
        }, patience);
      }
    } finally {
      await bus.close();
      await client.end();
      await database.close();
    }
  }, 120_000);
});
