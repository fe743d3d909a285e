import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { NodeAgent } from './agent.ts';
import type { Checkpoint } from './tasks/executor.ts';
import { resultOf } from './testing/control-plane.ts';
import { provisionSlice, releaseSlice } from './testing/params.ts';
import { type AgentWorld, makeAgentWorld } from './testing/world.ts';

const worlds: AgentWorld[] = [];
const makeWorld = async () => {
  const world = await makeAgentWorld();
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Resolves when the process gets to `point`, and lets it get no further: what follows is as if it had been killed. */
function killAt(point: Checkpoint) {
  let reached: () => void = () => undefined;
  const there = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const checkpoint = (name: Checkpoint) => {
    if (name !== point) return undefined;
    reached();
    return new Promise<void>(() => undefined);
  };
  return { there, checkpoint };
}

describe('an agent that is killed', () => {
  const order = () => {
    const of = { allocationId: randomUUID(), slotIds: [randomUUID(), randomUUID()] };
    return { of, params: provisionSlice(of) };
  };

  it.each([
    // Before it is written down a task was never here: the control plane hands it out again.
    { point: 'arrived', calls: 1, handedOutAgain: true },
    { point: 'accepted', calls: 1, handedOutAgain: false },
    { point: 'running', calls: 1, handedOutAgain: false },
    // The host had done it; the same method is called again, and finds that.
    { point: 'worked', calls: 2, handedOutAgain: false },
    { point: 'done', calls: 1, handedOutAgain: false },
  ] as const)(
    '$point: finishes the task after the restart, with one result and one lease',
    async ({ point, calls, handedOutAgain }) => {
      const world = await makeWorld();
      const { plane, host } = world;
      const { of, params } = order();
      const task = plane.signer.task({ nodeId: plane.nodeId, type: 'slice.vm_provision', params, generation: 7 });
      const { there, checkpoint } = killAt(point);
      const first = await world.open({ checkpoint });
      plane.give(task);
      await there;
      await world.abandon(first);
      expect(plane.seen.results).toEqual([]);

      const second = await world.open();
      if (handedOutAgain) plane.give(task);
      await plane.until(() => plane.seen.results.length > 0);
      await untilAcknowledged(second);
      // A control plane that does not know hands it out once more, and hears the same again.
      plane.give(task);
      await plane.until(() => plane.seen.results.length > 1);
      expect(plane.seen.results.map(({ task_id, outcome }) => ({ task_id, outcome }))).toEqual([
        { task_id: task.task_id, outcome: 'succeeded' },
        { task_id: task.task_id, outcome: 'succeeded' },
      ]);
      expect(new Set(plane.seen.results.map(({ signature }) => signature)).size).toBe(1);
      expect(host.calls.map(({ method, generation }) => `${method} ${generation}`)).toEqual(
        Array(calls).fill('provisionSlice 7'),
      );
      expect(second.status().leases).toBe(1);
      await second.close();
      expect((await readdir(join(world.stateDir, 'leases'))).sort()).toEqual(
        of.slotIds.map((id) => `${id}.json`).sort(),
      );
    },
  );

  it('in the middle of the host’s work: calls the same method again with the same params', async () => {
    const world = await makeWorld();
    const { plane, host } = world;
    const { params } = order();
    let begun: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => {
      begun = resolve;
    });
    host.onCall = () => {
      begun();
      return new Promise<void>(() => undefined);
    };
    const first = await world.open();
    plane.give(plane.signer.task({ nodeId: plane.nodeId, type: 'slice.vm_provision', params }));
    await inside;
    await world.abandon(first);
    host.onCall = () => undefined;
    await world.open();
    await plane.until(() => plane.seen.results.length > 0);
    expect(plane.seen.results[0]?.outcome).toBe('succeeded');
    expect(host.calls.map((call) => call.params)).toEqual([params, params]);
  });

  it('does not call a task failed because the agent was told to stop', async () => {
    const world = await makeWorld();
    const { plane, host } = world;
    const { params } = order();
    let begun: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => {
      begun = resolve;
    });
    host.onCall = (_method, _params, work) =>
      new Promise<void>((_, reject) => {
        begun();
        work?.signal.addEventListener('abort', () => reject(work.signal.reason));
      });
    const first = await world.open({ settings: { closeGraceMs: 5_000 } });
    const task = plane.signer.task({ nodeId: plane.nodeId, type: 'slice.vm_provision', params });
    plane.give(task);
    await inside;
    await world.abandon(first);
    host.onCall = () => undefined;
    await world.open();
    await plane.until(() => resultOf(plane, task) !== undefined);
    expect(plane.seen.results.map(({ outcome }) => outcome)).toEqual(['succeeded']);
  });

  it('refuses a replay after the restart, and tells the old result again instead', async () => {
    const world = await makeWorld();
    const { plane, host } = world;
    const task = plane.signer.task({ nodeId: plane.nodeId });
    const first = await world.open();
    plane.give(task);
    await plane.until(() => plane.seen.results.length === 1);
    await world.abandon(first);
    await world.open();
    plane.give(task);
    await plane.until(() => plane.seen.results.length === 2);
    expect(host.calls.length).toBe(1);
    expect(plane.seen.results[1]).toEqual(plane.seen.results[0]);
  });

  it('takes a damaged record for a task that was seen, and says that nobody knows what became of it', async () => {
    const world = await makeWorld();
    const { plane, host, stateDir } = world;
    const task = plane.signer.task({ nodeId: plane.nodeId });
    const first = await world.open();
    plane.give(task);
    await plane.until(() => plane.seen.results.length === 1);
    await world.abandon(first);
    await writeFile(join(stateDir, 'tasks', `${task.task_id}.json`), '{"state":"done"');
    await world.open();
    plane.give(task);
    await plane.until(() => plane.seen.results.length === 2);
    expect(host.calls.length).toBe(1);
    expect(plane.seen.results[1]).toMatchObject({ outcome: 'failed', failure: { code: 'journal_unreadable' } });
    expect(plane.seen.heartbeats.at(-1)?.conditions).toContainEqual(
      expect.objectContaining({ type: 'JournalReadable', status: 'False' }),
    );
  });

  it('refuses what may be a replay when the whole memory of tasks is gone, and obeys what is newer', async () => {
    const world = await makeWorld();
    const { plane, host, stateDir } = world;
    const task = plane.signer.task({ nodeId: plane.nodeId, issuedAt: new Date(Date.now() - 1_000) });
    const first = await world.open();
    plane.give(task);
    await plane.until(() => plane.seen.results.length === 1);
    await world.abandon(first);
    await rm(join(stateDir, 'tasks'), { recursive: true });
    await world.open();
    plane.give(task);
    await plane.until(() => plane.seen.results.length === 2);
    expect(plane.seen.results[1]).toMatchObject({ outcome: 'failed', failure: { code: 'seen_set_lost' } });
    expect(host.calls.length).toBe(1);
    const newer = plane.signer.task({ nodeId: plane.nodeId, issuedAt: new Date(Date.now() + 1_000) });
    plane.give(newer);
    await plane.until(() => plane.seen.results.length === 3);
    expect(host.calls.length).toBe(2);
  });
});

