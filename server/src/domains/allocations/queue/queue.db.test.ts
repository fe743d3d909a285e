import type { PolicyKey } from '@gpuaas/contract';
import { policies as definitions } from '@gpuaas/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { makeTasks } from '../../nodes/index.ts';
import { type Fleet, metalSku, type NodePlan, sliceSku, stockFleet, testRegion } from '../testing.ts';
import { makeQueue } from './queue.ts';

let world: World;
let worker: DatabasePort;
let fleet: Fleet;
let rich: Tenant;
let poor: Tenant;
let ahead = 0;
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
beforeAll(async () => {
  world = await openWorld({ clock });
  // The queue runs in the worker, with its rights.
  worker = await openPostgres({
    ...{ url: world.schema.as('gpuaas_worker'), clock, ids: systemIds, log: silentLog, name: 'worker', poolSize: 4 },
  });
  fleet = await stockFleet(world.root);
  rich = await world.found('rich');
  poor = await world.found('poor');
});
afterAll(async () => {
  await worker.close();
  await world.close();
});
beforeEach(async () => {
  await fleet.removeNodes();
});

const value = (key: PolicyKey) => definitions.find((each) => each.key === key)?.default as never;
const signer = {
  sign: (task: object) => ({ ...task, signer_version_id: systemIds.next(), signature: 'test' }) as never,
};
const queue = () =>
  makeQueue({
    tasks: makeTasks({ ids: systemIds, clock, signer }),
    ...{ log: silentLog, metrics: makeMetrics('test', '0.0.0') },
    ...{ db: worker.database, begin: actsOf('queue', systemIds), ids: systemIds, clock },
    policies: { value, number: value },
  });
/** A host that has just reported. Time only goes forward, from one test to the next. */
const addNode = (plan: NodePlan = {}) => fleet.addNode({ ...plan, reportedAt: clock.now() });
const round = () => queue().round(new AbortController().signal);
const attempt = (tenant: Tenant, body: object) =>
  world.call('POST', '/api/v1/allocations', {
    as: tenant.token,
    key: systemIds.next(),
    body: { sku: sliceSku, region: testRegion, ...body },
    headers: { 'x-project-id': tenant.projectId },
  });
const ask = async (tenant: Tenant, gpus: number, maxWait = 86_400, more: object = {}) => {
  const made = await attempt(tenant, { gpus, queue: { max_wait_seconds: maxWait }, ...more });
  expect(made.status, made.text).toBe(201);
  return made.body as { id: string; placement_status: string };
};
const look = async (tenant: Tenant, id: string) => {
  const found = await world.call('GET', `/api/v1/allocations/${id}`, { as: tenant.token });
  expect(found.status, found.text).toBe(200);
  return found.body;
};
const give = (tenant: Tenant, id: string) =>
  world.call('POST', `/api/v1/allocations/${id}/release`, { as: tenant.token, key: systemIds.next(), body: {} });

