import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ordersFor } from '../../../../../agent/src/host/conformance-rig.ts';
import {
  openTestControlPlane,
  resultOf,
  type TestControlPlane,
} from '../../../../../agent/src/testing/control-plane.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { connectFleet } from '../../api/simulator-desk.ts';
import { openFleetDesk } from './fleet-desk.ts';
import { type LocalFleet, openSimulatedFleet } from './simulated-fleet.ts';

const plan = [{ name: 'local-slice-1', region: 'local', sku: 'h200-sxm-slice', model: 'H200' }] as const;
const allocationId = '0191b2c4-0000-7000-8000-000000000001';
const login = { username: 'ada', uid: 20_001, gid: 20_001 };

let folder: string;
let plane: TestControlPlane;
let fleet: LocalFleet;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-fleet-'));
  plane = await openTestControlPlane();
  fleet = await open();
  await fleet.grow(plan);
  await fleet.members[0]?.startAgent({ token: plane.issueToken(), caFingerprint: plane.authority.fingerprint });
});
afterEach(async () => {
  await fleet.close();
  await plane.close();
  await rm(folder, { recursive: true, force: true });
});
const open = () => openSimulatedFleet({ folder, pace: { speed: 100_000 }, doorUrl: plane.url, log: silentLog });
const reopen = async () => {
  await fleet.close();
  fleet = await open();
};

/** A slice, ordered by a signed task and proven by a signed result. */
async function provision() {
  const host = fleet.members[0]?.host;
  if (!host) throw new Error('The fleet is empty.');
  const orders = await ordersFor(host, login);
  const params = orders.slice(allocationId, [0, 1]);
  const task = plane.signer.task({ nodeId: plane.nodeId, type: 'slice.vm_provision', params, generation: 4 });
  plane.give(task);
  await plane.until(() => resultOf(plane, task) !== undefined);
  return resultOf(plane, task);
}

describe('a simulated fleet', () => {
  it('has agents that enrol, obey signed tasks and sign what came of them', async () => {
    const result = await provision();
    expect(result).toMatchObject({ outcome: 'succeeded', generation: 4 });
    expect(result?.output).toMatchObject({
      attestation: { allocation_id: allocationId, isolation: { passed: true }, ssh: { reachable: true } },
    });
    expect((await fleet.look()).nodes).toMatchObject([
      { node_id: plane.nodeId, name: 'local-slice-1', agent: 'running', running: [allocationId] },
    ]);
  });

  it('is the same after a restart, with what ran on it', async () => {
    await provision();
    await reopen();
    expect(fleet.members.map((member) => member.plan)).toEqual(plan);
    await fleet.grow(plan);
    expect(fleet.members).toHaveLength(1);
    const agent = await fleet.members[0]?.startAgent();
    expect(agent?.nodeId).toBe(plane.nodeId);
    expect(agent?.status().leases).toBe(1);
    expect((await fleet.look()).nodes).toMatchObject([{ running: [allocationId] }]);
    expect(plane.seen.enrolments).toHaveLength(1);
  });

  it('loses an agent when told to, also over a restart, and gets it back', async () => {
    const order = { nodeId: plane.nodeId, kind: 'switch_agent' } as const;
    expect(await fleet.order({ ...order, state: 'stopped' })).toMatchObject({
      agent: 'stopped',
      faults: [{ fault: 'agent_lost' }],
    });
    await reopen();
    expect(await fleet.members[0]?.startAgent()).toBeUndefined();
    expect((await fleet.look()).nodes).toMatchObject([{ node_id: plane.nodeId, agent: 'stopped' }]);
    expect(await fleet.order({ ...order, state: 'running' })).toMatchObject({ agent: 'running', faults: [] });
  });

  it('takes orders at its desk, from whoever knows the address', async () => {
    const desk = await openFleetDesk(60, silentLog);
    try {
      const panel = connectFleet(desk.address);
      expect(await panel.look()).toEqual({ speed: 60, nodes: [] });
      desk.attend(fleet);
      const fault = { kind: 'set_fault', fault: 'disk_full', once: true, slotIndex: 0 } as const;
      expect(await panel.order({ ...fault, nodeId: plane.nodeId })).toMatchObject({ faults: [{ fault: 'disk_full' }] });
      expect(await provision()).toMatchObject({ outcome: 'failed', failure: { code: 'disk_full' } });
      expect(await panel.order({ ...fault, nodeId: allocationId })).toBeUndefined();
      await panel.setSpeed(7);
      expect((await panel.look()).speed).toBe(7);
      expect((await fetch(new URL('/', desk.address))).status).toBe(404);
    } finally {
      await desk.close();
    }
  });
});
