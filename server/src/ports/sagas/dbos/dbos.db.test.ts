import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import { nothing, origin } from '../conformance/bench.ts';
import { migrateDbosSagas, openDbosSagas } from './dbos.ts';
import { openLeases } from './leases.ts';
import { openPool } from './pool.ts';

const parts = { clock: systemClock, ids: systemIds, log: silentLog };

describe('sagas on DBOS', () => {
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
    await Promise.all([1, 2, 3].map(() => migrateDbosSagas(database.url, { ...parts, roles: [role] })));
    const url = new URL(database.url);
    url.username = role;
    url.password = 'test';
    const sagas = await openDbosSagas({ ...parts, url: url.href, executorId: 'humble', migrate: false });
    try {
      const saga = defineSaga<object>('db.humble', 1).step('one', { do: async () => 1, undo: nothing });
      await Promise.all([sagas.serve([saga]), sagas.serve([])]);
      await sagas.start(saga, 'a', {}, origin);
      await vi.waitUntil(async () => (await sagas.look(saga, 'a'))?.state === 'done', { timeout: 15_000 });
      expect((await admin.query('select id from saga_leases.executor')).rows).toEqual([{ id: 'humble' }]);
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
    const first = await openDbosSagas({ ...parts, url: database.url, executorId: 'old' });
    await first.serve([saga]);
    await first.start(saga, 'stuck', { stuck: true }, origin);
    await first.start(saga, 'undone', { stuck: false }, origin);
    const states = async () => [(await first.look(saga, 'stuck'))?.state, (await first.look(saga, 'undone'))?.state];
    await vi.waitUntil(async () => !(await states()).includes('running'), { timeout: 15_000 });
    expect(await states()).toEqual(['stuck', 'undone']);
    await first.close();
    await first.close();

    const second = await openDbosSagas({ ...parts, url: database.url, executorId: 'old', keepEndedMs: 0 });
    await second.serve([]);
    await vi.waitUntil(async () => (await second.look(saga, 'undone')) === undefined, { timeout: 15_000 });
    expect(await second.look(saga, 'stuck')).toMatchObject({ state: 'stuck' });
    await second.close();
  });

  it('are put back into their queue when this process took them and never began', async () => {
    const sagas = await openDbosSagas({ ...parts, url: database.url, executorId: 'forgetful', leaseMs: 600 });
    const saga = defineSaga<object>('db.stray', 1).step('one', { do: async () => 1, undo: nothing });
    await sagas.serve([]);
    await sagas.start(saga, 'a', {}, origin);
    await admin.query(`update dbos.workflow_status
      set status = 'PENDING', executor_id = 'forgetful' where workflow_uuid = 'db.stray/a'`);
    await sagas.serve([saga]);
    const state = async () => (await sagas.look(saga, 'a'))?.state;
    await vi.waitUntil(async () => (await state()) === 'done', { timeout: 15_000 });
    expect(await state()).toBe('done');
    await sagas.close();
  });

  it('go on when every connection to the database is cut', async () => {
    const sagas = await openDbosSagas({ ...parts, url: database.url, executorId: 'cut', leaseMs: 900 });
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

  it('of a process whose lease ran out are adopted once, and not those of the living', async () => {
    await migrateDbosSagas(database.url, parts);
    await admin.query(`delete from saga_leases.executor`);
    await admin.query(
      `insert into saga_leases.executor values ('dead', now() - interval '1 s'), ('alive', 'infinity')`,
    );
    const pool = openPool(database.url, 4, silentLog);
    const adopted: string[] = [];
    const adopt = async (id: string) => adopted.push(id);
    const open = (executorId: string) => openLeases({ ...parts, pool, executorId, leaseMs: 60_000, adopt });
    const leases = await Promise.all(['a', 'b', 'c'].map(open));
    await vi.waitUntil(() => adopted.length > 0, { timeout: 15_000 });
    for (const lease of leases) await lease.close();
    // The ones that closed meanwhile may have been adopted too: closing ends a lease.
    expect(adopted.filter((id) => id === 'dead')).toHaveLength(1);
    expect(adopted).not.toContain('alive');
    const left = await admin.query('select id, until < now() as over from saga_leases.executor order by id');
    await pool.end();
    expect(left.rows.filter(({ over }) => !over)).toEqual([{ id: 'alive', over: false }]);
  });
});
