import type { PolicyKey } from '@gpuaas/contract';
import { policies as definitions } from '@gpuaas/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeCapacityIndex } from './placement/capacity-index.ts';
import { makePlacer } from './placement/place.ts';
import { makeQueue } from './queue.ts';
import { type Fleet, sliceSku, stockFleet, testRegion } from './testing.ts';

let world: World;
let fleet: Fleet;
let rich: Tenant;
let poor: Tenant;
let ahead = 0;
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
beforeAll(async () => {
  world = await openWorld({ clock });
  fleet = await stockFleet(world.root);
  rich = await world.found('rich');
  poor = await world.found('poor');
});
afterAll(() => world.close());
beforeEach(async () => {
  ahead = 0;
  await fleet.removeNodes();
});

const value = (key: PolicyKey) => definitions.find((each) => each.key === key)?.default as never;
const queue = () =>
  makeQueue({
    ...{ db: world.database.database, begin: actsOf('queue', systemIds), ids: systemIds, clock },
    policies: { value, number: value },
    placer: makePlacer({
      index: makeCapacityIndex(),
      ...{ lostAfterSeconds: () => 1_000_000, candidates: () => 8, maxRepicks: () => 8 },
    }),
  });
const round = () => queue().round(new AbortController().signal);
const ask = async (tenant: Tenant, gpus: number, maxWait = 86_400) => {
  const made = await world.call('POST', '/api/v1/allocations', {
    as: tenant.token,
    key: systemIds.next(),
    body: { sku: sliceSku, gpus, region: testRegion, queue: { max_wait_seconds: maxWait } },
    headers: { 'x-project-id': tenant.projectId },
  });
  expect(made.status, made.text).toBe(201);
  return made.body as { id: string; placement_status: string };
};
const look = async (tenant: Tenant, id: string) =>
  (await world.call('GET', `/api/v1/allocations/${id}`, { as: tenant.token })).body;
const give = (tenant: Tenant, id: string) =>
  world.call('POST', `/api/v1/allocations/${id}/release`, { as: tenant.token, key: systemIds.next(), body: {} });

describe('the queue', () => {
  it('shows a position and a reason, and gives what came free', async () => {
    await fleet.addNode({ groups: [1] });
    const held = await ask(rich, 1);
    expect(held.placement_status).toBe('reserved');
    const waiting = await ask(poor, 1);
    expect(await look(poor, waiting.id)).toMatchObject({
      ...{ state: 'requested', placement_status: 'queued' },
      queue: { position: 1, reason: expect.stringContaining('is not available now') },
    });
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({ placement_status: 'queued' });
    await give(rich, held.id);
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({ placement_status: 'reserved', queue: null, version: 2 });
    const { rows } = await world.root.query(
      `select envelope ->> 'event_type' as type from outbox_events where key = $1 order by event_id`,
      [waiting.id],
    );
    expect(rows.map(({ type }) => type)).toEqual(['provisioning.queued', 'provisioning.requested']);
  });

  it('serves an organization that has nothing before one that has much', async () => {
    await fleet.addNode({ groups: [2] });
    const held = [await ask(rich, 1), await ask(rich, 1)];
    const first = await ask(rich, 1);
    const second = await ask(poor, 1);
    expect((await look(poor, second.id)).queue.position).toBe(1);
    expect((await look(rich, first.id)).queue.position).toBe(2);
    await give(rich, held[0]?.id ?? '');
    await round();
    expect(await look(poor, second.id)).toMatchObject({ placement_status: 'reserved' });
    expect(await look(rich, first.id)).toMatchObject({ placement_status: 'queued' });
  });

  it('lets whoever has waited long enough go first, and keeps others from overtaking', async () => {
    await fleet.addNode({ groups: [4] });
    const held = [await ask(rich, 2), await ask(rich, 2)];
    const old = await ask(rich, 4);
    ahead = 12 * 3_600_000;
    await world.root.query('update node_reports set reported_at = $1', [clock.now()]);
    const young = await ask(poor, 2, 86_400);
    expect((await look(rich, old.id)).queue.position).toBe(1);
    await give(rich, held[0]?.id ?? '');
    await round();
    // Two are free and would do for the young one; they are kept for the old one.
    expect(await look(poor, young.id)).toMatchObject({ placement_status: 'queued' });
    await give(rich, held[1]?.id ?? '');
    await round();
    expect(await look(rich, old.id)).toMatchObject({ placement_status: 'reserved' });
    expect(await look(poor, young.id)).toMatchObject({ placement_status: 'queued' });
  });

  it('gives up with a reason when the time is over', async () => {
    const waiting = await ask(poor, 1, 60);
    ahead = 61_000;
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({
      ...{ state: 'failed', placement_status: 'freed', queue: null },
      failure: { code: 'queue_timeout' },
    });
  });

  it('forgets whoever leaves it', async () => {
    const waiting = await ask(poor, 1);
    expect((await give(poor, waiting.id)).body).toMatchObject({ state: 'released' });
    await fleet.addNode();
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({ state: 'released' });
  });
});
