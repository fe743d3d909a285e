import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { openWorld, type Reply, type Tenant, type World } from '../../../testing/world.ts';
import { type Fleet, sliceSku, stockFleet, testRegion } from '../testing.ts';

let world: World;
let fleet: Fleet;
let home: Tenant;
let other: Tenant;
let colleague: string;
let second: string;
let operator: string;
const limit = 4;
beforeAll(async () => {
  world = await openWorld({ policies: { 'allocation.max_gpus_per_organization': limit } });
  fleet = await stockFleet(world.root);
  [home, other] = [await world.found('home'), await world.found('other')];
  colleague = await world.join('colleague', home, 'member');
  operator = await world.operator();
  const made = await world.call('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
    ...{ as: home.token, key: systemIds.next(), body: { name: 'A second one', slug: 'second' } },
  });
  second = made.body.id;
});
afterAll(() => world.close());
beforeEach(() => fleet.removeNodes());

interface Who {
  readonly as?: string;
  readonly project?: string;
}
const send = (method: string, path: string, body: object | undefined, who: Who = {}): Promise<Reply> =>
  world.call(method, `/api/v1/${path}`, {
    as: who.as ?? home.token,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
    headers: { 'x-project-id': who.project ?? home.projectId },
  });
const wish = (gpus = 1) => ({ sku: sliceSku, gpus, region: testRegion });
const ask = (gpus = 1, who: Who = {}, more: object = {}) =>
  send('POST', 'allocations', { ...wish(gpus), ...more }, who);
const quota = async () => (await send('GET', 'overview', undefined)).body.gpu_quota;

describe('the GPU quota of an organization', () => {
  it('bounds what people of all projects hold together, and lists what is counted', async () => {
    await fleet.addNode();
    const mine = await ask(2);
    expect(mine.status, mine.text).toBe(201);
    expect((await ask(1, { as: colleague, project: second })).status).toBe(201);
    const refused = await ask(2, { as: colleague });
    expect(refused, refused.text).toMatchObject({
      status: 409,
      body: {
        code: 'organization_gpu_limit',
        details: { held: 3, asked: 2, limit, in_project: 2, in_other_projects: 1, level: 'global' },
      },
    });
    expect(refused.body.details.counted).toMatchObject([{ id: mine.body.id, gpu_count: 2 }]);
    expect(refused.body.message).toContain(mine.body.name);
    expect(await quota()).toEqual({ held: 3, limit, level: 'global' });
    expect((await ask(1)).status).toBe(201);
    expect((await ask(1, { as: other.token, project: other.projectId })).status).toBe(201);
  });

  it('counts what is queued, and the members of a group together', async () => {
    await fleet.addNode({ groups: [1] });
    expect((await ask(2, {}, { queue: { max_wait_seconds: 600 } })).body.placement_status).toBe('queued');
    const members = [wish(1), wish(2)];
    const group = await send('POST', 'allocation-groups', { name: 'three', members });
    expect(group.body, group.text).toMatchObject({ code: 'organization_gpu_limit', details: { held: 2, asked: 3 } });
    const plan = await send('POST', 'allocations/plan', wish(4));
    expect(plan.body).toMatchObject({ feasible: false, message: expect.stringContaining('2 of the 4 GPUs') });
  });

  it('holds when many of its people ask at once', async () => {
    await fleet.addNode();
    await fleet.addNode();
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        ask(1, at % 2 === 0 ? { project: second } : { as: colleague, project: home.projectId }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(limit);
    const codes = replies.filter(({ status }) => status !== 201).map(({ body }) => body.code);
    expect(new Set(codes)).toEqual(new Set(['organization_gpu_limit']));
    expect(await quota()).toMatchObject({ held: limit });
  });

  it('is given back by a release, and raised for one organization by operators alone', async () => {
    await fleet.addNode();
    const first = await ask(4);
    expect((await ask(1)).body.code).toBe('organization_gpu_limit');
    const set = (level: string, subject_id: string, as: string) =>
      world.call('PUT', '/api/v1/admin/policies/allocation.max_gpus_per_organization', {
        ...{ as, key: systemIds.next(), body: { level, subject_id, value: 6, reason: 'a contract' } },
      });
    expect((await set('organization', home.organizationId, home.token)).status).toBe(403);
    const forProject = await set('project', home.projectId, operator);
    expect(forProject.body, forProject.text).toMatchObject({ code: 'policy_level_invalid' });
    expect((await set('organization', home.organizationId, operator)).status).toBe(200);
    await expect.poll(quota).toEqual({ held: 4, limit: 6, level: 'organization' });
    expect((await ask(1)).status).toBe(201);
    const shown = await world.call('GET', `/api/v1/admin/organizations/${home.organizationId}`, { as: operator });
    expect(shown.body.gpu_quota).toEqual({ held: 5, limit: 6, level: 'organization' });
    await send('POST', `allocations/${first.body.id}/release`, {});
    expect(await quota()).toMatchObject({ held: 1 });
  });
});
