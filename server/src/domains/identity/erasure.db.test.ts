import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeSealing } from '../audit/index.ts';

const mail = 'ada.to.be.erased@example.test';
let world: World;
let acme: Tenant;
let operator: string;
let relay: DatabasePort;
// Sealing waits for every transaction of the server that is open, and the server is shared with other tests.
vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => {
  world = await openWorld();
  acme = await world.found('acme');
  operator = await world.operator();
  const url = world.schema.as('gpuaas_relay');
  relay = await openPostgres({ url, clock: systemClock, ids: systemIds, log: silentLog, name: 'sealer', poolSize: 2 });
});
afterAll(async () => {
  await relay?.close();
  await world?.close();
});

const write = (method: string, path: string, as: string, body: object, agent = 'a browser') =>
  world.call(method, `/api/v1/${path}`, { as, key: systemIds.next(), body, headers: { 'user-agent': agent } });
const sealAll = () =>
  expect
    .poll(
      async () => {
        while ((await makeSealing(relay.sealer).round(new AbortController().signal)) === 'more');
        const { rows } = await world.root.query(
          'select count(*)::int as n from audit_logs a where not exists (select from audit_seals s where s.audit_id = a.id)',
        );
        return rows[0].n;
      },
      { timeout: 40_000 },
    )
    .toBe(0);
const verify = async (query = '') =>
  (await world.call('GET', `/api/v1/admin/audit-logs/verify${query}`, { as: operator })).body;

/** Every table of the database that has the text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await world.root.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition
       and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' order by 1`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const hit = await world.root.query(`select 1 from ${name} t where strpos(lower(t::text), $1) > 0 limit 1`, [text]);
    if (hit.rows.length > 0) found.push(name);
  }
  return found;
}

describe('the erasure of a person', () => {
  it('takes every trace of the mail address out of the database, and all chains still verify', async () => {
    const token = await world.join(mail, acme, 'admin');
    const { id } = (await world.call('GET', '/api/v1/me', { as: token })).body;
    await write('PATCH', 'me', token, { display_name: `Ada ${mail}` }, `Browser of ${mail}`);
    await write('POST', 'me/tokens', token, { name: `token of ${mail}`, scopes: ['profile:read'], expires_in_days: 7 });
    await write('PATCH', `organizations/${acme.organizationId}`, token, { name: `The house of ${mail}` });
    await write('PATCH', `organizations/${acme.organizationId}`, acme.token, { name: 'Acme' });
    await write('POST', `organizations/${acme.organizationId}/invitations`, acme.token, {
      email: mail,
      role: 'member',
    });
    await write('POST', `admin/users/${id}/disable`, operator, { reason: `${mail} asked for it` });
    await write('POST', `admin/users/${id}/enable`, operator, { reason: `${mail} asked for it` });
    await sealAll();
    const organization = `?organization_id=${acme.organizationId}`;
    expect(await verify()).toMatchObject({ intact: true, erased: 0 });
    expect(await verify(organization)).toMatchObject({ intact: true, erased: 0 });
    expect(await tablesWith(mail)).toEqual(expect.arrayContaining(['audit_particulars', 'invitations', 'users']));

    const gone = await world.call('DELETE', `/api/v1/admin/users/${id}`, {
      as: operator,
      key: systemIds.next(),
      body: { reason: `${mail.toUpperCase()} asked to be erased` },
    });
    expect(gone.status, gone.text).toBe(200);
    await sealAll();
    expect(await tablesWith(mail)).toEqual([]);
    expect((await verify()).intact).toBe(true);
    expect(await verify(organization)).toMatchObject({ intact: true, broken: null });
    expect((await verify()).erased).toBeGreaterThan(0);

    const { body } = await world.call('GET', `/api/v1/admin/audit-logs?actor_id=${id}`, { as: operator });
    expect(body.data.length).toBeGreaterThan(2);
    for (const row of body.data) expect(row).toMatchObject({ actor_id: id, actor_address: null, is_erased: true });
    const [erasure] = (await world.call('GET', `/api/v1/admin/audit-logs?action=user.delete`, { as: operator })).body
      .data;
    expect(erasure).toMatchObject({ target_id: id, change: { reason: '[erased] asked to be erased' } });
  });

  it('leaves the stored answers of others alone when the subject is no mail address', async () => {
    const key = systemIds.next();
    const rename = () =>
      world.call('PATCH', `/api/v1/organizations/${acme.organizationId}`, {
        as: acme.token,
        key,
        body: { name: 'Renamed once' },
      });
    expect((await rename()).status).toBe(200);
    const { id } = (await world.call('GET', '/api/v1/me', { as: await world.token('a') })).body;
    const gone = await write('DELETE', `admin/users/${id}`, operator, { reason: 'a asked for a copy' });
    expect(gone.status, gone.text).toBe(200);
    const again = await rename();
    expect(again).toMatchObject({ status: 200, body: { name: 'Renamed once' } });
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('takes the text of stored answers that name the person, and their requests do not run again', async () => {
    const guest = 'guest.to.be.erased@example.test';
    const { id } = (await world.call('GET', '/api/v1/me', { as: await world.token(guest) })).body;
    const key = systemIds.next();
    const path = `organizations/${acme.organizationId}/invitations`;
    const invite = () =>
      world.call('POST', `/api/v1/${path}`, { as: acme.token, key, body: { email: guest, role: 'member' } });
    expect((await invite()).status).toBe(201);
    await write('DELETE', `admin/users/${id}`, operator, { reason: 'asked for it' });
    const again = await invite();
    expect(again).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(again.text).toContain('its answer was erased');
    const { rows } = await world.root.query('select count(*)::int as n from invitations where lower(email) = $1', [
      guest,
    ]);
    expect(rows[0].n).toBe(0);
  });

  it('is not needed to find that what is kept beside the log was changed', async () => {
    await write('PATCH', `organizations/${acme.organizationId}`, acme.token, { name: 'Another' });
    await sealAll();
    await world.root.query('begin');
    await world.root.query(`set local session_replication_role = replica`);
    await world.root.query(
      `update audit_particulars set particulars = '{"address":"192.0.2.1"}' where audit_id =
         (select id from audit_logs where organization_id = $1 order by id desc limit 1)`,
      [acme.organizationId],
    );
    await world.root.query('commit');
    expect(await verify(`?organization_id=${acme.organizationId}`)).toMatchObject({
      intact: false,
      broken: { why: 'What is kept beside the row was changed.' },
    });
  });
});
