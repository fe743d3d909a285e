import type { NodeTaskResult } from '@gpuaas/contract/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeAct, systemViewer } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { type Fleet, sliceSku, stockFleet, testRegion } from '../../allocations/testing.ts';
import { cacheImages, discover, topologyOf } from '../../inventory/testing.ts';
import { keepTopology } from '../presence/topology.ts';
import type { TaskRow } from '../tasks/tasks-store.ts';

let world: World;
let fleet: Fleet;
let home: Tenant;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  fleet = await stockFleet(world.root);
  home = await world.found('home');
  operator = await world.operator();
});
afterAll(() => world.close());
beforeEach(() => fleet.removeNodes());

const proof = { passed: true, detail: 'It is so.' };
const attestation = {
  taken_at: '2026-03-01T12:00:00.000Z',
  gpus: [],
  driver_version: '580.159.04',
  cuda_version: '13.0',
  nvidia_smi: proof,
  disk_clean: proof,
  isolation: proof,
  ssh: { reachable: true, address: '192.0.2.7', port: 22, username: 'u20001', host_key_fingerprint: 'SHA256:x' },
  durations_ms: {},
};
const policy = 'node.simulated_allowed';
const send = (method: string, path: string, as: string, body?: object) =>
  world.call(method, `/api/v1/${path}`, {
    as,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
    ...(as !== operator && { headers: { 'x-project-id': home.projectId } }),
  });
const addHost = async (simulated: boolean | undefined, schedulable: boolean) => {
  const { id } = await fleet.addNode({ schedulable });
  await cacheImages(world.root, id);
  await discover(world.root, id, topologyOf(8, simulated === undefined ? {} : { simulated }));
  return id;
};
const publish = (id: string) => send('POST', `admin/nodes/${id}/publish`, operator, {});
const allow = (value: boolean) =>
  send('PUT', `admin/policies/${policy}`, operator, { level: 'global', value, reason: 'a test' });

describe('a simulated host', () => {
  it('is published only where a policy allows it, and is refused with the reason', async () => {
    const id = await addHost(true, false);
    const refused = await publish(id);
    expect(refused).toMatchObject({ status: 409, body: { code: 'node_not_ready' } });
    expect(refused.body.details.missing).toEqual([expect.stringContaining(policy)]);
    const shown = (await send('GET', `admin/nodes/${id}`, operator)).body;
    expect(shown).toMatchObject({ simulated: true });
    // What is shown beside the action is what the operation refuses with.
    expect(shown.actions.find(({ action }: { action: string }) => action === 'publish')).toEqual({
      ...{ action: 'publish', allowed: false, why_not: refused.body.details.missing[0] },
    });
    await allow(true);
    try {
      const offered = async () =>
        (await send('GET', `admin/nodes/${id}`, operator)).body.actions.find(
          ({ action }: { action: string }) => action === 'publish',
        );
      await expect.poll(offered).toMatchObject({ allowed: true });
      await expect.poll(async () => (await publish(id)).body).toMatchObject({ schedulable: true, simulated: true });
    } finally {
      await allow(false);
    }
  });

  it('is not offered any more when the policy is turned off, and what runs on it goes on', async () => {
    const id = await addHost(true, true);
    const ask = () => send('POST', 'allocations', home.token, { sku: sliceSku, gpus: 1, region: testRegion });
    const sellable = async () => (await send('GET', `admin/nodes/${id}`, operator)).body.sellable_slots;
    await allow(true);
    const made = await ask();
    expect(made.status, made.text).toBe(201);
    expect(await sellable()).toBe(7);
    await allow(false);
    expect((await ask()).body).toMatchObject({ code: 'sku_unavailable' });
    expect(await sellable()).toBe(0);
    expect((await send('GET', `allocations/${made.body.id}`, home.token)).body).toMatchObject({
      ...{ state: 'provisioning', over: false },
    });
    await allow(true);
    try {
      expect((await ask()).status).toBe(201);
    } finally {
      await allow(false);
    }
  });

  it.each([false, undefined])('is not one that says %s', async (simulated) => {
    const id = await addHost(simulated, false);
    const published = await publish(id);
    expect(published.body, published.text).toMatchObject({ schedulable: true, simulated: simulated ?? null });
  });

  it('that was published as a real one takes no more work once it says so', async () => {
    const id = await addHost(undefined, true);
    const keep = async (simulated: boolean) => {
      const act = makeAct(systemViewer('nodes', { correlationId: 'c' }), 'node.test', systemIds.next());
      const task = { task_type: 'slice.topology_discover', node_id: id } as TaskRow;
      const output = { topology: topologyOf(8, { simulated }) };
      await world.database.database.write(act, async (tx) => {
        await keepTopology(tx, task, { outcome: 'succeeded', output } as unknown as NodeTaskResult);
        return tx.commit(undefined, { target: { type: 'node', id }, events: 'none' });
      });
      return (await send('GET', `admin/nodes/${id}`, operator)).body;
    };
    expect(await keep(false)).toMatchObject({ simulated: false, schedulable: true, cordon_reason: null });
    const now = await keep(true);
    expect(now).toMatchObject({ simulated: true, schedulable: false });
    expect(now.cordon_reason).toContain('simulated');
  });
});

describe('an allocation', () => {
  it.each([true, false])(
    'on a host that is simulated: %s says so, with its receipt and its events',
    async (simulated) => {
      await addHost(simulated, true);
      await allow(simulated);
      const made = await send('POST', 'allocations', home.token, { sku: sliceSku, gpus: 1, region: testRegion });
      expect(made.body, made.text).toMatchObject({ simulated });
      const { id } = made.body;
      await asSystem(
        world.root,
        `insert into readiness_attestations (id, allocation_id, organization_id, node_id, task_id, generation, passed, problems,
         document, signed_result, taken_at)
       select $1, a.id, a.organization_id, a.node_id, t.id, a.generation, true, '{}', $3, '{}', now()
       from allocations a join node_tasks t on t.allocation_id = a.id where a.id = $2`,
        [systemIds.next(), id, { ...attestation, allocation_id: id, simulated }],
      );
      const found = await send('GET', `allocations/${id}`, home.token);
      expect(found.body, found.text).toMatchObject({ simulated, receipt: { simulated } });
      const receipts = await send('GET', `allocations/${id}/attestations`, home.token);
      expect(receipts.body.data, receipts.text).toMatchObject([{ simulated }]);
      for (const order of ['newest', 'oldest']) {
        const list = await send('GET', `allocations?order=${order}`, home.token);
        expect(list.body.data, list.text).toMatchObject([{ id, simulated }]);
      }
      const released = await send('POST', `allocations/${id}/release`, home.token, {});
      expect(released.body, released.text).toMatchObject({ simulated });
      const { rows } = await world.root.query(
        `select distinct envelope -> 'payload' -> 'simulated' as said from outbox_events where key = $1`,
        [id],
      );
      expect(rows).toEqual([{ said: simulated }]);
    },
  );
});