describe('a result', () => {
  it.each(['drop', 500, 503, 429, 401] as const)(
    'that met %s on its way is posted again until it is acknowledged',
    async (trouble) => {
      const world = await makeWorld();
      const { plane, host } = world;
      let troubles = 2;
      plane.interfere = (kind) => {
        if (kind !== 'result' || troubles === 0) return undefined;
        troubles -= 1;
        return trouble;
      };
      const agent = await world.open();
      const task = plane.signer.task({ nodeId: plane.nodeId });
      plane.give(task);
      await plane.until(() => plane.seen.results.length === 1);
      expect(troubles).toBe(0);
      expect(host.calls.length).toBe(1);
      await untilAcknowledged(agent);
      const kept = JSON.parse(await readFile(join(world.stateDir, 'tasks', `${task.task_id}.json`), 'utf8'));
      expect(kept).toMatchObject({ state: 'acknowledged', result: { outcome: 'succeeded' } });
    },
  );

  it('that the control plane refuses for good is not posted for ever', async () => {
    const world = await makeWorld();
    const { plane } = world;
    plane.interfere = (kind) => (kind === 'result' ? 409 : undefined);
    const agent = await world.open();
    plane.give(plane.signer.task({ nodeId: plane.nodeId }));
    await plane.until(() => plane.seen.requests.some((request) => request.endsWith('/result')));
    await untilAcknowledged(agent);
    expect(plane.seen.requests.filter((request) => request.endsWith('/result')).length).toBe(1);
  });

  it('that was not posted when the agent died is posted by the next one', async () => {
    const world = await makeWorld();
    const { plane, host } = world;
    plane.interfere = (kind) => (kind === 'result' ? 'drop' : undefined);
    const first = await world.open();
    plane.give(plane.signer.task({ nodeId: plane.nodeId }));
    await plane.until(() => plane.seen.requests.some((request) => request.endsWith('/result')));
    await world.abandon(first);
    plane.interfere = () => undefined;
    await world.open();
    await plane.until(() => plane.seen.results.length === 1);
    expect(host.calls.length).toBe(1);
  });
});

