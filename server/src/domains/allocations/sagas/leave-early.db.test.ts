import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { runSaga } from '../../../testing/sagas.ts';
import { makeDispatch } from '../../nodes/index.ts';
import { makeGuards } from '../guards/guards.ts';
import { readLeased } from '../life/leased.ts';
import { countHeld } from '../quota/store.ts';
import { queueTaskFor } from '../tasks/node-task.ts';
import { provisionTask } from '../tasks/provision-task.ts';
import { openYard, type Yard } from '../testing.ts';
import { type AllocationPlan, type Bench, openBench, proven, type TestAllocation } from './testing.ts';
import { makeVacate } from './vacate.ts';

/** A release that comes while a node is building the machine. */
let yard: Yard;
let bench: Bench;
let release: (id: string, reason: string, forced?: boolean) => Promise<boolean>;
beforeAll(async () => {
  yard = await openYard();
  bench = await openBench(yard);
  const policies = {
    ...{ maxReleaseAttempts: () => 3, lostAfterSeconds: () => 600, reportSeconds: () => 45 },
    ...{ idlePercent: () => 5, idleGraceMinutes: () => 15 },
  };
  release = makeGuards({
    ...bench.parts,
    ...{ db: yard.port.database, begin: actsOf('guards', systemIds), ids: systemIds, clock: systemClock },
    ...{ log: silentLog, metrics: makeMetrics('test', '0.0.0'), policies },
  }).release;
});
afterAll(async () => {
  await bench.close();
  await yard.close();
});

/** An allocation that its node was asked for. */
async function asked(plan: AllocationPlan = {}): Promise<TestAllocation> {
  const allocation = await bench.allocation(plan);
  await bench.parts.db.write(yard.act(), async (tx) => {
    const leased = await readLeased(tx, allocation.id);
    if (!leased) throw new Error('it has no place');
    const task = await queueTaskFor(tx, bench.parts, leased, provisionTask(bench.parts), { correlationId: 'a' });
    if (task instanceof Fault) throw task;
    return tx.commit(task, { target: { type: 'allocation', id: allocation.id }, events: 'none' });
  });
  return allocation;
}
/** Its node fetches the task, as it would at the door. */
const fetchTask = async ({ nodeId }: TestAllocation) => {
  const handed = await makeDispatch({
    ...{ db: yard.port.database, begin: actsOf('nodes', systemIds), ids: systemIds, clock: systemClock },
    redispatchSeconds: () => 30,
  }).dispatch([{ nodeId }]);
  expect(handed.size).toBe(1);
};
const tasksOf = async ({ id }: TestAllocation) =>
  (await yard.root.query('select task_type, state from node_tasks where allocation_id = $1 order by id', [id])).rows;

describe('a release in `provisioning`', () => {
  it('frees at once what no node has fetched', async () => {
    const allocation = await asked();
    await release(allocation.id, 'user');
    expect(await allocation.look()).toMatchObject({
      ...{ state: 'released', slots: { available: 8 }, liveClaims: 0, openTasks: 0 },
      events: ['provisioning.releasing.completed'],
    });
  });

  it.each([{}, { shape: 'baremetal' }] as const)(
    'frees nothing before proof when the node has the task (%o)',
    async (plan) => {
      const allocation = await asked(plan);
      const gpus = 'shape' in plan ? 8 : 2;
      await fetchTask(allocation);
      await release(allocation.id, 'user');
      const leaving = await allocation.look();
      expect(leaving).toMatchObject({ state: 'releasing', liveClaims: gpus });
      expect(leaving.slots['available'] ?? 0).toBe(8 - gpus);
      expect(leaving.events).toEqual(['provisioning.releasing.requested']);
      // The node builds on until it is told; its answer is too late by now. The task of the release is all that is open.
      expect(await tasksOf(allocation)).toMatchObject([
        { state: 'cancelled' },
        { task_type: gpus === 8 ? 'allocation.revoke_user' : 'slice.vm_release', state: 'queued' },
      ]);
      const ending = await runSaga(makeVacate(bench.parts), {
        params: { allocationId: allocation.id, generation: 1, afterwards: 'available', forced: false },
        look: () => 0,
        answer: async () =>
          allocation.settle({
            output:
              gpus === 8
                ? { user_absent: proven, processes_ended: proven }
                : { machine_absent: proven, disk_wiped: proven, devices_unbound: proven, reimaged: null },
          }),
      });
      expect(ending.state).toBe('done');
      expect(await allocation.look()).toMatchObject({ state: 'released', slots: { available: 8 }, liveClaims: 0 });
    },
  );

  it('leaves only its own task of the lease open, whatever was under way', async () => {
    const allocation = await bench.allocation({ state: 'active' });
    await bench.parts.db.write(yard.act(), async (tx) => {
      for (const type of ['allocation.extend_lease', 'allocation.extend_lease'] as const) {
        await bench.parts.tasks.queueTask(tx, {
          ...{ nodeId: allocation.nodeId, type, generation: 1, ttlSeconds: 60, correlationId: 'a' },
          params: { allocation_id: allocation.id, lease: { deadline_at: null } },
          allocation: { id: allocation.id, organizationId: yard.organizationId },
        });
      }
      return tx.commit(undefined, { target: { type: 'allocation', id: allocation.id }, events: 'none' });
    });
    await fetchTask(allocation);
    await release(allocation.id, 'user');
    expect(await allocation.look()).toMatchObject({ state: 'releasing', openTasks: 1 });
    expect((await tasksOf(allocation)).at(-1)).toEqual({ task_type: 'slice.vm_release', state: 'queued' });
  });
});

describe('what its owner ends', () => {
  it('is over at once: it is not held any more, and is counted while it is cleaned up', async () => {
    const allocation = await bench.allocation({ state: 'active' });
    const held = () =>
      bench.parts.db.write(yard.act(), async (tx) => {
        const count = await countHeld(tx, yard.organizationId, 'tester');
        return tx.commit(count, { target: { type: 'allocation', id: allocation.id }, events: 'none' });
      });
    const before = (await held()).value;
    await release(allocation.id, 'user');
    expect((await held()).value).toEqual({ held: before.held - 1, leaving: before.leaving + 1, gpus: before.gpus - 2 });
    const { rows } = await yard.root.query(
      'select state, ended_at, ended_at = releasing_at as at_once from allocations where id = $1',
      [allocation.id],
    );
    expect(rows).toMatchObject([{ state: 'releasing', at_once: true }]);
    expect(await allocation.look()).toMatchObject({ liveClaims: 2 });
    await runSaga(makeVacate(bench.parts), {
      params: { allocationId: allocation.id, generation: 1, afterwards: 'available', forced: false },
      look: () => 0,
      answer: () => allocation.settle({ failure: 'machine_failed' }),
    });
    expect(await allocation.look()).toMatchObject({ state: 'release_failed' });
    expect((await held()).value).toMatchObject({ held: before.held - 1 });
    // The time that it ended stays, however often its cleaning is tried.
    await release(allocation.id, 'user');
    const again = await yard.root.query('select state, ended_at from allocations where id = $1', [allocation.id]);
    expect(again.rows).toEqual([{ state: 'releasing', ended_at: rows[0].ended_at }]);
  });
});
