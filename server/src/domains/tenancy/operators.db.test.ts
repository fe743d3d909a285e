import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation } from '../allocations/testing.ts';

let world: World;
let acme: Tenant;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  acme = await world.found('acme');
  await world.found('borealis');
  await world.join('guest', acme, 'viewer');
  operator = await world.operator();
});
afterAll(() => world.close());

const find = async (query: string) => {
  const { body } = await world.call('GET', `/api/v1/admin/organizations?${query}`, { as: operator });
  return body.data as { id: string; slug: string; members: number; allocations: number; gpus: number }[];
};

describe('tenants, as operators see them', () => {
  it('are found by a part of their name, by slug and by id', async () => {
    expect((await find('q=BORE')).map(({ slug }) => slug)).toEqual(['borealis']);
    expect((await find(`q=${acme.organizationId}`)).map(({ id }) => id)).toEqual([acme.organizationId]);
    expect(await find('q=nobody-is-called-so')).toEqual([]);
    expect((await find('q=%25')).length).toBe(0);
  });

  it('come with how much of the platform they have', async () => {
    await putAllocation(world.root, acme, 'active');
    const ended = await putAllocation(world.root, acme, 'releasing');
    await asSystem(
      world.root,
      `update allocations set state = 'released', version = version + 1, ended_at = now() where id = $1`,
      [ended],
    );
    const [row] = await find(`q=${acme.organizationId}`);
    expect(row).toMatchObject({ members: 2, allocations: 1 });
    expect(row?.gpus).toBeGreaterThan(0);
  });

  it('are called by their person where they are personal, and found by that name', async () => {
    const { rows } = await world.root.query(
      'select user_id from tenant_memberships where organization_id = $1 and role = $2',
      [...[acme.organizationId, 'owner']],
    );
    const person = rows[0].user_id as string;
    await asSystem(
      world.root,
      `insert into user_names (user_id, display_name) values ($1, 'Vera Findable')
       on conflict (user_id) do update set display_name = excluded.display_name`,
      [person],
    );
    const id = systemIds.next();
    await asSystem(
      world.root,
      `insert into organizations (id, type, name, slug, currency) values ($1, 'personal', 'Personal', 'personal-vera', 'USD')`,
      [id],
    );
    await asSystem(
      world.root,
      `insert into tenant_memberships (organization_id, user_id, role) values ($1, $2, 'owner')`,
      [id, person],
    );
    expect(await find('q=findable')).toMatchObject([{ id, owner_name: 'Vera Findable' }]);
    expect(await find(`q=${acme.organizationId}`)).toMatchObject([{ owner_name: null }]);
    const { body } = await world.call('GET', `/api/v1/admin/billing/accounts?q=findable`, { as: operator });
    expect(body.data).toMatchObject([{ organization_id: id, owner_name: 'Vera Findable' }]);
  });

  it('are shown with projects, members and what was set for them', async () => {
    const set = await world.call('PUT', '/api/v1/admin/policies/billing.window_seconds', {
      as: operator,
      key: systemIds.next(),
      body: { level: 'organization', subject_id: acme.organizationId, value: 30, reason: 'they asked for it' },
    });
    expect(set.status).toBe(200);
    const { body } = await world.call('GET', `/api/v1/admin/organizations/${acme.organizationId}`, { as: operator });
    expect(body.project_list.map(({ id }: { id: string }) => id)).toContain(acme.projectId);
    expect(body.member_list.map(({ role }: { role: string }) => role).sort()).toEqual(['owner', 'viewer']);
    expect(body.policies).toMatchObject([{ key: 'billing.window_seconds', value: 30, reason: 'they asked for it' }]);
  });

  it('are nobody else’s business', async () => {
    const tenant = await world.call('GET', '/api/v1/admin/organizations', { as: acme.token });
    expect(tenant.body.code).toBe('admin_required');
    const absent = await world.call('GET', `/api/v1/admin/organizations/${systemIds.next()}`, { as: operator });
    expect(absent.body.code).toBe('organization_not_found');
  });
});
