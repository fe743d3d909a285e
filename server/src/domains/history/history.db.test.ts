import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { policies } from '@gpuaas/contract';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { dayMs } from '../../kernel/units.ts';
import { migrateUp, readMigrations } from '../../ports/database/migrate.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openTestDatabase } from '../../testing/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation } from '../allocations/testing.ts';
import { makeSealing } from '../audit/index.ts';
import { makeArchiving, makeConfirming } from './index.ts';
import { policyOf } from './tables.ts';

// Sealing waits for every transaction of the server that is open, and the server is shared with other tests.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const untouched = new AbortController().signal;
const kept = { audit: 400, allocations: 400, node_tasks: 400, attestations: 3_650 } as const;
/** The archiving job lives in the future, so that what was written today is history. */
const later = (days: number) => ({
  ...systemClock,
  now: () => new Date(systemClock.now().getTime() + days * dayMs),
});

let world: World;
let home: Tenant;
let operator: string;
let relay: DatabasePort;
const openRelay = (clock: typeof systemClock) =>
  openPostgres({
    ...{ url: world.schema.as('gpuaas_relay'), clock, ids: systemIds, log: silentLog, name: 'relay', poolSize: 2 },
  });
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  operator = await world.operator();
  relay = await openRelay(later(600));
  // The database goes by its own clock; here it believes the one of the job.
  await world.root.query(
    `create or replace function history_now() returns timestamptz language sql stable return act_time()`,
  );
});
afterAll(async () => {
  await relay.close();
  await world.close();
});

const rename = (name: string) =>
  world.call('PATCH', `/api/v1/organizations/${home.organizationId}`, {
    ...{ as: home.token, key: systemIds.next(), body: { name } },
  });
const sealAll = async () => {
  const sealing = makeSealing(relay.sealer);
  const unsealed = `select count(*)::int as n from audit_logs a where not exists (select from audit_seals s where s.audit_id = a.id)`;
  await expect
    .poll(
      async () => {
        while ((await sealing.round(untouched)) === 'more');
        return (await world.root.query(unsealed)).rows[0].n;
      },
      { timeout: 60_000 },
    )
    .toBe(0);
};
const get = async (path: string, as = operator) => (await world.call('GET', `/api/v1${path}`, { as })).body;
const verifyHome = () => get(`/organizations/${home.organizationId}/audit-logs/verify`, home.token);
const archives = async () => (await get('/admin/history/archives')).data;
const verifyArchive = async (id: string) => get(`/admin/history/archives/${id}/verify`);
const archive = async (from = relay) => {
  const job = makeArchiving({
    ...{ db: from.database, begin: actsOf('outbox-relay', systemIds), objects: world.objects, ids: systemIds },
    ...{ clock: later(600), log: silentLog, keptDays: (subject) => kept[subject] },
  });
  for (let before = -1, open = 0; before !== open; ) {
    before = open;
    while ((await job.round(untouched)) === 'more');
    await confirm();
    open = await count('select count(*)::int as n from history_archives where confirmed_at is not null');
  }
};
const confirm = (objects = world.objects) =>
  makeConfirming({
    ...{ db: world.database.database, begin: actsOf('history', systemIds), objects, ids: systemIds, log: silentLog },
  }).round(untouched);
const count = async (query: string): Promise<number> => (await world.root.query(query)).rows[0].n;

