import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation, stockFleet } from '../allocations/testing.ts';
import { type Ask, asking, fetchFile, store } from './testing.ts';

const q = (path: string) => `path=${encodeURIComponent(path)}`;

describe('a storage token of an allocation', () => {
  let world: World;
  let tenant: Tenant;
  let ask: Ask;
  beforeAll(async () => {
    world = await openWorld({ policies: { 'storage.tokens_per_allocation_max': 2 } });
    await stockFleet(world.root);
    tenant = await world.found('machines');
    ask = asking(world, tenant.token, tenant.projectId);
  });
  afterAll(() => world?.close());

  const launch = () => putAllocation(world.root, tenant, 'active');
  const make = async (allocation: string, level: string, as = tenant.token) =>
    world.call('POST', `/api/v1/allocations/${allocation}/storage-tokens`, {
      ...{ as, key: systemIds.next(), body: { level } },
    });
  const tokenOf = async (allocation: string, level = 'write', as = tenant.token): Promise<string> => {
    const made = await make(allocation, level, as);
    expect(made.status, made.text).toBe(201);
    return made.body.token;
  };
  const become = (allocation: string, state: string) =>
    asSystem(world.root, 'update allocations set state = $2, version = version + 1 where id = $1', [allocation, state]);

  it('stores and reads files of the project, and its level is all that it has', async () => {
    const allocation = await launch();
    const machine = asking(world, await tokenOf(allocation), tenant.projectId);
    await store(world, machine, 'checkpoints/run-1/step-100', Buffer.from('weights'));
    expect(await fetchFile(world, ask, q('checkpoints/run-1/step-100'))).toBe('weights');
    const reading = asking(world, await tokenOf(allocation, 'read'), tenant.projectId);
    expect(await fetchFile(world, reading, q('checkpoints/run-1/step-100'))).toBe('weights');
    const refused = await reading('DELETE', `/object?${q('checkpoints/run-1/step-100')}`);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_permissions']);
    const third = await make(allocation, 'read');
    expect(third.body.code).toBe('storage_limit_reached');
  });

  it('is refused from the next request on when its allocation begins to end', async () => {
    const allocation = await launch();
    const token = await tokenOf(allocation);
    const machine = asking(world, token, tenant.projectId);
    expect((await machine('GET', '')).status).toBe(200);
    await become(allocation, 'releasing');
    const refused = await machine('GET', '');
    expect([refused.status, refused.body.code]).toEqual([401, 'token_invalid']);
    const late = await make(allocation, 'read');
    expect([late.status, late.body.code]).toEqual([409, 'allocation_not_active']);
    const listed = await world.call('GET', `/api/v1/allocations/${allocation}/storage-tokens`, { as: tenant.token });
    expect(listed.body.data).toMatchObject([{ allocation_id: allocation, works: false, revoked_at: null }]);
    expect(listed.text).not.toContain(token);
  });

  it('is refused from the next request on when it is revoked', async () => {
    const allocation = await launch();
    const made = await make(allocation, 'read');
    const machine = asking(world, made.body.token, tenant.projectId);
    expect((await machine('GET', '')).status).toBe(200);
    const gone = await world.call('DELETE', `/api/v1/allocations/${allocation}/storage-tokens/${made.body.id}`, {
      ...{ as: tenant.token, key: systemIds.next() },
    });
    expect(gone.body).toMatchObject({ id: made.body.id, works: false });
    expect((await machine('GET', '')).status).toBe(401);
  });

  it('opens nothing but the storage of its own project', async () => {
    const token = await tokenOf(await launch());
    const sibling = await world.call('POST', `/api/v1/organizations/${tenant.organizationId}/projects`, {
      ...{ as: tenant.token, key: systemIds.next(), body: { name: 'sibling', slug: 'sibling' } },
    });
    expect((await asking(world, token, sibling.body.id)('GET', '')).status).toBe(404);
    const stranger = await world.found('machine-stranger');
    expect((await asking(world, token, stranger.projectId)('GET', '')).status).toBe(404);
    const headers = { 'x-project-id': tenant.projectId };
    for (const path of [
      '/api/v1/allocations',
      '/api/v1/me',
      `/api/v1/organizations/${tenant.organizationId}/members`,
    ]) {
      expect([path, (await world.call('GET', path, { as: token, headers })).status]).toEqual([path, 403]);
    }
    const grant = { path: 'checkpoints/run-1/', grantee_kind: 'project', grantee_id: sibling.body.id, level: 'read' };
    const machine = asking(world, token, tenant.projectId);
    expect((await machine('POST', '/grants', grant)).body.code).toBe('service_account_refused');
    expect((await machine('POST', '/links', { path: 'checkpoints/run-1/step-100', hours: 1 })).body.code).toBe(
      'service_account_refused',
    );
    const other = await make(await launch(), 'write', token);
    expect([other.status, other.body.code]).toEqual([403, 'insufficient_permissions']);
    const mine = `users/${(await world.root.query('select id from users where oidc_subject = $1', [tenant.subject])).rows[0].id}/`;
    expect((await machine('GET', `/objects?${q(mine)}`)).status).toBe(404);
  });

  it('may no more than who made it may, and nothing once that person has left', async () => {
    const member = await world.join('leaving', tenant, 'member');
    const token = await tokenOf(await launch(), 'write', member);
    const machine = asking(world, token, tenant.projectId);
    expect((await machine('GET', '')).status).toBe(200);
    const { rows } = await world.root.query(`select id from users where oidc_subject = 'leaving'`);
    const removed = await world.call('DELETE', `/api/v1/organizations/${tenant.organizationId}/members/${rows[0].id}`, {
      ...{ as: tenant.token, key: systemIds.next() },
    });
    expect(removed.status, removed.text).toBe(200);
    expect((await machine('GET', '')).status).toBe(401);
  });

  it('may no more than the service account that made it, and only in projects of that account', async () => {
    const made = await world.call('POST', `/api/v1/organizations/${tenant.organizationId}/service-accounts`, {
      ...{ as: tenant.token, key: systemIds.next() },
      body: {
        ...{ name: 'Robot', slug: 'storing-robot', scopes: ['storage:read', 'storage:write'] },
        project_ids: [tenant.projectId],
      },
    });
    expect(made.status, made.text).toBe(201);
    const tokens = [];
    for (let each = 0; each < 2; each += 1) {
      const token = await make(await launch(), 'write');
      await asSystem(world.root, 'update storage_tokens set created_by = $2 where id = $1', [
        token.body.id,
        made.body.id,
      ]);
      tokens.push(asking(world, token.body.token, tenant.projectId));
    }
    const [machine, other] = tokens as [Ask, Ask];
    const change = async (body: object) => {
      const path = `/api/v1/service-accounts/${made.body.id}`;
      const changed = await world.call('PATCH', path, { as: tenant.token, key: systemIds.next(), body });
      expect(changed.status, changed.text).toBe(200);
    };
    await store(world, machine, 'shared/robot', Buffer.from('1'));
    await change({ scopes: ['storage:read'] });
    expect((await machine('GET', '')).status).toBe(200);
    expect((await machine('DELETE', `/object?${q('shared/robot')}`)).body.code).toBe('insufficient_permissions');
    await change({ scopes: ['projects:read'] });
    expect((await machine('GET', '')).body.code).toBe('token_invalid');
    await change({ scopes: ['storage:read', 'storage:write'] });
    expect((await other('GET', '')).status).toBe(200);
    const elsewhere = await world.call('POST', `/api/v1/organizations/${tenant.organizationId}/projects`, {
      ...{ as: tenant.token, key: systemIds.next(), body: { name: 'Elsewhere', slug: 'elsewhere' } },
    });
    await change({ project_ids: [elsewhere.body.id] });
    expect((await other('GET', '')).body.code).toBe('token_invalid');
  });

  it('is made by those who may write, for allocations that they see', async () => {
    const allocation = await launch();
    const viewer = await world.join('machine-viewer', tenant, 'viewer');
    expect((await make(allocation, 'read', viewer)).status).toBe(403);
    const stranger = await world.found('machine-other');
    expect((await make(allocation, 'read', stranger.token)).body.code).toBe('allocation_not_found');
  });

  it.each(['gpuaas_storage_', `gpuaas_storage_${'0'.repeat(64)}`])('is not %s', async (token) => {
    expect((await asking(world, token, tenant.projectId)('GET', '')).body.code).toBe('token_invalid');
  });
});
