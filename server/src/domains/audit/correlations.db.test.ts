import type { Correlation } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation, sliceSku, stockFleet, testRegion } from '../allocations/testing.ts';

let world: World;
let acme: Tenant;
let other: Tenant;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  acme = await world.found('acme');
  other = await world.found('other');
  operator = await world.operator();
});
afterAll(() => world.close());

/** Somebody asks for a GPU; the answer names the id by which everything that follows is found. */
async function launch(tenant: Tenant): Promise<{ allocation: string; correlation: string }> {
  await (await stockFleet(world.root)).addNode();
  const made = await world.call('POST', '/api/v1/allocations', {
    as: tenant.token,
    key: systemIds.next(),
    headers: { 'x-project-id': tenant.projectId },
    body: { sku: sliceSku, gpus: 1, region: testRegion, name: 'Traced' },
  });
  if (made.status >= 300) throw new Error(made.text);
  return { allocation: made.body.id, correlation: String(made.headers['x-request-id']) };
}
const storyFor = async (tenant: Tenant, correlation: string): Promise<Correlation> =>
  (
    await world.call('GET', `/api/v1/correlations/${correlation}`, {
      as: tenant.token,
      headers: { 'x-project-id': tenant.projectId },
    })
  ).body;
const storyForOperators = async (correlation: string): Promise<Correlation> =>
  (await world.call('GET', `/api/v1/admin/correlations/${correlation}`, { as: operator })).body;

describe('the story of a request', () => {
  it('holds the act, its event, what its node was told and the timeline, in the order of time', async () => {
    const { allocation, correlation } = await launch(acme);
    const story = await storyForOperators(correlation);
    expect(new Set(story.moments.map(({ source }) => source))).toEqual(
      new Set(['audit', 'event', 'allocation', 'task']),
    );
    const act = story.moments.find(({ source }) => source === 'audit');
    expect(act).toMatchObject({ name: 'allocation.create', state: 'success', subject_id: allocation });
    expect(story.moments.find(({ source }) => source === 'event')?.name).toBe('provisioning.requested');
    const times = story.moments.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect(story).toMatchObject({ began_at: times[0], ended_at: times.at(-1), is_whole: true });
  });

  it('holds the tasks of nodes, told and done, and names the host to operators alone', async () => {
    const allocation = await putAllocation(world.root, acme, 'provisioning');
    const correlation = systemIds.next();
    const task = systemIds.next();
    await asSystem(
      world.root,
      `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, envelope,
         correlation_id, issued_at, expires_at)
       select $1::uuid, a.node_id, a.organization_id, a.id, 'slice.vm_provision', a.generation, '{}', $2,
         '2026-01-01T00:00:00Z', '2999-01-01' from allocations a where a.id = $3`,
      [task, correlation, allocation],
    );
    for (const state of ['dispatched', 'succeeded']) {
      await asSystem(
        world.root,
        `update node_tasks set state = $2, version = version + 1, dispatched_at = '2026-01-01T00:00:01Z',
           finished_at = case when $2 = 'succeeded' then timestamptz '2026-01-01T00:00:03Z' end where id = $1`,
        [task, state],
      );
    }
    // The saga that gave the task wrote a row about the allocation; here a rename under the same id stands for it.
    const renamed = await world.call('PATCH', `/api/v1/allocations/${allocation}`, {
      as: acme.token,
      key: systemIds.next(),
      headers: { 'x-request-id': correlation },
      body: { name: 'Renamed' },
    });
    expect(renamed.status).toBe(200);
    const tasksOf = (story: Correlation) => story.moments.filter(({ source }) => source === 'task');
    const [told, done] = tasksOf(await storyForOperators(correlation));
    expect(told).toMatchObject({ name: 'slice.vm_provision', state: 'given', took_ms: null });
    expect(done).toMatchObject({ state: 'succeeded', took_ms: 2_000 });
    expect(told?.actor).toMatch(/^node /);
    const mine = tasksOf(await storyFor(acme, correlation));
    expect(mine.map(({ state }) => state)).toEqual(['given', 'succeeded']);
    expect(JSON.stringify(mine)).not.toContain('node_id');
    expect(mine.every(({ actor }) => actor === null)).toBe(true);
  });

  it('tells a tenant what happened in their project, and others nothing', async () => {
    const { correlation } = await launch(acme);
    expect((await storyFor(acme, correlation)).moments.length).toBeGreaterThan(1);
    expect((await storyFor(other, correlation)).moments).toEqual([]);
  });

  it('is empty for an id that led to nothing', async () => {
    expect(await storyForOperators('nobody-knows')).toEqual({
      correlation_id: 'nobody-knows',
      began_at: null,
      ended_at: null,
      moments: [],
      is_whole: true,
    });
  });

  it('shows what was given up', async () => {
    const correlation = systemIds.next();
    const eventId = systemIds.next();
    await asSystem(
      world.root,
      `insert into dead_letters (event_id, subject, origin, consumer, key, envelope, attempts, reason)
       values ($1, 'dlq.tenancy.project.created', 'consume', 'somebody', 'k', $2, 5, 'it failed')`,
      [eventId, { event_id: eventId, event_type: 'tenancy.project.created', correlation_id: correlation, payload: {} }],
    );
    expect((await storyForOperators(correlation)).moments).toMatchObject([
      { source: 'dead_letter', name: 'tenancy.project.created', state: 'open', actor: 'somebody' },
    ]);
  });
});