describe('history', () => {
  it('is not for a stolen relay to remove: not before its retention, and not before the api has found it in its archive', async () => {
    await rename('zero');
    const allocationId = await anEndedAllocation();
    await sealAll();
    const act = (work: string) =>
      relay.database.write(actsOf('outbox-relay', systemIds)('history.steal', { correlationId: 'c' }), async (tx) => {
        const [row] = await tx.rows<{ answer: string | null }>({ name: work, text: work });
        return tx.commit(row?.answer, { target: { type: 'history', id: 'x' }, events: 'none' });
      });
    await act('select ledger_months_ahead(act_time())::text as answer');
    const [audit, batch] = [systemIds.next(), systemIds.next()];
    // Any cutoff, and any time of its own: the policy decides, by the clock of the database.
    await world.root.query(
      `create or replace function history_now() returns timestamptz language sql stable return clock_timestamp()`,
    );
    for (const [subject, id] of [
      ['audit', audit],
      ['allocations', batch],
    ]) {
      expect(await act(`select history_begin('${id}', '${subject}', 'infinity', 100) as answer`)).toMatchObject({
        value: null,
      });
    }
    await world.root.query(
      `create or replace function history_now() returns timestamptz language sql stable return act_time()`,
    );
    await asSystem(
      world.root,
      `insert into policy_values (id, key, level, subject_id, value, reason) values ($1, 'history.allocation_days', 'global', '', '700', 'a test')`,
      [systemIds.next()],
    );
    expect(await act(`select history_begin('${batch}', 'allocations', 'infinity', 100) as answer`)).toMatchObject({
      value: null,
    });
    await asSystem(world.root, `delete from policy_values where key = 'history.allocation_days'`, []);

    // It claims to have stored what it did not store, and removes the rows.
    expect(await act(`select history_begin('${batch}', 'allocations', 'infinity', 100) as answer`)).toMatchObject({
      value: batch,
    });
    const rows = await count(`select count(*)::int as n from history_rows('${batch}')`);
    expect(rows).toBeGreaterThan(0);
    const claim = `select history_archived('${batch}', ${rows}, 1, '${'0'.repeat(64)}')::text as answer`;
    const confirmIt = `select history_confirm('${batch}', ${rows}, '${'0'.repeat(64)}')::text as answer`;
    const removeIt = `select history_remove('${batch}', null, 1000)::text as answer`;
    await act(claim);
    await expect(act(removeIt)).rejects.toThrow(/nothing to remove/);
    await expect(act(confirmIt)).rejects.toThrow(/permission denied/);
    await confirm();
    await expect(act(removeIt)).rejects.toThrow(/nothing to remove/);
    // An object with that digest, as many rows and other words in them is refused as well.
    const [{ object_key: key }] = (await archives()).filter(({ id }: { id: string }) => id === batch);
    const head = JSON.stringify({ format: 'gpuaas-history-1', id: batch });
    const forged = `${head}\n${`${JSON.stringify({ source: 'node_tasks', entry: {} })}\n`.repeat(rows)}`;
    const { sha256 } = await world.objects.put(key, gzipSync(forged));
    await asSystem(world.root, 'update history_archives set sha256 = $2 where id = $1', [batch, sha256]);
    await confirm();
    await expect(act(removeIt)).rejects.toThrow(/nothing to remove/);
    expect(
      await count(`select count(*)::int as n from allocation_timeline where allocation_id = '${allocationId}'`),
    ).toBe(1);
    await asSystem(
      world.root,
      'update history_archives set sha256 = null, rows = null, bytes = null, archived_at = null where id = $1',
      [batch],
    );
  });

  it('has the retention of the contract where no operator set another', async () => {
    for (const [subject, key] of Object.entries(policyOf)) {
      const { rows } = await world.root.query(
        `select round(extract(epoch from clock_timestamp() - c.at) / 86400)::int as days
         from (select set_config('gpuaas.now', clock_timestamp()::text, false)) s, history_cutoff($1) as c (at)`,
        [subject],
      );
      expect(rows[0].days, subject).toBe(policies.find((policy) => policy.key === key)?.default);
    }
  });

  it('leaves the database for an archive, and the audit chain goes on after it', async () => {
    await rename('one');
    await rename('two');
    const allocationId = await anEndedAllocation();
    await sealAll();
    const before = await verifyHome();
    expect(before).toMatchObject({ intact: true, archived: 0 });

    await archive();

    const made = await archives();
    expect(new Set(made.map(({ subject }: { subject: string }) => subject))).toEqual(new Set(['allocations', 'audit']));
    for (const each of made) {
      expect(each).toMatchObject({ archived_at: expect.any(String), removed_at: expect.any(String) });
      expect(await verifyArchive(each.id)).toMatchObject({ intact: true, rows: each.rows, broken: null });
    }
    const after = await verifyHome();
    expect(after).toMatchObject({ intact: true, rows: 0, archived: before.rows, broken: null });
    // The api of this test lives today, whose month is gone: what it wrote about the last archive lies in the rest.
    const left = `select count(*)::int as n from ledger_months.audit_logs_rest where action <> 'history.confirm'`;
    expect(await count(left)).toBe(0);
    expect(
      (await world.root.query(`select to_regclass('ledger_months.audit_logs_before') as part`)).rows[0].part,
    ).toBeNull();
    for (const table of ['allocation_timeline', 'node_tasks', 'placement_decisions']) {
      expect(
        await count(`select count(*)::int as n from ${table} where allocation_id = '${allocationId}'`),
        table,
      ).toBe(0);
    }

    await rename('three');
    await sealAll();
    expect(await verifyHome()).toMatchObject({ intact: true, rows: 1, archived: before.rows });
  });

  it('reads the bytes of an archive and does not trust what the store says of them', async () => {
    const [found] = (await archives()).filter(({ subject }: { subject: string }) => subject === 'allocations');
    const object = await world.objects.get(found.object_key);
    if (!object) throw new Error('there is no object');
    const packed = await buffer(object.body);
    const lines = gunzipSync(packed).toString();
    const changed = lines.replace('a note', 'b note');
    expect(changed).not.toBe(lines);
    const verifyWith = async (body: Buffer) => {
      const served = vi
        .spyOn(world.objects, 'get')
        .mockImplementationOnce(async () => ({ facts: object.facts, body: Readable.from([body]) }));
      const verdict = await verifyArchive(found.id);
      expect(served).toHaveBeenCalledOnce();
      served.mockRestore();
      return verdict;
    };
    expect(await verifyWith(packed)).toMatchObject({ intact: true, rows: found.rows });
    // The same facts, the same first line and as many rows.
    expect(await verifyWith(gzipSync(changed))).toMatchObject({
      ...{ intact: false, rows: found.rows, broken: expect.stringMatching(/changed.*digest/) },
    });
    expect(await verifyWith(Buffer.concat([packed, Buffer.from('more')]))).toMatchObject({ intact: false });
    expect(await verifyWith(packed.subarray(0, -9))).toMatchObject({ broken: 'The object cannot be unpacked.' });
    expect(await verifyWith(gzipSync(`${lines}{`))).toMatchObject({ broken: 'It has a line that cannot be read.' });
  });

  it('notices an archive that was changed, exchanged or removed', async () => {
    const [audit] = (await archives()).filter(({ subject }: { subject: string }) => subject === 'audit');
    const object = await world.objects.get(audit.object_key);
    if (!object) throw new Error('there is no object');
    const lines = gunzipSync(await buffer(object.body)).toString();
    // Nothing that could name a person is in it.
    expect(lines).not.toMatch(/user_agent":"|"particulars":\{/);
    const put = async (changed: string) => {
      const facts = await world.objects.put(audit.object_key, gzipSync(changed));
      return facts.sha256;
    };
    const forged = await put(lines.replace('organization.update', 'organization.delete'));
    expect(await verifyArchive(audit.id)).toMatchObject({ intact: false, broken: expect.stringMatching(/digest/) });
    // Even with a digest that fits, the links do not.
    await world.root.query('begin');
    await world.root.query('set local session_replication_role = replica');
    await world.root.query('update history_archives set sha256 = $2 where id = $1', [audit.id, forged]);
    await world.root.query('commit');
    expect(await verifyArchive(audit.id)).toMatchObject({
      intact: false,
      broken: expect.stringMatching(/was changed/),
    });
    await world.objects.delete(audit.object_key);
    expect(await verifyArchive(audit.id)).toMatchObject({ intact: false, broken: expect.stringMatching(/gone/) });
  });

  it('keeps what is younger than four weeks, whatever the policy says', async () => {
    const present = await openRelay(systemClock);
    const made = (await archives()).length;
    const job = makeArchiving({
      ...{ db: present.database, begin: actsOf('outbox-relay', systemIds), objects: world.objects, ids: systemIds },
      ...{ clock: systemClock, log: silentLog, keptDays: () => 0 },
    });
    while ((await job.round(untouched)) === 'more');
    expect((await archives()).length).toBe(made);
    await present.close();
  });

  it('shows the size of every table and how long its rows are kept', async () => {
    const { data } = await get('/admin/history');
    expect(data).toContainEqual(
      expect.objectContaining({
        table: 'audit_logs',
        kept_by: 'months',
        retention_days: 400,
        unplaced_rows: expect.any(Number),
      }),
    );
    expect((await world.call('GET', '/api/v1/admin/history', { as: home.token })).status).toBe(403);
    const missing = await world.call('GET', `/api/v1/admin/history/archives/${systemIds.next()}/verify`, {
      as: operator,
    });
    expect([missing.status, missing.body.code]).toEqual([404, 'archive_not_found']);
  });

  it('says that exactly the tables that lie in months do, and that the links of the ledger stay for ever', async () => {
    const { rows } = await world.root.query(
      `select c.relname as name from pg_partitioned_table p join pg_class c on c.oid = p.partrelid order by 1`,
    );
    const shown = (await get('/admin/history')).data as { table: string; kept_by: string; parts: number }[];
    const inMonths = shown.filter(({ kept_by }) => kept_by === 'months').map(({ table }) => table);
    expect(inMonths.sort()).toEqual(rows.map(({ name }) => name));
    expect(shown.find(({ table }) => table === 'ledger_seals')).toMatchObject({ kept_by: 'ever', parts: 0 });
  });

  it('takes a row that has no month, and shows it', async () => {
    const unplaced = async (): Promise<number> =>
      (await get('/admin/history')).data.find(({ table }: { table: string }) => table === 'audit_logs').unplaced_rows;
    const before = await unplaced();
    await world.root.query('begin');
    await world.root.query(`set local session_replication_role = replica`);
    await world.root.query(auditRow, ['2999-01-01']);
    await world.root.query('commit');
    expect(await unplaced()).toBe(before + 1);
  });

  it('keeps the audit rows of an older release where they are, and puts new ones into months', async () => {
    const database = await openTestDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const migrations = await readMigrations();
    const older = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name.includes('history')),
    );
    expect(older.length).toBeGreaterThan(0);
    await migrateUp(database.url, older);
    for (const at of ['2020-02-03', '2026-01-01', new Date().toISOString()]) await client.query(auditRow, [at]);
    await migrateUp(database.url, migrations);
    for (const at of ['2020-02-03', new Date().toISOString(), '2999-01-01']) await client.query(auditRow, [at]);
    await client.query('select ledger_months_ahead(now())');
    const { rows } = await client.query(
      `select tableoid::regclass::text as part, count(*)::int as n from audit_logs group by 1 order by 1`,
    );
    expect(rows).toEqual([
      { part: 'ledger_months.audit_logs_before', n: 5 },
      { part: 'ledger_months.audit_logs_rest', n: 1 },
    ]);
    const next = `audit_logs${new Date(Date.now() + 40 * dayMs).toISOString().slice(0, 7).replace(/^/, '_').replace('-', '_')}`;
    expect(
      (await client.query(`select to_regclass('ledger_months.' || $1) as part`, [next])).rows[0].part,
    ).not.toBeNull();
    await client.end();
    await database.close();
  });
});

const auditRow = `insert into audit_logs (id, actor_id, actor_kind, actor_role, action, target_type, target_id, result,
    correlation_id, created_at)
  values (gen_random_uuid(), 'x', 'system', 'system', 'a.b', 't', 'x', 'success', 'c', $1)`;

/** An allocation that ended today, with a timeline, a decision and a task that is done. */
async function anEndedAllocation(): Promise<string> {
  const id = await putAllocation(world.root, home, 'releasing');
  const whose = [id, home.organizationId];
  const { root } = world;
  await asSystem(
    root,
    `update allocations set state = 'released', version = version + 1, ended_at = now() where id = $1`,
    [id],
  );
  await asSystem(
    root,
    `insert into allocation_timeline (id, allocation_id, organization_id, kind, name)
     values (gen_random_uuid(), $1, $2, 'note', 'a note')`,
    whose,
  );
  await asSystem(
    root,
    `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, envelope, correlation_id,
       issued_at, expires_at, finished_at)
     select gen_random_uuid(), a.node_id, $2, a.id, 'slice.vacate', 1, '{}', 'c', now(), now(), now()
     from allocations a where a.id = $1`,
    whose,
  );
  return id;
}
