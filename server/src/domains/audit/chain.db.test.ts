import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeSealing } from './index.ts';

let world: World;
let home: Tenant;
let operator: string;
let relay: DatabasePort;
const untouched = new AbortController().signal;
// Sealing waits for every transaction of the server that is open, and the server is shared with other tests.
vi.setConfig({ testTimeout: 60_000 });

beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  operator = await world.operator();
  relay = await openPostgres({
    url: world.schema.as('gpuaas_relay'),
    clock: systemClock,
    ids: systemIds,
    log: silentLog,
    name: 'sealer',
    poolSize: 2,
  });
});
afterAll(async () => {
  await relay.close();
  await world.close();
});

const rename = (name: string) =>
  world.call('PATCH', `/api/v1/organizations/${home.organizationId}`, {
    as: home.token,
    key: systemIds.next(),
    body: { name },
  });
const sealAll = async () => {
  const sealing = makeSealing(relay.sealer);
  // Another test's transaction may hold the horizon back for a moment.
  await expect
    .poll(
      async () => {
        while ((await sealing.round(untouched)) === 'more');
        const { rows } = await world.root.query(
          'select count(*)::int as n from audit_logs a where not exists (select from audit_seals s where s.audit_id = a.id)',
        );
        return rows[0].n;
      },
      { timeout: 40_000 },
    )
    .toBe(0);
};
const verify = async () =>
  (await world.call('GET', `/api/v1/organizations/${home.organizationId}/audit-logs/verify`, { as: home.token })).body;

/** Somebody with all rights over the database, who has switched its guards off. */
const tamper = async (text: string, values: unknown[]) => {
  await world.root.query('begin');
  await world.root.query(`set local session_replication_role = replica`);
  await world.root.query(text, values);
  const verdict = async () => {
    await world.root.query('commit');
    return verify();
  };
  return verdict();
};

describe('the chain over an audit log', () => {
  it('holds when nobody touched it, and knows how many rows it covers', async () => {
    for (let n = 0; n < 5; n += 1) await rename(`Name ${n}`);
    await sealAll();
    const { rows } = await world.root.query('select count(*)::int as n from audit_logs where organization_id = $1', [
      home.organizationId,
    ]);
    expect(await verify()).toMatchObject({
      intact: true,
      rows: rows[0].n,
      unsealed: 0,
      broken: null,
      chain: home.organizationId,
    });
  });

  it('grows by what is written later, and counts what is not sealed yet', async () => {
    const before = await verify();
    await rename('Later');
    expect((await verify()).unsealed).toBe(1);
    await sealAll();
    const after = await verify();
    expect(after.rows).toBe(before.rows + 1);
    expect(after.head).not.toBe(before.head);
  });

  it('is sealed by one sealer at a time, in the same links whoever does it', async () => {
    for (let n = 0; n < 20; n += 1) await rename(`Many ${n}`);
    await Promise.all([relay.sealer.seal(7), relay.sealer.seal(7), relay.sealer.seal(7)]);
    await sealAll();
    expect(await verify()).toMatchObject({ intact: true });
  });

  it('grows on a server that has counted fewer transactions than the one that the data came from', async () => {
    await sealAll();
    await world.root.query(
      `update audit_seal_watermarks set transaction_from = (pg_current_xact_id()::text::bigint + 1000000)::text::xid8`,
    );
    await rename('restored');
    await sealAll();
    expect(await verify()).toMatchObject({ intact: true });
  });

  it('covers what the platform does for itself', async () => {
    const { body } = await world.call('GET', '/api/v1/admin/audit-logs/verify', { as: operator });
    expect(body).toMatchObject({ chain: 'platform', intact: true });
    expect(body.rows).toBeGreaterThan(0);
  });

  it('names the first row that was changed', async () => {
    const { rows } = await world.root.query(
      `select s.sequence::text as sequence, a.id from audit_seals s join audit_logs a on a.id = s.audit_id where s.chain = $1 and s.sequence = 3`,
      [home.organizationId],
    );
    const changed = await tamper(`update audit_logs set actor_id = 'somebody else' where id = $1`, [rows[0].id]);
    expect(changed).toMatchObject({ intact: false, rows: 2, broken: { sequence: '3', audit_id: rows[0].id } });
    expect(changed.broken.why).toContain('changed');
  });

  it('names the place where a row was removed', async () => {
    const other = await world.found('other');
    await sealAll();
    await world.root.query('begin');
    await world.root.query('set local session_replication_role = replica');
    await world.root.query(
      `delete from audit_logs where id = (select audit_id from audit_seals where chain = $1 and sequence = 2)`,
      [other.organizationId],
    );
    await world.root.query('commit');
    const { body } = await world.call('GET', `/api/v1/organizations/${other.organizationId}/audit-logs/verify`, {
      as: other.token,
    });
    expect(body).toMatchObject({ intact: false, broken: { sequence: '2', why: 'The row itself is gone.' } });
  });
});

