import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation, sliceSku, testRegion } from '../allocations/testing.ts';

let world: World;
let home: Tenant;
let other: Tenant;
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  other = await world.found('other');
});
afterAll(() => world.close());

const overview = async (tenant = home, as = tenant.token) => {
  const path = '/api/v1/overview';
  const reply = await world.call('GET', path, { as, headers: { 'x-project-id': tenant.projectId } });
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
};
/** Allocations that ended long ago, in one statement: a history that no page holds. */
const putEnded = async (tenant: Tenant, count: number) => {
  const ids = Array.from({ length: count }, () => systemIds.next());
  await asSystem(
    world.root,
    `insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku, capacity_shape,
       gpu_count, region, unit_price_minor, currency, isolation_model)
     select i, $2, $3, 'ended', 'nobody', 'reserved', $4, 'gpu_slice', 1, $5, 450, 'USD', 'user-revoke'
     from unnest($1::uuid[]) i`,
    [ids, tenant.organizationId, tenant.projectId, sliceSku, testRegion],
  );
  await asSystem(
    world.root,
    `update allocations set state = 'released', placement_status = 'freed', version = version + 1
     where id = any($1::uuid[])`,
    [ids],
  );
};

describe('the overview of a project', () => {
  it('counts and adds up all rows, also those behind 250 newer ones', async () => {
    expect(await overview()).toMatchObject({
      running: { allocations: 0, gpus: 0, per_hour: [] },
      states: { active: 0, released: 0 },
      ...{ queued: 0, current: [], launch_again: [], unread_notices: 0 },
    });
    const active = [await putAllocation(world.root, home, 'active'), await putAllocation(world.root, home, 'active')];
    await putAllocation(world.root, home, 'provisioning');
    await putEnded(home, 250);
    const it = await overview();
    expect(it).toMatchObject({
      running: { allocations: 2, gpus: 2, per_hour: [{ amount_minor: '900', currency: 'USD' }] },
      states: { active: 2, provisioning: 1, released: 250, failed: 0 },
    });
    expect(it.current.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(active));
    expect(it.current).toHaveLength(3);
  });

  it('stays within the project', async () => {
    expect(await overview(other)).toMatchObject({ running: { allocations: 0 }, states: { released: 0 }, current: [] });
    const foreign = await world.call('GET', '/api/v1/overview', {
      as: other.token,
      headers: { 'x-project-id': home.projectId },
    });
    expect(foreign.status).toBe(404);
  });

  it('names who did what, and says what is left to do first', async () => {
    const key = systemIds.next();
    const made = await world.call('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
      ...{ as: home.token, key, body: { name: 'A second one', slug: 'second' } },
    });
    const second = { ...home, projectId: made.body.id as string };
    const it = await overview(second);
    expect(it.getting_started).toEqual({
      ...{ has_ssh_key: false, has_launched: false, has_teammates: false, has_token: false },
    });
    expect(it.activity[0]).toMatchObject({ action: 'project.create', target_name: 'A second one' });
    expect(it.activity[0].actor_name).toMatch(/\S/);
    expect(it.states.released).toBe(0);
  });
});

describe('the list of allocations', () => {
  const ask = async (path: string, tenant = home) => {
    const headers = { 'x-project-id': tenant.projectId };
    return (await world.call('GET', `/api/v1/allocations${path}`, { as: tenant.token, headers })).body;
  };

  it('is searched, filtered, ordered and counted by the server, over all rows', async () => {
    expect(await ask('/counts')).toMatchObject({ total: 253, states: { active: 2, released: 250 } });
    expect(await ask('/counts?q=A%20test')).toMatchObject({ total: 3, states: { released: 0 } });
    const found = await ask('?q=a%20TEST&state=active');
    expect(found.data.map(({ name }: { name: string }) => name)).toEqual(['A test', 'A test']);
    // What is typed is text, not a pattern.
    expect(await ask('/counts?q=%25')).toMatchObject({ total: 0 });
    expect(await ask('/counts?requested_by=nobody')).toMatchObject({ total: 250 });
    const [first, second] = [await ask('?limit=1'), await ask('?limit=1&order=oldest')];
    expect(second.data[0].id < first.data[0].id).toBe(true);
    const next = await ask(`?limit=1&order=oldest&cursor=${second.next_cursor}`);
    expect(next.data[0].id > second.data[0].id).toBe(true);
    expect(await ask(`?limit=1&cursor=${second.next_cursor}`)).toMatchObject({ code: 'cursor_invalid' });
    expect(await ask('/counts?q=ended', other)).toMatchObject({ total: 0 });
  });
});
