import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { makeTerminalGuard } from '../../terminal/index.ts';
import { copyOne, openTerminalScene, type TerminalScene } from '../../terminal/testing.ts';
import { makeAuthorizedKeys } from '../keys/reconcile.ts';

let world: World;
let home: Tenant;
let scene: TerminalScene;
let ada: string;
let bob: string;
let bobId: string;
let machine: string;
const sent: { readonly params: { allocation_id: string; authorized_keys: readonly string[] } }[] = [];
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  scene = openTerminalScene(world, home);
  ada = await world.join('ada', home, 'member');
  bob = await world.join('bob', home, 'member');
  bobId = await scene.idOf('bob');
  machine = await scene.machineOf('ada');
  await scene.certificateOf(await scene.nodeOf(machine));
});
afterAll(() => world.close());

const write = (method: string, path: string, as: string, body?: object) =>
  world.call(method, path, { as, key: systemIds.next(), ...(body && { body }) });
const grants = (id = machine) => `/api/v1/allocations/${id}/access-grants`;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const grant = (as: string, wish: object = {}) =>
  write('POST', grants(), as, { user_id: bobId, expires_at: inHours(2), reason: 'to debug', ...wish });
async function newKey(as: string): Promise<{ id: string; text: string; fingerprint: string }> {
  const head = Buffer.from('0000000b7373682d6564323535313900000020', 'hex');
  const text = `ssh-ed25519 ${Buffer.concat([head, randomBytes(32)]).toString('base64')}`;
  const { body } = await write('POST', '/api/v1/me/ssh-keys', as, { public_key: text });
  return { id: body.id, text, fingerprint: body.fingerprint };
}
const parts = () => ({
  ...{ db: world.database.database, ids: systemIds, clock: systemClock, log: silentLog },
  metrics: makeMetrics('test', '0.0.0'),
});
const reconcile = async () => {
  sent.splice(0);
  await makeAuthorizedKeys({
    ...{ ...parts(), begin: actsOf('authorized-keys', systemIds), taskSeconds: () => 60 },
    tasks: {
      queueTask: async (_, order) => {
        sent.push(order as never);
        return systemIds.next();
      },
    },
  }).round(new AbortController().signal);
};
const guard = () =>
  makeTerminalGuard({ ...parts(), begin: actsOf('terminal-guard', systemIds) }).round(new AbortController().signal);
const endOf = async (sessionId: string) =>
  (await world.root.query('select end_reason from terminal_sessions where id = $1', [sessionId])).rows[0].end_reason;
const jump = (fingerprint: string) =>
  world.terminal.jump_open(
    { fingerprint, address: '192.0.2.9', target: machine, port: 22, ...copyOne },
    { correlationId: 'a test' },
  );

