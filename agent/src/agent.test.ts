import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { knownTasksHeader } from '@gpuaas/contract/node';
import { afterEach, describe, expect, it } from 'vitest';
import { resultOf } from './testing/control-plane.ts';
import { installKeys, provisionSlice, releaseSlice } from './testing/params.ts';
import { type AgentWorld, makeAgentWorld } from './testing/world.ts';

const worlds: AgentWorld[] = [];
const makeWorld = async (given?: Parameters<typeof makeAgentWorld>[0]) => {
  const world = await makeAgentWorld(given);
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

describe('a node agent', () => {
  it('enrols, says that it is there, runs a task and posts a result that it signed', async () => {
    const { plane, host, open } = await makeWorld();
    const agent = await open();
    await agent.connected;
    const task = plane.signer.task({ nodeId: plane.nodeId });
    plane.give(task);
    await plane.until(() => resultOf(plane, task) !== undefined);

    expect(agent.nodeId).toBe(plane.nodeId);
    expect(resultOf(plane, task)).toMatchObject({
      outcome: 'succeeded',
      task_type: 'diag.health_probe',
      generation: 1,
      output: { healthy: true },
    });
    expect(host.calls.map(({ method }) => method)).toEqual(['health']);
    expect(plane.seen.heartbeats[0]).toMatchObject({ agent_version: '1.0.0-test', leases: [], running_tasks: [] });
  });

  it('says which tasks it has when it asks for the first time and after its line broke, and not otherwise', async () => {
    const { plane, open } = await makeWorld();
    const asked: (string | undefined)[] = [];
    let breaks = true;
    plane.interfere = (kind, request) => {
      if (kind !== 'wait') return undefined;
      asked.push(request.headers[knownTasksHeader] as string | undefined);
      if (asked.length !== 3 || !breaks) return undefined;
      breaks = false;
      return 'drop';
    };
    const agent = await open();
    await agent.connected;
    const foreign = plane.signer.task({ nodeId: randomUUID() });
    // Refused: nothing is left to make up for, and the next question says nothing.
    plane.give(foreign);
    await plane.until(() => asked.length >= 2);
    const task = plane.signer.task({ nodeId: plane.nodeId });
    plane.give(task);
    await plane.until(() => asked.length >= 4 && resultOf(plane, task) !== undefined);
    expect(asked.slice(0, 2)).toEqual(['', undefined]);
    expect(asked[3]).toBeDefined();
  }, 20_000);

  it('keeps its keys where only their owner can read them', async () => {
    const { stateDir, open } = await makeWorld();
    await open();
    for (const name of ['identity.json', 'result.key', 'https-ca.pem', 'node-ca.pem', 'signers.json']) {
      const { mode } = await stat(join(stateDir, name));
      expect(`${name} ${(mode & 0o777).toString(8)}`).toBe(`${name} 600`);
    }
  });

  it('makes a slice, gives it new keys and takes it down, one after the other', async () => {
    const { plane, host, open } = await makeWorld();
    const agent = await open();
    await agent.connected;
    const [allocationId, slotId] = [randomUUID(), randomUUID()];
    const of = { allocationId, slotIds: [slotId] };
    const give = (
      type: 'slice.vm_provision' | 'allocation.install_authorized_keys' | 'slice.vm_release',
      params: object,
    ) => {
      const task = plane.signer.task({ nodeId: plane.nodeId, type, params, generation: 3 });
      plane.give(task);
      return task;
    };
    const tasks = [
      give('slice.vm_provision', provisionSlice(of)),
      give('allocation.install_authorized_keys', installKeys(allocationId)),
    ];
    await plane.until(() => plane.seen.results.length === 2);
    expect(agent.status().leases).toBe(1);
    tasks.push(give('slice.vm_release', releaseSlice(of)));
    await plane.until(() => plane.seen.results.length === 3);
    expect(tasks.map((task) => resultOf(plane, task)?.outcome)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(host.calls.map(({ method, generation }) => `${method} ${generation}`)).toEqual([
      'provisionSlice 3',
      'installKeys 3',
      'releaseSlice 3',
    ]);
    expect(agent.status().leases).toBe(0);
  });
});