describe('the audit log', () => {
  const search = async (query: string) =>
    (await world.call('GET', `/api/v1/organizations/${home.organizationId}/audit-logs?${query}`, { as: home.token }))
      .body;

  it('is searched by action, actor, target, result, time and correlation id', async () => {
    const correlationId = systemIds.next();
    await world.call('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
      as: home.token,
      key: systemIds.next(),
      body: { name: 'Searched', slug: 'searched' },
      headers: { 'x-request-id': correlationId },
    });
    const { data } = await search(`correlation_id=${correlationId}`);
    expect(data).toHaveLength(1);
    const [entry] = data;
    const everything = (await search('actors=people&limit=200')).data as { actor_kind: string }[];
    expect(everything.filter(({ actor_kind }) => actor_kind === 'system' || actor_kind === 'node')).toEqual([]);
    expect(entry).toMatchObject({ action: 'project.create', result: 'success', actor_kind: 'user' });
    for (const query of [
      `actors=people&target_id=${entry.target_id}`,
      `action=project.create&target_id=${entry.target_id}`,
      `action=project.&target_id=${entry.target_id}`,
      `actor_id=${entry.actor_id}&target_type=project&target_id=${entry.target_id}`,
      `from=${entry.created_at}&target_id=${entry.target_id}`,
    ]) {
      expect(
        (await search(query)).data.map(({ id }: { id: string }) => id),
        query,
      ).toEqual([entry.id]);
    }
    expect((await search('action=no.such')).data).toEqual([]);
    expect((await search(`until=2020-01-01T00:00:00Z`)).data).toEqual([]);
  });

  it('comes page by page, newest first, without gaps', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await search(`limit=4${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
    expect(seen.length).toBeGreaterThan(8);
  });

  it('is exported as lines of JSON and as CSV that a spreadsheet cannot execute', async () => {
    await rename('=HYPERLINK("x")');
    const path = `/api/v1/organizations/${home.organizationId}/audit-logs/export`;
    const lines = await world.call('GET', `${path}?format=ndjson`, { as: home.token });
    expect(lines.headers['content-type']).toContain('application/x-ndjson');
    const entries = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.length).toBeGreaterThan(8);
    const next = await world.call('GET', `${path}?format=ndjson&after_id=${entries[2].id}`, { as: home.token });
    expect(JSON.parse(next.text.split('\n')[0] ?? '').id).toBe(entries[3].id);
    const sheet = await world.call('GET', `${path}?format=csv&action=organization.update`, {
      as: home.token,
      headers: { 'user-agent': '=cmd' },
    });
    expect(sheet.headers['content-type']).toContain('text/csv');
    expect(sheet.text.split('\r\n')[0]).toMatch(/^id,created_at,organization_id/);
    await rename('After a formula');
    expect((await world.call('GET', `${path}?format=csv`, { as: home.token })).text).not.toMatch(/(^|,)=cmd/m);
  });
});