describe('a grant to work in the allocation of another person', () => {
  it('is made by who created it and by admins, for a member who may use allocations, within the limits of policy', async () => {
    expect((await grant(bob)).body.code).toBe('ownership_required');
    const away = await world.found('away');
    expect((await grant(away.token)).body.code).toBe('allocation_not_found');
    const stranger = (await world.root.query('select id from users where oidc_subject = $1', ['away'])).rows[0]?.id;
    expect((await grant(ada, { user_id: stranger ?? systemIds.next() })).body.code).toBe('member_not_found');
    await world.join('looks', home, 'viewer');
    expect((await grant(ada, { user_id: await scene.idOf('looks') })).body.code).toBe('member_not_found');
    expect((await grant(ada, { expires_at: inHours(-1) })).body.code).toBe('validation_error');
    expect((await grant(ada, { expires_at: inHours(24 * 31) })).body.code).toBe('validation_error');
    const adas = await newKey(ada);
    expect((await grant(ada, { ssh_key_id: adas.id })).body.code).toBe('ssh_key_not_found');
    const made = await grant(home.token);
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ state: 'active', user_id: bobId, ssh_key_id: null, reason: 'to debug' });
    expect((await grant(ada)).body.code).toBe('access_grant_exists');
    const { rows } = await world.root.query(`select action from audit_logs where target_id = $1`, [made.body.id]);
    expect(rows).toEqual([{ action: 'allocation.access_grant.create' }]);
    expect((await write('DELETE', `${grants()}/${made.body.id}`, ada)).body.state).toBe('revoked');
  });

  it('opens terminals, certificates, the jump host and the machine, and all of it ends with the grant', async () => {
    const key = await newKey(bob);
    expect((await scene.mint(bob, machine)).body.code).toBe('ownership_required');
    expect(((await jump(key.fingerprint)) as Fault).code).toBe('allocation_not_found');
    const { id } = (await grant(ada)).body;
    await reconcile();
    expect(sent.at(-1)?.params).toMatchObject({ allocation_id: machine, authorized_keys: [key.text] });
    await reconcile();
    expect(sent.filter(({ params }) => params.allocation_id === machine)).toEqual([]);
    const shell = await scene.open(bob, machine);
    const connection = (await jump(key.fingerprint)) as { session: { id: string } };
    const certificate = await write('POST', `/api/v1/allocations/${machine}/ssh-certificates`, bob, {
      public_key: key.text,
    });
    expect(certificate.status, certificate.text).toBe(201);
    await guard();
    expect([await endOf(shell), await endOf(connection.session.id)]).toEqual([null, null]);
    // The list of keys that the owner sets leaves those of grants alone.
    const own = await newKey(ada);
    expect((await write('PUT', `/api/v1/allocations/${machine}/ssh-keys`, ada, { ssh_key_ids: [own.id] })).status).toBe(
      200,
    );
    await reconcile();
    expect((await write('DELETE', `${grants()}/${id}`, ada)).body).toMatchObject({ state: 'revoked' });
    await guard();
    expect([await endOf(shell), await endOf(connection.session.id)]).toEqual(['rights_lost', 'rights_lost']);
    await reconcile();
    expect(sent.at(-1)?.params).toMatchObject({ allocation_id: machine, authorized_keys: [own.text] });
    expect((await scene.mint(bob, machine)).body.code).toBe('ownership_required');
    expect(((await jump(key.fingerprint)) as Fault).code).toBe('allocation_not_found');
  });

  it('gives a certificate that ends with it: the machine itself knows no grants', async () => {
    const key = await newKey(bob);
    const expires_at = inHours(0.05);
    const { id } = (await grant(ada, { expires_at })).body;
    const signed = await write('POST', `/api/v1/allocations/${machine}/ssh-certificates`, bob, {
      ...{ public_key: key.text, seconds: 600 },
    });
    expect(signed.body.expires_at, signed.text).toBe(expires_at);
    await write('DELETE', `${grants()}/${id}`, ada);
  });

  it('with one key installs that one alone, ends at its time, and can be given back by the person', async () => {
    const key = await newKey(bob);
    const { id } = (await grant(ada, { ssh_key_id: key.id })).body;
    await reconcile();
    const installed = sent.at(-1)?.params.authorized_keys ?? [];
    expect(installed).toContain(key.text);
    expect(installed).toHaveLength(2);
    const later = inHours(5);
    expect((await write('PATCH', `${grants()}/${id}`, bob, { expires_at: later })).body.code).toBe(
      'ownership_required',
    );
    expect((await write('PATCH', `${grants()}/${id}`, ada, { expires_at: later })).body.expires_at).toBe(later);
    await asSystem(world.root, 'update allocation_access_grants set expires_at = now() where id = $1', [id]);
    await reconcile();
    expect(sent.at(-1)?.params.authorized_keys).not.toContain(key.text);
    expect((await write('PATCH', `${grants()}/${id}`, ada, { expires_at: later })).body.code).toBe(
      'illegal_transition',
    );
    const again = (await grant(ada)).body;
    expect((await write('DELETE', `${grants()}/${again.id}`, bob)).body.state).toBe('revoked');
    const list = async (query: string) =>
      ((await world.call('GET', `${grants()}${query}`, { as: ada })).body.data as { state: string }[]).map(
        ({ state }) => state,
      );
    expect(await list('?active=true')).toEqual([]);
    expect(await list('')).toEqual(['revoked', 'expired', 'revoked', 'revoked', 'revoked']);
  });

  it('of a person who leaves or is lowered ends with the person', async () => {
    const eve = await world.join('eve', home, 'member');
    const key = await newKey(eve);
    expect((await grant(ada, { user_id: await scene.idOf('eve') })).status).toBe(201);
    await reconcile();
    expect(sent.at(-1)?.params.authorized_keys).toContain(key.text);
    const shell = await scene.open(eve, machine);
    await scene.removeMember('eve');
    await guard();
    await reconcile();
    expect(await endOf(shell)).toBe('rights_lost');
    expect(sent.at(-1)?.params.authorized_keys).not.toContain(key.text);
  });

  it('is refused beside as many as the policy allows', async () => {
    const person = await scene.idOf('ada');
    const other = bobId;
    const full = await scene.machineOf('ada');
    const { rows } = await world.root.query('select organization_id, project_id from allocations where id = $1', [
      full,
    ]);
    for (let n = 0; n < 20; n += 1) {
      const id = systemIds.next();
      const someone = 'insert into users (id, oidc_issuer, oidc_subject) values ($1, $2, $3)';
      await asSystem(world.root, someone, [id, 'elsewhere', id]);
      await asSystem(
        world.root,
        `insert into allocation_access_grants (id, organization_id, project_id, allocation_id, user_id, reason, granted_by, expires_at)
         values ($1, $2, $3, $4, $6, '', $5, now() + interval '1 hour')`,
        [systemIds.next(), rows[0].organization_id, rows[0].project_id, full, person, id],
      );
    }
    const refused = await write('POST', grants(full), ada, { user_id: other, expires_at: inHours(1) });
    expect(refused).toMatchObject({ status: 409, body: { code: 'access_grant_limit' } });
  });
});
