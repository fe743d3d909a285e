import { env } from 'node:process';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../testing/postgres.ts';
import { makeDatabaseOutage } from '../../testing/servers/outage.ts';
import { cacheConformance } from './conformance.ts';
import { openCache } from './open.ts';
import { openPostgresCache } from './postgres.ts';

const clock = makeTestClock();

cacheConformance(
  'postgres',
  clock,
  async () => {
    const database = await openTestDatabase();
    const outage = makeDatabaseOutage(database.url);
    const config = { kind: 'postgres', url: database.url } as const;
    return {
      config,
      open: () => openCache(config, { clock }),
      breakDown: () => outage.begin(),
      recover: () => outage.end(),
      close: () => database.close(),
    };
  },
  Number(env['GPUAAS_TAKES'] ?? 1_000),
);

describe('the Postgres cache', () => {
  let database: TestDatabase;
  let look: Client;
  beforeAll(async () => {
    database = await openTestDatabase();
    look = new Client({ connectionString: database.url });
    await look.connect();
  });
  afterAll(async () => {
    await look?.end();
    await database?.close();
  });

  it('is opened by many processes at once in an empty database', async () => {
    const empty = await openTestDatabase();
    const caches = await Promise.all(Array.from({ length: 8 }, () => openPostgresCache({ url: empty.url, clock })));
    await Promise.all(caches.map((cache) => cache.check()));
    await Promise.all(caches.map((cache) => cache.close()));
    await empty.close();
  });

  it('holds a value until the very millisecond in which its time is over', async () => {
    const cache = await openPostgresCache({ url: database.url, clock });
    await cache.set('edge', 'value', 1_000);
    await cache.hit('edge', 1_000, 1);
    await clock.advance(999);
    expect(await cache.get('edge')).toBe('value');
    expect(await cache.hit('edge', 1_000, 1)).toEqual({ count: 2, resetMs: 1 });
    await clock.advance(1);
    expect(await cache.get('edge')).toBeUndefined();
    expect(await cache.hit('edge', 1_000, 1)).toEqual({ count: 1, resetMs: 1_000 });
    await cache.close();
  });

  it('gives the space of expired rows back, and of no others', async () => {
    const sweepEveryMs = 1_000_000;
    const cache = await openPostgresCache({ url: database.url, clock, sweepEveryMs });
    const rows = () =>
      look.query<{ entries: number; windows: number; sliding: number; messages: number }>(`select
        (select count(*)::int from gpuaas_cache.entry) as entries,
        (select count(*)::int from gpuaas_cache.rate_window) as windows,
        (select count(*)::int from gpuaas_cache.sliding_window) as sliding,
        (select count(*)::int from gpuaas_cache.long_message) as messages`);
    await look.query(
      'truncate gpuaas_cache.entry, gpuaas_cache.rate_window, gpuaas_cache.sliding_window, gpuaas_cache.long_message',
    );
    await look.query(`insert into gpuaas_cache.entry select 'old ' || n, 'x', $1 from generate_series(1, 2500) n`, [
      clock.now().getTime(),
    ]);
    await cache.set('kept', 'value', 10 * sweepEveryMs);
    await cache.hit('kept', 10 * sweepEveryMs, 1);
    await cache.hit('over', 1_000, 1);
    await cache.admit('kept', 10 * sweepEveryMs, 1);
    await cache.admit('over', 1_000, 1);
    await cache.publish('channel', 'x'.repeat(9_000));
    expect((await rows()).rows).toEqual([{ entries: 2501, windows: 2, sliding: 2, messages: 1 }]);
    await clock.advance(sweepEveryMs);
    await vi.waitFor(
      async () => expect((await rows()).rows).toEqual([{ entries: 1, windows: 1, sliding: 1, messages: 0 }]),
      10_000,
    );
    expect(await cache.get('kept')).toBe('value');
    await cache.close();
  });

  it('makes what a newer version added in a database of an older one', async () => {
    await (await openPostgresCache({ url: database.url, clock })).close();
    await look.query('drop table gpuaas_cache.sliding_window');
    const cache = await openPostgresCache({ url: database.url, clock });
    expect((await cache.admit('key', 1_000, 1)).allowed).toBe(true);
    await cache.close();
  });

  it('takes no harm from strangers on its channel', async () => {
    const warn = vi.fn();
    const cache = await openPostgresCache({ url: database.url, clock, log: { warn } });
    const heard: string[] = [];
    await cache.subscribe('channel', (message) => heard.push(message));
    for (const junk of ['', 'junk', '{}', '[]', '[1,2]', '["channel",null]', '["channel",1.5]', '["channel",999999]']) {
      await look.query(`select pg_notify('gpuaas_cache', $1)`, [junk]);
    }
    await cache.publish('channel', 'after the junk');
    await vi.waitFor(() => expect(heard).toEqual(['after the junk']), { timeout: 30_000 });
    expect(warn).toHaveBeenCalledTimes(7);
    await cache.close();
  });

  it('works for a role that may use its tables but may not create any', async () => {
    const owner = await openPostgresCache({ url: database.url, clock });
    await owner.close();
    await look.query(`create role cache_guest login password 'guest'`);
    await look.query('grant usage on schema gpuaas_cache to cache_guest');
    await look.query('grant select, insert, update, delete on all tables in schema gpuaas_cache to cache_guest');
    const url = new URL(database.url);
    url.username = 'cache_guest';
    url.password = 'guest';
    const guest = await openPostgresCache({ url: url.href, clock });
    await guest.check();
    await guest.close();
    await look.query('drop owned by cache_guest');
    await look.query('drop role cache_guest');
  });

  it('says so when there is no server, and leaves nothing behind', async () => {
    await expect(openPostgresCache({ url: 'postgres://nobody@127.0.0.1:1/none', clock })).rejects.toThrow();
  });
});
