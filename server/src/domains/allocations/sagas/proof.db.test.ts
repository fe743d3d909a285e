import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSaga } from '../../../testing/sagas.ts';
import { asSystem } from '../../../testing/world.ts';
import { answerOf, type TaskAnswer } from '../../nodes/index.ts';
import { proofsOf } from '../life/proofs.ts';
import { openYard, type Yard } from '../testing.ts';
import { type AllocationPlan, type Bench, openBench, proven, type TestAllocation } from './testing.ts';
import { makeVacate, makeVacateAndReimage, type Vacate } from './vacate.ts';

/** Only a task that succeeded, with every proof that it owes, brings slots back. */
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

const emptied = {
  'slice.vm_release': { machine_absent: proven, disk_wiped: proven, devices_unbound: proven, reimaged: null },
  'allocation.revoke_user': { user_absent: proven, processes_ended: proven },
  'node.reimage_prepare': { reimaged: proven },
};
type Kind = keyof typeof emptied;
const typeOf = async (allocation: TestAllocation) => (await allocation.task()).task_type as Kind;
const succeed = async (allocation: TestAllocation) => allocation.settle({ output: emptied[await typeOf(allocation)] });

/** Ways in which a task ends without proof, as its saga is told of them. */
const unprovenEnds: Readonly<Record<string, (allocation: TestAllocation) => Promise<TaskAnswer>>> = {
  fails: (allocation) => allocation.settle({ failure: 'machine_failed' }),
  // A node that sends proofs with a failure has failed.
  'fails with proofs beside it': async (allocation) => ({
    ...(await allocation.settle({ failure: 'machine_failed' })),
    output: emptied[await typeOf(allocation)],
  }),
  expires: async (allocation) => answerOf({ id: await end(allocation, 'expired'), state: 'expired', result: null }),
  'is cancelled': async (allocation) =>
    answerOf({ id: await end(allocation, 'cancelled'), state: 'cancelled', result: null }),
  'says nothing': (allocation) => allocation.settle({ output: {} }),
  'leaves a proof out': async (allocation) => {
    const [owed, ...others] = Object.entries(emptied[await typeOf(allocation)]);
    return allocation.settle({ output: Object.fromEntries([[owed?.[0], null], ...others]) });
  },
};
async function end(allocation: TestAllocation, state: 'expired' | 'cancelled'): Promise<string> {
  const { task_id } = await allocation.task();
  await asSystem(
    yard.root,
    'update node_tasks set state = $2, version = version + 1, finished_at = now() where id = $1',
    [task_id, state],
  );
  return task_id;
}

const wholeNode: AllocationPlan = { shape: 'baremetal' };
const imagedAgain: AllocationPlan = { shape: 'baremetal', isolation: 'full-reimage' };
const cases = [
  ['a slice', makeVacate, {}, 'emptied', 2],
  ['a whole node', makeVacate, wholeNode, 'emptied', 8],
  ['a whole node before it is imaged again', makeVacateAndReimage, imagedAgain, 'emptied', 8],
  ['a whole node when it is imaged again', makeVacateAndReimage, imagedAgain, 'reimaged', 8],
] as const;

describe.each(cases)('the release of %s', (_, make, plan, step, gpus) => {
  it.each(Object.keys(unprovenEnds))('is no proof when its task %s', async (way) => {
    const allocation = await bench.allocation({ ...plan, state: 'releasing' });
    const ending = await runSaga<Vacate>(make(bench.parts), {
      params: { allocationId: allocation.id, generation: 1, afterwards: 'available', forced: false },
      look: () => 0,
      answer: (at) => (at === step ? unprovenEnds[way]?.(allocation) : succeed(allocation)),
    });
    expect(ending.state).toBe('undone');
    const seen = await allocation.look();
    expect(seen).toMatchObject({ state: 'release_failed', openTasks: 0, events: ['provisioning.release_failed'] });
    expect(seen.slots).toEqual({ cleanup_blocked: gpus, ...(gpus < 8 && { available: 8 - gpus }) });
    expect(seen.liveClaims).toBe(gpus);
    // What was not emptied is not imaged either.
    const { rows } = await yard.root.query('select task_type from node_tasks where allocation_id = $1', [
      allocation.id,
    ]);
    expect(rows.some(({ task_type }) => task_type === 'node.reimage_prepare')).toBe(step === 'reimaged');
  });
});

describe('the cleaning after an allocation that failed', () => {
  it.each(Object.keys(unprovenEnds))('blocks its slots when its task %s', async (way) => {
    const allocation = await bench.allocation({ state: 'provisioning' });
    await asSystem(
      yard.root,
      `update allocations set state = 'failed', version = version + 1, failure_code = 'no_answer', ended_at = now(),
         placement_status = 'freed' where id = $1`,
      [allocation.id],
    );
    await runSaga<Vacate>(makeVacate(bench.parts), {
      params: { allocationId: allocation.id, generation: 1, afterwards: 'available', forced: true },
      look: () => 0,
      answer: () => unprovenEnds[way]?.(allocation),
    });
    expect(await allocation.look()).toMatchObject({ state: 'failed', slots: { available: 6, cleanup_blocked: 2 } });
  });
});

it('a task proves what it owes, and nothing else counts', () => {
  const answer = (output: object): TaskAnswer => ({ task_id: 't', outcome: 'succeeded', output, signed_result: {} });
  expect(proofsOf('slice.vm_release', answer(emptied['slice.vm_release'])).problems).toEqual([]);
  expect(proofsOf('slice.vm_release', answer(emptied['node.reimage_prepare'])).problems).toEqual([
    'machine_absent: The node did not say.',
    'disk_wiped: The node did not say.',
    'devices_unbound: The node did not say.',
  ]);
});