describe('a lease', () => {
  it('of an older generation than the one on the door is refused, whatever it asks for', async () => {
    const world = await makeWorld();
    const { plane, host } = world;
    await world.open();
    const of = { allocationId: randomUUID(), slotIds: [randomUUID()] };
    const ask = async (type: 'slice.vm_provision' | 'slice.vm_release', params: object, generation: number) => {
      const task = plane.signer.task({ nodeId: plane.nodeId, type, params, generation });
      plane.give(task);
      await plane.until(() => resultOf(plane, task) !== undefined);
      return resultOf(plane, task)?.failure?.code ?? 'succeeded';
    };
    expect(await ask('slice.vm_provision', provisionSlice(of), 5)).toBe('succeeded');
    expect(await ask('slice.vm_release', releaseSlice(of), 4)).toBe('stale_generation');
    expect(await ask('slice.vm_provision', provisionSlice({ ...of, allocationId: randomUUID() }), 9)).toBe(
      'lease_conflict',
    );
    expect(await ask('slice.vm_release', releaseSlice(of), 5)).toBe('succeeded');
    expect(await ask('slice.vm_release', releaseSlice(of), 5)).toBe('succeeded');
    expect(await ask('slice.vm_provision', provisionSlice(of), 5)).toBe('stale_generation');
    const next = { ...of, allocationId: randomUUID() };
    expect(await ask('slice.vm_provision', provisionSlice(next), 6)).toBe('succeeded');
    // The one before comes back late, for a disk that is somebody else's now.
    expect(await ask('slice.vm_release', releaseSlice(of), 5)).toBe('stale_generation');
    expect(host.calls.map(({ method }) => method)).toEqual([
      'provisionSlice',
      'releaseSlice',
      'releaseSlice',
      'provisionSlice',
    ]);
  });

  it('whose file is damaged is reported as unknown and blocks its slot until it is released', async () => {
    const world = await makeWorld();
    const { plane, stateDir } = world;
    const of = { allocationId: randomUUID(), slotIds: [randomUUID()] };
    const first = await world.open();
    plane.give(plane.signer.task({ nodeId: plane.nodeId, type: 'slice.vm_provision', params: provisionSlice(of) }));
    await plane.until(() => plane.seen.results.length === 1);
    await world.abandon(first);
    await writeFile(join(stateDir, 'leases', `${of.slotIds[0]}.json`), '{"allocation_id":');
    const beats = plane.seen.heartbeats.length;
    await world.open();
    await plane.until(() => plane.seen.heartbeats.length > beats);
    expect(plane.seen.heartbeats.at(-1)?.leases).toEqual([
      expect.objectContaining({ slot_ids: of.slotIds, state: 'unknown' }),
    ]);
    const another = provisionSlice({ ...of, allocationId: randomUUID() });
    const blocked = plane.signer.task({ nodeId: plane.nodeId, type: 'slice.vm_provision', params: another });
    plane.give(blocked);
    await plane.until(() => resultOf(plane, blocked) !== undefined);
    expect(resultOf(plane, blocked)?.failure?.code).toBe('lease_unreadable');
    const release = plane.signer.task({ nodeId: plane.nodeId, type: 'slice.vm_release', params: releaseSlice(of) });
    plane.give(release);
    await plane.until(() => resultOf(plane, release) !== undefined);
    expect(resultOf(plane, release)?.outcome).toBe('succeeded');
    const again = plane.signer.task({ nodeId: plane.nodeId, type: 'slice.vm_provision', params: another });
    plane.give(again);
    await plane.until(() => resultOf(plane, again) !== undefined);
    expect(resultOf(plane, again)?.outcome).toBe('succeeded');
  });
});

/** The answer has been sent; the agent writes it down in its own time. */
async function untilAcknowledged(agent: NodeAgent): Promise<void> {
  while (agent.status().unacknowledged > 0) await new Promise((resolve) => setImmediate(resolve));
}
