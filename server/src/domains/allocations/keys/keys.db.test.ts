import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { putAllocation } from '../testing.ts';
import { makeAuthorizedKeys } from './reconcile.ts';

let world: World;
let home: Tenant;
let told: { readonly type: string; readonly params: { authorized_keys?: readonly string[] } }[] = [];
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
});
beforeEach(() => {
  told = [];
});
afterAll(() => world.close());

const reconcile = () =>
  makeAuthorizedKeys({
    db: world.database.database,
    begin: actsOf('authorized-keys', systemIds),
    ids: systemIds,
    tasks: {
      queueTask: async (_, order) => {
        told.push(order as never);
        return systemIds.next();
      },
    },
    taskSeconds: () => 60,
    ...{ log: silentLog, metrics: makeMetrics('test', '0.0.0') },
  }).round(new AbortController().signal);
const write = (method: string, path: string, as: string, body?: object) =>
  world.call(method, path, { as, key: systemIds.next(), ...(body && { body }) });
const newKey = async (as: string): Promise<{ id: string; text: string }> => {
  const head = Buffer.from('0000000b7373682d6564323535313900000020', 'hex');
  const text = `ssh-ed25519 ${Buffer.concat([head, randomBytes(32)]).toString('base64')}`;
  const made = await write('POST', '/api/v1/me/ssh-keys', as, { public_key: `${text} me` });
  expect(made.status, made.text).toBe(201);
  return { id: made.body.id, text };
};
const idOf = async (subject: string): Promise<string> =>
  (await world.root.query('select id from users where oidc_subject = $1', [subject])).rows[0].id;
/** An active machine of somebody. */
const machineOf = async (subject: string): Promise<string> => {
  const id = await putAllocation(world.root, home, 'active');
  await asSystem(world.root, 'update allocations set requested_by = $2, version = version + 1 where id = $1', [
    id,
    await idOf(subject),
  ]);
  return id;
};
const keysOf = async (id: string) =>
  (await world.root.query('select ssh_key_id from allocation_ssh_keys where allocation_id = $1', [id])).rows.map(
    ({ ssh_key_id }) => ssh_key_id,
  );

