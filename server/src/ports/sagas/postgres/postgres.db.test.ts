import { Client } from 'pg';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import { nothing, origin } from '../conformance/bench.ts';
import { openLeases } from './leases.ts';
import { openPool } from './pool.ts';
import { openPostgresSagas } from './postgres.ts';
import { openPostgresRuns } from './runs-postgres.ts';
import { migratePostgresSagas } from './tables.ts';

const parts = { clock: systemClock, ids: systemIds, log: silentLog };

describe('sagas on PostgreSQL', () => {
  let database: TestDatabase;
  let admin: Client;
  beforeAll(async () => {
    database = await openTestDatabase();
    admin = new Client({ connectionString: database.url });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await database.close();
  });

  it('are migrated by several processes at once, and run under a role that owns nothing', async () => {
    const role = `worker_${systemIds.secret(4)}`;
    await admin.query(`create role ${role} login password 'test'`);
    await Promise.all([1, 2, 3].map(() => migratePostgresSagas(database.url, { ...parts, roles: [role] })));
    const url = new URL(database.url);
    url.username = role;
    url.password = 'test';
    const sagas = await openPostgresSagas({ ...parts, url: url.href, worker: 'humble', migrate: false });
    try {
      const saga = defineSaga<object>('db.humble', 1).step('one', { do: async () => 1, undo: nothing });
      await Promise.all([sagas.serve([saga]), sagas.serve([])]);
      await sagas.start(saga, 'a', {}, origin);
      await vi.waitUntil(async () => (await sagas.look(saga, 'a'))?.state === 'done', { timeout: 15_000 });
      expect((await admin.query('select id from gpuaas_sagas.workers')).rows).toEqual([{ id: 'humble' }]);
    } finally {
      await sagas.close();
    }
    await admin.query(`drop owned by ${role}; drop role ${role}`);
  });

  it('are forgotten some time after their end, but not while somebody must look', async () => {
    const saga = defineSaga<{ stuck: boolean }>('db.old', 1)
      .step('one', {
        do: async () => 1,
        undo: async ({ params }) => {
          if (params.stuck) throw new Error('never');
        },
        retry: { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 },
      })
      .step('two', { do: async () => new Halt('no'), undo: nothing });
    const first = await openPostgresSagas({ ...parts, url: database.url, worker: 'old' });
    await first.serve([saga]);
    await first.start(saga, 'stuck', { stuck: true }, origin);
    await first.start(saga, 'undone', { stuck: false }, origin);
    const states = async () => [(await first.look(saga, 'stuck'))?.state, (await first.look(saga, 'undone'))?.state];
    await vi.waitUntil(async () => !(await states()).includes('running'), { timeout: 15_000 });
    expect(await states()).toEqual(['stuck', 'undone']);
    await first.close();
    await first.close();

    const second = await openPostgresSagas({ ...parts, url: database.url, worker: 'old', keepEndedMs: 0 });
    await second.serve([]);
    await vi.waitUntil(async () => (await second.look(saga, 'undone')) === undefined, { timeout: 15_000 });
    expect(await second.look(saga, 'stuck')).toMatchObject({ state: 'stuck' });
    await second.close();
  });

  it('are given back to their lane when this process took them and never began', async () => {
    const sagas = await openPostgresSagas({ ...parts, url: database.url, worker: 'forgetful', leaseMs: 600 });
    const saga = defineSaga<object>('db.stray', 1).step('one', { do: async () => 1, undo: nothing });
    await sagas.serve([]);
    await sagas.start(saga, 'a', {}, origin);
    await admin.query(`update gpuaas_sagas.runs
      set worker = 'forgetful', owner = gen_random_uuid() where name = 'db.stray/a'`);
    await sagas.serve([saga]);
    const state = async () => (await sagas.look(saga, 'a'))?.state;
    await vi.waitUntil(async () => (await state()) === 'done', { timeout: 15_000 });
    expect(await state()).toBe('done');
    await sagas.close();
  });

  it('go on when every connection to the database is cut', async () => {
    const sagas = await openPostgresSagas({ ...parts, url: database.url, worker: 'cut', leaseMs: 900 });
    let steps = 0;
    const step = {
      do: async () => {
        steps += 1;
        await systemClock.sleep(5);
      },
      undo: nothing,
    };
    const saga = defineSaga<object>('db.cut', 1).step('a', step).step('b', step).step('c', step).step('d', step);
    await sagas.serve([saga]);
    const ids = Array.from({ length: 20 }, () => systemIds.next());
    await Promise.all(ids.map((id) => sagas.start(saga, id, {}, origin)));
    for (const mark of [10, 30, 50]) {
      await vi.waitUntil(() => steps >= mark, { timeout: 15_000, interval: 1 });
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
    }
    const states = async () => Promise.all(ids.map(async (id) => (await sagas.look(saga, id))?.state));
    await vi.waitUntil(async () => !(await states().catch(() => ['running'])).includes('running'), { timeout: 30_000 });
    expect(new Set(await states())).toEqual(new Set(['done']));
    await sagas.close();
  }, 60_000);

  it('are given back when their worker closes, and another one need not wait for a lease', async () => {
    const saga = defineSaga<object>('db.handed-on', 1).wait('answered', {
      ask: async () => undefined,
      answer: Type.Object({}),
      timeoutMs: 600_000,
      undo: nothing,
    });
    const open = (worker: string) => openPostgresSagas({ ...parts, url: database.url, worker, leaseMs: 600_000 });
    const [first, second] = [await open('leaves'), await open('stays')];
    await Promise.all([first.serve([saga]), second.serve([saga])]);
    await first.start(saga, 'a', {}, origin);
    await first.close();
    const workerOf = async () =>
      (await admin.query(`select worker from gpuaas_sagas.runs where name = 'db.handed-on/a'`)).rows[0].worker;
    await vi.waitUntil(async () => (await workerOf()) === 'stays', { timeout: 15_000 });
    await second.close();
    expect(await workerOf()).toBeNull();
  });

  it('keep every text that JavaScript can write down, also in reasons', async () => {
    const text = 'a \u0000 b \ud800 c';
    const sagas = await openPostgresSagas({ ...parts, url: database.url, worker: 'text' });
    const seen: unknown[] = [];
    const saga = defineSaga<{ text: string }>('db.text', 1)
      .step('echo', { do: async ({ params }) => params.text, undo: nothing })
      .step('read', { do: async ({ done }) => void seen.push(done.echo), undo: nothing })
      .step('halt', { do: async () => new Halt(text), undo: nothing });
    await sagas.serve([saga]);
    await sagas.start(saga, 'a', { text }, origin);
    await vi.waitUntil(async () => (await sagas.look(saga, 'a'))?.state === 'undone', { timeout: 15_000 });
    expect(seen).toEqual([text]);
    expect((await sagas.look(saga, 'a'))?.reason).toBe(text);
    const runs = await openPostgresRuns(database.url, parts);
    const wanted = { saga: 'db.text', id: undefined, state: 'undone', before: undefined, limit: 10 } as const;
    expect(await runs.list(wanted)).toMatchObject([{ id: 'a', reason: text }]);
    await Promise.all([runs.close(), sagas.close()]);
  });

  it('whose records do not fit their plan are broken off, and shown as stuck', async () => {
    const saga = defineSaga<object>('db.misfit', 1).step('one', { do: async () => 1, undo: nothing });
    const sagas = await openPostgresSagas({ ...parts, url: database.url, worker: 'misfit', leaseMs: 60 });
    await sagas.start(saga, 'a', {}, origin);
    await admin.query(`insert into gpuaas_sagas.records values ('db.misfit/a', 0, 'do another', '{"end":"ok"}', 0, 0)`);
    await sagas.serve([saga]);
    await vi.waitUntil(async () => (await sagas.look(saga, 'a'))?.state === 'stuck', { timeout: 30_000 });
    expect((await sagas.look(saga, 'a'))?.reason).toContain('went another way before');
    await sagas.close();
  }, 60_000);

  it('of a process whose lease ran out are adopted once, and not those of the living', async () => {
    await migratePostgresSagas(database.url, parts);
    await admin.query(`delete from gpuaas_sagas.workers`);
    await admin.query(
      `insert into gpuaas_sagas.workers values ('dead', now() - interval '1 s'), ('alive', 'infinity')`,
    );
    const pool = openPool(database.url, 4, silentLog);
    const adopted: string[] = [];
    const adopt = async (id: string) => adopted.push(id);
    const open = (worker: string) => openLeases({ ...parts, pool, worker, leaseMs: 60_000, adopt });
    const leases = await Promise.all(['a', 'b', 'c'].map(open));
    await vi.waitUntil(() => adopted.length > 0, { timeout: 15_000 });
    for (const lease of leases) await lease.close();
    // The ones that closed meanwhile may have been adopted too: closing ends a lease.
    expect(adopted.filter((id) => id === 'dead')).toHaveLength(1);
    expect(adopted).not.toContain('alive');
    const left = await admin.query('select id, until < now() as over from gpuaas_sagas.workers order by id');
    await pool.end();
    expect(left.rows.filter(({ over }) => !over)).toEqual([{ id: 'alive', over: false }]);
  });
});
