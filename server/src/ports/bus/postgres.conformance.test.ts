import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { openTestDatabase } from '../../testing/postgres.ts';
import { busConformance } from './conformance.ts';

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