describe('the SSH keys of an allocation', () => {
  it('are changed by whoever created it and by admins, not by a colleague', async () => {
    const ada = await world.join('ada', home, 'member');
    const colleague = await world.join('colleague', home, 'member');
    const id = await machineOf('ada');
    const path = `/api/v1/allocations/${id}/ssh-keys`;
    const theirs = await newKey(colleague);
    expect((await write('PUT', path, colleague, { ssh_key_ids: [theirs.id] })).body.code).toBe(
      'insufficient_permissions',
    );
    expect((await write('PUT', path, ada, { ssh_key_ids: [(await newKey(ada)).id] })).status).toBe(200);
    expect((await write('PUT', path, home.token, { ssh_key_ids: [(await newKey(home.token)).id] })).status).toBe(200);
  });

  it('lose those of a member who was removed, and the node is told the rest', async () => {
    const leaving = await world.join('leaving', home, 'member');
    const id = await machineOf('leaving');
    const path = `/api/v1/allocations/${id}/ssh-keys`;
    const [gone, kept] = [await newKey(leaving), await newKey(home.token)];
    await write('PUT', path, leaving, { ssh_key_ids: [gone.id] });
    expect((await write('PUT', path, home.token, { ssh_key_ids: [gone.id, kept.id] })).status).toBe(200);
    await reconcile();
    expect(told).toEqual([]);
    const removed = await write(
      'DELETE',
      `/api/v1/organizations/${home.organizationId}/members/${await idOf('leaving')}`,
      home.token,
    );
    expect(removed.status, removed.text).toBe(200);
    await reconcile();
    expect(await keysOf(id)).toEqual([kept.id]);
    expect(told).toMatchObject([
      { type: 'allocation.install_authorized_keys', params: { allocation_id: id, authorized_keys: [kept.text] } },
    ]);
    await reconcile();
    expect(told).toHaveLength(1);
  });

  it('lose those of a member who was removed while it waits in the queue: it must not start with them', async () => {
    const early = await world.join('early', home, 'member');
    const running = await machineOf('early');
    const key = await newKey(early);
    await write('PUT', `/api/v1/allocations/${running}/ssh-keys`, early, { ssh_key_ids: [key.id] });
    const waiting = await putAllocation(world.root, home, 'requested');
    await asSystem(
      world.root,
      `insert into allocation_ssh_keys
       select (jsonb_populate_record(k, jsonb_build_object('allocation_id', $1::uuid))).*
       from allocation_ssh_keys k where k.allocation_id = $2`,
      [waiting, running],
    );
    expect(await keysOf(waiting)).toEqual([key.id]);
    const path = `/api/v1/organizations/${home.organizationId}/members/${await idOf('early')}`;
    expect((await write('DELETE', path, home.token)).status).toBe(200);
    await reconcile();
    expect(await keysOf(waiting)).toEqual([]);
    // Only the one that runs has a machine to tell.
    expect(told).toMatchObject([{ params: { allocation_id: running, authorized_keys: [] } }]);
  });

  it('lose those of a person whose role, in the organization or in the project, no longer allows to put one there', async () => {
    const lowered = await world.join('lowered', home, 'member');
    const helping = await world.join('helping', home, 'viewer');
    const roleInProject = (role: string) =>
      write('PUT', `/api/v1/projects/${home.projectId}/members/${helpingId}`, home.token, { role });
    const [loweredId, helpingId] = [await idOf('lowered'), await idOf('helping')];
    expect((await roleInProject('member')).status).toBe(200);
    const machines = [await machineOf('lowered'), await machineOf('helping')];
    const keys = [await newKey(lowered), await newKey(helping)];
    for (const [index, as] of [lowered, helping].entries()) {
      const set = await write('PUT', `/api/v1/allocations/${machines[index]}/ssh-keys`, as, {
        ssh_key_ids: [keys[index]?.id],
      });
      expect(set.status, set.text).toBe(200);
    }
    await reconcile();
    expect(told).toEqual([]);
    const members = `/api/v1/organizations/${home.organizationId}/members`;
    expect((await write('PATCH', `${members}/${loweredId}`, home.token, { role: 'viewer' })).status).toBe(200);
    await reconcile();
    expect(await Promise.all(machines.map(keysOf))).toEqual([[], [keys[1]?.id]]);
    expect((await write('DELETE', `/api/v1/projects/${home.projectId}/members/${helpingId}`, home.token)).status).toBe(
      200,
    );
    await reconcile();
    expect(await Promise.all(machines.map(keysOf))).toEqual([[], []]);
    expect(told.map(({ params }) => params)).toMatchObject(
      machines.map((id) => ({ allocation_id: id, authorized_keys: [] })),
    );
  });

  it('lose those of a person who was disabled, on every machine, and do not get them back when they are enabled', async () => {
    const operator = await world.operator();
    const stopped = await world.join('stopped', home, 'member');
    const [gone, kept] = [await newKey(stopped), await newKey(home.token)];
    const [own, shared] = [await machineOf('stopped'), await machineOf('stopped')];
    const path = (id: string) => `/api/v1/allocations/${id}/ssh-keys`;
    for (const id of [own, shared]) await write('PUT', path(id), stopped, { ssh_key_ids: [gone.id] });
    await write('PUT', path(shared), home.token, { ssh_key_ids: [gone.id, kept.id] });
    await reconcile();
    expect(told).toEqual([]);
    const say = async (what: string) =>
      write('POST', `/api/v1/admin/users/${await idOf('stopped')}/${what}`, operator, { reason: 'a lost laptop' });
    expect((await say('disable')).status).toBe(200);
    await reconcile();
    expect([await keysOf(own), await keysOf(shared)]).toEqual([[], [kept.id]]);
    expect(told.map(({ params }) => params)).toMatchObject([
      { allocation_id: own, authorized_keys: [] },
      { allocation_id: shared, authorized_keys: [kept.text] },
    ]);
    // Nobody else can put the key of a person on a machine.
    expect((await write('PUT', path(own), home.token, { ssh_key_ids: [gone.id] })).body.code).toBe('ssh_key_not_found');
    expect((await say('enable')).status).toBe(200);
    await reconcile();
    expect(told).toHaveLength(2);
    expect(await keysOf(own)).toEqual([]);
  });

  it('lose one that its owner deleted, and the node is told again when telling it failed', async () => {
    const id = await machineOf(home.subject);
    const key = await newKey(home.token);
    await write('PUT', `/api/v1/allocations/${id}/ssh-keys`, home.token, { ssh_key_ids: [key.id] });
    expect((await write('DELETE', `/api/v1/me/ssh-keys/${key.id}`, home.token)).status).toBe(200);
    await reconcile();
    expect(await keysOf(id)).toEqual([]);
    expect(told).toMatchObject([{ params: { allocation_id: id, authorized_keys: [] } }]);
    // The task that the api queued runs out before its node fetched it.
    await asSystem(
      world.root,
      `update node_tasks set state = 'expired', version = version + 1, finished_at = now() where allocation_id = $1`,
      [id],
    );
    await reconcile();
    expect(told).toHaveLength(2);
  });

  it('and its authorities are left alone while its machine is stopped: its host gets no task, and no row is written', async () => {
    const id = await machineOf(home.subject);
    await asSystem(
      world.root,
      `update allocations set stop_phase = 'stopped', stop_since = now(), version = version + 1 where id = $1`,
      [id],
    );
    await asSystem(
      world.root,
      `update nodes set version = version + 1, topology = coalesce(topology, '{}') ||
         '{"capabilities": [{"ability": "ssh_certificates", "able": true}]}' where id = (select node_id from allocations where id = $1)`,
      [id],
    );
    for (let rounds = 0; rounds < 2; rounds += 1) await reconcile();
    expect(told.filter(({ params }) => (params as { allocation_id?: string }).allocation_id === id)).toEqual([]);
    const { rows } = await world.root.query(
      `select 1 from audit_logs where action = 'allocation.reconcile_ssh_keys' and target_id = $1`,
      [id],
    );
    expect(rows).toEqual([]);
    await asSystem(
      world.root,
      'update allocations set stop_phase = null, stop_since = null, version = version + 1 where id = $1',
      [id],
    );
    await reconcile();
    expect(told).toContainEqual(expect.objectContaining({ type: 'allocation.install_authorized_keys' }));
  });
});