describe('the queue', () => {
  it('shows a position and a reason, and gives what came free', async () => {
    await addNode({ groups: [1] });
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
    const placed = await look(poor, waiting.id);
    expect(placed).toMatchObject({ state: 'provisioning', placement_status: 'reserved', queue: null, version: 3 });
    const { rows } = await world.root.query(
      `select envelope ->> 'event_type' as type, envelope #>> '{payload,version}' as version from outbox_events
       where key = $1 order by event_id`,
      [waiting.id],
    );
    expect(rows).toEqual([
      { type: 'provisioning.queued', version: '1' },
      { type: 'provisioning.requested', version: '3' },
    ]);
  });

  it('asks the node in the transaction that gives a request its slots: no saga is needed for the task', async () => {
    await addNode({ groups: [1] });
    const held = await ask(rich, 1);
    const waiting = await ask(poor, 1);
    await give(rich, held.id);
    await round();
    const { rows } = await world.root.query(
      `select t.task_type, t.state, t.saga_token, t.generation = a.generation as of_lease, t.node_id = a.node_id as of_node
       from node_tasks t join allocations a on a.id = t.allocation_id where a.id = $1`,
      [waiting.id],
    );
    expect(rows).toEqual([
      { task_type: 'slice.vm_provision', state: 'queued', saga_token: null, of_lease: true, of_node: true },
    ]);
  });

  it('serves an organization that has nothing before one that has much', async () => {
    await addNode({ groups: [2] });
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
    await addNode({ groups: [4] });
    const held = [await ask(rich, 2), await ask(rich, 2)];
    const old = await ask(rich, 4);
    ahead += 12 * 3_600_000;
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

  it('keeps the GPUs that somebody waits for from being held longer, and nothing else', async () => {
    await addNode({ groups: [2] });
    const active = async (tenant: Tenant, seconds: number) => {
      const { id } = await ask(tenant, 1, 86_400, { max_duration_seconds: seconds });
      for (const state of ['provisioning', 'active']) {
        await asSystem(
          world.root,
          `update allocations set state = $2, version = version + 1, active_at = $3, expires_at = $4
           where id = $1 and state <> $2`,
          [id, state, clock.now(), new Date(clock.now().getTime() + seconds * 1_000)],
        );
      }
      await asSystem(world.root, `update slots set state = 'in_use', version = version + 1 where allocation_id = $1`, [
        id,
      ]);
      return id;
    };
    const extend = (tenant: Tenant, id: string) =>
      world.call('POST', `/api/v1/allocations/${id}/extend`, {
        ...{ as: tenant.token, key: systemIds.next(), body: { seconds: 86_400 } },
      });
    const [soon, later] = [await active(rich, 36_000), await active(rich, 72_000)];
    const waiting = await ask(poor, 1);
    // It has waited long enough to have a host reserved, and would start when the first of them ends.
    ahead += 2 * 3_600_000;
    await world.root.query('update node_reports set reported_at = $1', [clock.now()]);
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({ queue: { host_reserved: true } });
    const refused = await extend(rich, soon);
    expect(refused.body, refused.text).toMatchObject({ code: 'duration_invalid' });
    expect(refused.body.message).toContain('Another request waits for its GPUs');
    // The other one is not in the way.
    expect((await extend(rich, later)).status).toBe(200);
    await give(poor, waiting.id);
    await round();
    expect((await extend(rich, soon)).status).toBe(200);
  });

  it('gives nothing new to whoever has too much being cleaned up', async () => {
    await addNode({ groups: [4] });
    const most = 50;
    const { rows } = await world.root.query('select id from nodes limit 1');
    await asSystem(
      world.root,
      `insert into allocations (id, organization_id, project_id, name, requested_by, state, placement_status, sku,
         capacity_shape, gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model, ended_at)
       select gen_random_uuid(), a.organization_id, a.project_id, 'gone', a.requested_by, 'requested', 'reserved', a.sku,
         a.capacity_shape, 1, a.region, 450, 'USD', $2, 1, 'user-revoke', now()
       from allocations a, generate_series(1, $3) where a.id = $1`,
      [(await ask(poor, 1)).id, rows[0].id, most],
    );
    for (const state of ['provisioning', 'releasing']) {
      await asSystem(world.root, `update allocations set state = $1, version = version + 1 where name = 'gone'`, [
        state,
      ]);
    }
    const refused = await attempt(poor, { gpus: 1 });
    expect(refused.body, refused.text).toMatchObject({
      ...{
        code: 'allocation_concurrency_limit',
        details: { leaving: most, policy: 'allocation.max_leaving_per_user' },
      },
    });
    expect((await attempt(rich, { gpus: 1 })).status).toBe(201);
  });

  it('gives up with a reason when the time is over', async () => {
    const waiting = await ask(poor, 1, 60);
    ahead += 61_000;
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({
      ...{ state: 'failed', placement_status: 'freed', queue: null },
      failure: { code: 'queue_timeout' },
      failed_phase: 'placed',
    });
  });

  it('forgets whoever leaves it', async () => {
    const waiting = await ask(poor, 1);
    expect((await give(poor, waiting.id)).body).toMatchObject({ state: 'released' });
    await addNode();
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({ state: 'released' });
  });

  it('keeps what came free for those who wait, whoever else asks for it', async () => {
    await addNode({ groups: [1] });
    const held = await ask(rich, 1);
    const waiting = await ask(poor, 1);
    await give(rich, held.id);
    const refused = await attempt(rich, { gpus: 1 });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'sku_unavailable', message: expect.stringContaining('waited longer') });
    const behind = await ask(rich, 1);
    expect(behind.placement_status).toBe('queued');
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({ placement_status: 'reserved' });
  });

  it('gives what comes free to who waits, however many newcomers reach for it at once', async () => {
    await addNode({ groups: [2] });
    const held = [await ask(rich, 1), await ask(rich, 1)];
    const waiting = await ask(poor, 2);
    await Promise.all(held.map(({ id }) => give(rich, id)));
    const [, ...newcomers] = await Promise.all([
      round(),
      ...Array.from({ length: 12 }, () => attempt(rich, { gpus: 1 })),
    ]);
    expect(newcomers.map(({ status }) => status)).toEqual(newcomers.map(() => 409));
    expect(await look(poor, waiting.id)).toMatchObject({ placement_status: 'reserved' });
  });

  it('lets nobody wait for another SKU behind fifty requests that no host could hold', async () => {
    await addNode({ groups: [1] });
    const never = { sku: metalSku, gpus: 8 };
    const first = await ask(rich, 8, 86_400, never);
    await world.root.query(
      `set session_replication_role = replica;
       insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku, capacity_shape,
         gpu_count, region, unit_price_minor, currency, isolation_model, queue_deadline_at, created_at)
       select gen_random_uuid(), organization_id, project_id, name, 'somebody else', placement_status, sku, capacity_shape,
         gpu_count, region, unit_price_minor, currency, isolation_model, queue_deadline_at, created_at
       from allocations, generate_series(1, 60) where id = '${first.id}';
       set session_replication_role = origin`,
    );
    const held = await ask(rich, 1);
    const waiting = await ask(poor, 1);
    await give(rich, held.id);
    await round();
    expect(await look(poor, waiting.id)).toMatchObject({ placement_status: 'reserved' });
  });

  it('reserves a host for the oldest, says when it should start, and lets only what ends before use it', async () => {
    const { id: node } = await addNode({ groups: [4] });
    const held = await ask(rich, 2, 86_400, { max_duration_seconds: 40_000 });
    const old = await ask(poor, 4);
    ahead += 2 * 3_600_000;
    await world.root.query('update node_reports set reported_at = $1', [clock.now()]);
    await round();
    const { queue: seen } = await look(poor, old.id);
    expect(seen).toMatchObject({ position: 1, host_reserved: true, reason: expect.stringContaining('reserved') });
    expect(new Date(seen.expected_start_at).getTime()).toBeGreaterThan(clock.now().getTime());
    const { rows } = await world.root.query('select allocation_id, node_id from queue_reservations');
    expect(rows).toEqual([{ allocation_id: old.id, node_id: node }]);
    expect((await attempt(rich, { gpus: 1 })).status).toBe(409);
    expect((await attempt(rich, { gpus: 1, max_duration_seconds: 80_000 })).status).toBe(409);
    const between = await attempt(rich, { gpus: 1, max_duration_seconds: 3_600 });
    expect(between.body).toMatchObject({ placement_status: 'reserved' });
    await Promise.all([held.id, between.body.id].map((id) => give(rich, id)));
    await round();
    expect(await look(poor, old.id)).toMatchObject({ placement_status: 'reserved', queue: null });
    expect((await world.root.query('select from queue_reservations')).rowCount).toBe(0);
    const told = await world.call('GET', `/api/v1/allocations/${old.id}/timeline`, { as: poor.token });
    expect(told.body.data.map(({ name }: { name: string }) => name)).toContain('host_reserved');
  });

  it('reserves the GPUs that the oldest needs, and leaves the others of the host to everybody', async () => {
    const { id: node } = await addNode({ groups: [2, 2] });
    const ending = await ask(rich, 2, 86_400, { max_duration_seconds: 40_000 });
    const [endless] = [await ask(rich, 1), await ask(rich, 1)];
    const old = await ask(poor, 2);
    ahead += 2 * 3_600_000;
    await world.root.query('update node_reports set reported_at = $1', [clock.now()]);
    await round();
    const { rows } = await world.root.query(
      `select r.node_id, array(select s.allocation_id from slots s where s.id = any (r.slot_ids)) as under
       from queue_reservations r`,
    );
    expect(rows).toEqual([{ node_id: node, under: [ending.id, ending.id] }]);
    // One GPU beside them comes free: it is too little for the oldest, and anybody may have it, also without an end.
    await give(rich, endless?.id ?? '');
    await round();
    const newcomer = await attempt(rich, { gpus: 1 });
    expect(newcomer.body, newcomer.text).toMatchObject({ placement_status: 'reserved' });
    // Those that it waits for are kept for it.
    await world.root.query(
      `set session_replication_role = replica; update slots set state = 'available', allocation_id = null
         where id = (select slot_ids[1] from queue_reservations);
       set session_replication_role = origin`,
    );
    expect((await attempt(rich, { gpus: 1 })).body).toMatchObject({
      ...{ code: 'sku_unavailable', message: expect.stringContaining('waited longer') },
    });
    expect(await look(poor, old.id)).toMatchObject({ queue: { host_reserved: true } });
  });

  it('moves a reservation whose host is taken out of service, and has one of a host although two look at once', async () => {
    const { id: first } = await addNode({ groups: [2] });
    await ask(rich, 2);
    const old = await ask(poor, 2);
    ahead += 2 * 3_600_000;
    const reported = () => world.root.query('update node_reports set reported_at = $1', [clock.now()]);
    await reported();
    await Promise.all([round(), round(), round()]);
    const hosts = async () => (await world.root.query('select node_id from queue_reservations')).rows;
    expect(await hosts()).toEqual([{ node_id: first }]);
    const { id: second } = await addNode({ groups: [2] });
    await reported();
    await world.root.query(
      `set session_replication_role = replica; update nodes set schedulable = false where id = '${first}';
       update slots set state = 'in_use', allocation_id = '${old.id}' where node_id = '${second}';
       set session_replication_role = origin`,
    );
    await round();
    expect(await hosts()).toEqual([{ node_id: second }]);
  });
});
