import type { NodeTaskResult } from '@gpuaas/contract/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeAct, systemViewer } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { openWorld, type World } from '../../../testing/world.ts';
import { type Fleet, stockFleet } from '../../allocations/testing.ts';
import { cacheImages, discover, topologyOf } from '../../inventory/testing.ts';
import { keepTopology } from '../presence/topology.ts';
import type { TaskRow } from '../tasks/tasks-store.ts';

let world: World;
let fleet: Fleet;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  fleet = await stockFleet(world.root);
  operator = await world.operator();
});
afterAll(() => world.close());
beforeEach(() => fleet.removeNodes());

const slices = (able: boolean) => ({
  capabilities: [
    { ability: 'slices' as const, able, why_not: able ? null : 'The IOMMU is off.' },
    { ability: 'oci' as const, able: true, why_not: null },
  ],
});
const call = (method: string, path: string) =>
  world.call(method, `/api/v1/admin/nodes/${path}`, {
    as: operator,
    ...(method !== 'GET' && { key: systemIds.next(), body: {} }),
  });
const addHost = async (topology: object, schedulable = false) => {
  const { id } = await fleet.addNode({ schedulable });
  await cacheImages(world.root, id);
  await discover(world.root, id, topologyOf(8, topology));
  return id;
};

describe('a host that is sold in slices', () => {
  it('is published when it says that it can make them, or has an older agent that does not say', async () => {
    const able = await addHost(slices(true));
    expect((await call('POST', `${able}/publish`)).body).toMatchObject({
      ...{ schedulable: true, abilities: ['slices', 'oci'] },
    });
    const older = await addHost({});
    expect((await call('POST', `${older}/publish`)).body).toMatchObject({ schedulable: true, abilities: null });
  });

  it('is neither published nor approved when it says that it cannot', async () => {
    for (const topology of [slices(false), { capabilities: [] }]) {
      const id = await addHost(topology);
      const refused = await call('POST', `${id}/publish`);
      expect(refused).toMatchObject({ status: 409, body: { code: 'node_not_ready' } });
      expect(refused.body.details.missing).toEqual([expect.stringContaining('cannot make slices')]);
      const unapproved = await call('POST', `${id}/slots/approve`);
      expect(unapproved).toMatchObject({ status: 409, body: { code: 'slots_blocked' } });
    }
  });

  it('takes no more work once it says that it cannot any more', async () => {
    const id = await addHost(slices(true), true);
    const keep = async (topology: object) => {
      const act = makeAct(systemViewer('nodes', { correlationId: 'c' }), 'node.test', systemIds.next());
      const task = { task_type: 'slice.topology_discover', node_id: id } as TaskRow;
      const output = { topology: topologyOf(8, topology) };
      await world.database.database.write(act, async (tx) => {
        await keepTopology(tx, task, { outcome: 'succeeded', output } as unknown as NodeTaskResult);
        return tx.commit(undefined, { target: { type: 'node', id }, events: 'none' });
      });
      return (await call('GET', id)).body;
    };
    expect(await keep(slices(true))).toMatchObject({ schedulable: true, cordon_reason: null });
    const now = await keep(slices(false));
    expect(now).toMatchObject({ schedulable: false, abilities: ['oci'] });
    expect(now.cordon_reason).toContain('cannot make slices');
  });
});
