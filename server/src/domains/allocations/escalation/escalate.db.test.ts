import type { NodeTaskResult } from '@gpuaas/contract/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WriteTx } from '../../../kernel/act.ts';
import { runSaga } from '../../../testing/sagas.ts';
import { asSystem } from '../../../testing/world.ts';
import type { ResultEffect } from '../../nodes/index.ts';
import { makeApplyResult } from '../life/apply-result.ts';
import { readLeased } from '../life/leased.ts';
import { type Bench, openBench, proven, type TestAllocation } from '../sagas/testing.ts';
import { makeVacate } from '../sagas/vacate.ts';
import { queueTaskFor } from '../tasks/node-task.ts';
import { makeNoteProgress } from '../tasks/phases.ts';
import { vacateTask } from '../tasks/vacate-task.ts';
import { openYard, type Yard } from '../testing.ts';

/** The escalation of a release, from the reports of its node to timeline, event and slots. */
let yard: Yard;
let bench: Bench;
beforeAll(async () => {
  yard = await openYard();
  bench = await openBench(yard);
});
afterAll(async () => {
  await bench.close();
  await yard.close();
});

const gone = { machine_absent: proven, disk_wiped: proven, devices_unbound: proven, reimaged: null };
const destroyed = { ...gone, machine_ended: 'destroyed' };
const event = 'provisioning.releasing.escalated';

const write = async (allocation: TestAllocation, work: (tx: WriteTx) => Promise<ResultEffect | undefined>) => {
  // The door of nodes is in the api, which says what a node has reported.
  const written = await yard.port.database.write(yard.act(), async (tx) => {
    const effect = await work(tx);
    return tx.commit(effect, {
      target: { type: 'allocation', id: allocation.id },
      ...(effect && { projectId: effect.projectId, organizationId: yard.organizationId }),
      events: effect?.events ?? 'none',
    });
  });
  return written.value;
};
const queue = (allocation: TestAllocation, forced: boolean) =>
  write(allocation, async (tx) => {
    const leased = await readLeased(tx, allocation.id);
    if (!leased) throw new Error('it has no place');
    await queueTaskFor(tx, bench.parts, leased, vacateTask(bench.parts, { forced }), { correlationId: 'ahead' });
    return undefined;
  });
const releasing = async () => {
  const allocation = await bench.allocation({ state: 'releasing' });
  await queue(allocation, false);
  return allocation;
};
const askedOf = async (allocation: TestAllocation) => {
  const { task_id, task_type } = await allocation.task();
  const { id, generation } = allocation;
  return { id: task_id, task_type, allocation_id: id, generation: BigInt(generation), correlation_id: 'ahead' };
};
const apply = async (allocation: TestAllocation, result: object) => {
  const task = await askedOf(allocation);
  return write(allocation, (tx) => makeApplyResult(bench.parts)(tx, task, result as unknown as NodeTaskResult));
};
const begins = async (allocation: TestAllocation, phase: string) => {
  const task = await askedOf(allocation);
  const progress = { generation: allocation.generation, phase, state: 'began', at: new Date().toISOString() } as const;
  return write(allocation, (tx) => makeNoteProgress(bench.parts)(tx, task, progress));
};
const ends = async (allocation: TestAllocation, output: object) => {
  await allocation.settle({ output });
  return apply(allocation, { outcome: 'succeeded', output, finished_at: new Date().toISOString() });
};
const fails = async (allocation: TestAllocation, code: string) => {
  await allocation.settle({ failure: code });
  return apply(allocation, { outcome: 'failed', failure: { code, message: 'the host says so' } });
};
const giveUp = (allocation: TestAllocation, code: string) =>
  runSaga(makeVacate(bench.parts), {
    params: { allocationId: allocation.id, generation: 1, afterwards: 'available', forced: false },
    look: () => 0,
    answer: () => allocation.settle({ failure: code }),
  });
const linesOf = async ({ id }: TestAllocation) =>
  (
    await yard.root.query('select kind, name, detail from allocation_timeline where allocation_id = $1 order by id', [
      id,
    ])
  ).rows;
const stepsOf = async ({ id }: TestAllocation) =>
  (
    await yard.root.query(
      `select envelope #>> '{payload,step}' as step, envelope #>> '{payload,failure_code}' as code
       from outbox_events where subject = $2 and key = $1 order by position`,
      [id, event],
    )
  ).rows;

it('a node that begins to destroy a machine is heard at once, and its result does not say it again', async () => {
  const allocation = await releasing();
  await begins(allocation, 'shutdown');
  expect(await stepsOf(allocation)).toEqual([]);
  await begins(allocation, 'destroy');
  expect(await stepsOf(allocation)).toEqual([{ step: 'destroy', code: null }]);
  await ends(allocation, destroyed);
  expect(await stepsOf(allocation)).toHaveLength(1);
  expect((await linesOf(allocation)).filter(({ name }) => name === 'destroy')).toHaveLength(1);
  expect(await allocation.look()).toMatchObject({ state: 'released', slots: { available: 8 } });
});

it('a machine that was destroyed is in the timeline also when the report of it was lost', async () => {
  const allocation = await releasing();
  await begins(allocation, 'shutdown');
  await ends(allocation, destroyed);
  expect(await stepsOf(allocation)).toEqual([{ step: 'destroy', code: null }]);
  expect(await linesOf(allocation)).toContainEqual(expect.objectContaining({ kind: 'phase', name: 'destroy' }));
});

it.each(['guest_hung', 'vfio_stuck'])('slots are quarantined when their node reports %s', async (code) => {
  const allocation = await releasing();
  // The worker goes on with the answer nevertheless: the release has to be given up.
  expect(await fails(allocation, code)).toMatchObject({ leavesWork: true });
  expect(await stepsOf(allocation)).toEqual([{ step: 'quarantine', code }]);
  const line = (await linesOf(allocation)).find(({ name }) => name === 'slots_quarantined');
  expect(line).toMatchObject({ kind: 'note', detail: { failure_code: code } });
  expect((await giveUp(allocation, code)).state).toBe('undone');
  expect(await allocation.look()).toMatchObject({ state: 'release_failed', slots: { quarantined: 2, available: 6 } });
});

it('slots are blocked and not quarantined for other failures', async () => {
  const allocation = await releasing();
  expect(await fails(allocation, 'wipe_unverified')).toBeUndefined();
  expect(await stepsOf(allocation)).toEqual([]);
  await giveUp(allocation, 'wipe_unverified');
  expect((await allocation.look()).slots).toEqual({ cleanup_blocked: 2, available: 6 });
});

it('quarantined slots are emptied by the next try, and stay quarantined until an operator clears them', async () => {
  const allocation = await releasing();
  await fails(allocation, 'guest_hung');
  await giveUp(allocation, 'guest_hung');
  await asSystem(yard.root, `update allocations set state = 'releasing', version = version + 1 where id = $1`, [
    allocation.id,
  ]);
  await queue(allocation, true);
  await ends(allocation, gone);
  expect(await allocation.look()).toMatchObject({
    ...{ state: 'released', liveClaims: 0 },
    slots: { quarantined: 2, available: 6 },
  });
  const { rows } = await yard.root.query(
    `select count(*)::int as n from slots where allocation_id = $1 and wipe_owed_since is not null`,
    [allocation.id],
  );
  expect(rows).toEqual([{ n: 2 }]);
});
