import type { NodeTaskResult } from '@gpuaas/contract/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { runSaga } from '../../../testing/sagas.ts';
import { asSystem } from '../../../testing/world.ts';
import { makeGuards } from '../guards/guards.ts';
import { makeUnattended } from '../guards/unattended.ts';
import { makeApplyResult } from '../life/apply-result.ts';
import { readLeased } from '../life/leased.ts';
import { beginRelease } from '../life/release.ts';
import { queueTaskFor, type TaskRequest } from '../tasks/node-task.ts';
import { provisionTask } from '../tasks/provision-task.ts';
import { vacateTask } from '../tasks/vacate-task.ts';
import { openYard, type Yard } from '../testing.ts';
import { type BeginRuns, makeBeginRuns } from './begin.ts';
import { makeProvision, type Provision } from './provision.ts';
import { type Bench, openBench, proven, type TestAllocation, unproven } from './testing.ts';
import { makeVacate, makeVacateAndReimage } from './vacate.ts';

/** Which runs a life begins, and why. */
let yard: Yard;
let bench: Bench;
let begin: BeginRuns;
let begun: { readonly saga: string; readonly id: string; readonly params: object }[];
beforeAll(async () => {
  yard = await openYard();
  bench = await openBench(yard);
  begin = makeBeginRuns({
    db: bench.parts.db,
    sagas: { start: async (saga, id, params) => void begun.push({ saga: saga.name, id, params }) },
    served: {
      provision: makeProvision(bench.parts),
      vacate: makeVacate(bench.parts),
      vacateAndReimage: makeVacateAndReimage(bench.parts),
    },
  });
});
afterAll(async () => {
  await bench.close();
  await yard.close();
});
beforeEach(() => {
  begun = [];
});

const gone = { machine_absent: proven, disk_wiped: proven, devices_unbound: proven, reimaged: null };
const origin = { correlationId: 'begin', traceparent: undefined, organizationId: undefined, projectId: undefined };
const leaseOf = ({ id, generation }: TestAllocation) => ({ allocationId: id, generation });
const guard = () =>
  makeUnattended({
    ...{ db: bench.parts.db, ids: systemIds, clock: bench.parts.clock, log: silentLog },
    ...{ metrics: makeMetrics('test', '0.0.0'), begin },
  });
/** What events and guard begin for this allocation. */
const runsOf = async (allocation: TestAllocation) => {
  await guard().round(new AbortController().signal);
  return begun.filter(({ id }) => id.startsWith(allocation.id));
};
/** Asks the node as the transaction that places or releases does. */
const askAhead = (allocation: TestAllocation, request: TaskRequest<never>) =>
  bench.parts.db.write(yard.act(), async (tx) => {
    const leased = await readLeased(tx, allocation.id);
    if (!leased) throw new Error('it has no place');
    const task = await queueTaskFor(tx, bench.parts, leased, request, { correlationId: 'ahead' });
    return task instanceof Fault
      ? tx.abandon(task)
      : tx.commit(task, { target: { type: 'allocation', id: allocation.id }, events: 'none' });
  });
const provisionAhead = (allocation: TestAllocation) =>
  askAhead(allocation, provisionTask(bench.parts) as TaskRequest<never>);
const vacateAhead = (allocation: TestAllocation, forced = false) =>
  askAhead(allocation, vacateTask(bench.parts, { forced }) as TaskRequest<never>);
const releaseAs = ({ id }: TestAllocation, forced: boolean) =>
  bench.parts.db.write(yard.act(), async (tx) => {
    const released = await beginRelease(tx, id, {
      ...{ ids: systemIds, tasks: bench.parts.tasks, correlationId: 'release', reason: 'operator', forced },
      ...{ maxAttempts: 3, endedAt: bench.parts.clock.now() },
    });
    if (!released || released instanceof Fault) throw new Error('it was not released');
    const { organizationId } = released.moved;
    return tx.commit(undefined, { target: { type: 'allocation', id }, organizationId, events: released.events });
  });
const apply = async (allocation: TestAllocation, output: object) => {
  const { task_id, task_type } = await allocation.task();
  await allocation.settle({ output });
  await asSystem(yard.root, 'update node_tasks set finished_at = now(), version = version + 1 where id = $1', [
    task_id,
  ]);
  await bench.parts.db.write(yard.act(), async (tx) => {
    const task = {
      ...{ id: task_id, task_type, allocation_id: allocation.id, correlation_id: 'ahead' },
      generation: BigInt(allocation.generation),
    };
    const result = { outcome: 'succeeded', output } as unknown as NodeTaskResult;
    const applied = await makeApplyResult(bench.parts)(tx, task, result);
    return tx.commit(undefined, {
      target: { type: 'allocation', id: allocation.id },
      ...(applied && { projectId: applied.projectId, organizationId: applied.organizationId }),
      events: applied?.events ?? 'none',
    });
  });
};
const settleAs = (state: string, { id }: TestAllocation) =>
  asSystem(
    yard.root,
    `update node_tasks set state = $2, version = version + 1, finished_at = now() where allocation_id = $1`,
    [id, state],
  );

describe('a good life', () => {
  it('begins no run: its node is asked with the placement, and its result makes it active', async () => {
    const allocation = await bench.allocation();
    await provisionAhead(allocation);
    await begin.provision(leaseOf(allocation), origin);
    expect(await runsOf(allocation)).toEqual([]);
    await apply(allocation, { attestation: await allocation.attestation() });
    expect(await allocation.look()).toMatchObject({ state: 'active' });
    // The event may come late, and twice.
    await begin.provision(leaseOf(allocation), origin);
    expect(await runsOf(allocation)).toEqual([]);
  });

  it('begins none for its release either: the proof frees the slots', async () => {
    const allocation = await bench.allocation({ state: 'releasing' });
    await vacateAhead(allocation);
    await begin.release({ ...leaseOf(allocation), attempt: 1 }, false, origin);
    await apply(allocation, gone);
    expect(await allocation.look()).toMatchObject({ state: 'released' });
    await begin.release({ ...leaseOf(allocation), attempt: 1 }, false, origin);
    expect(await runsOf(allocation)).toEqual([]);
  });

  it('begins one where its whole node is imaged again: there are two answers to wait for', async () => {
    const allocation = await bench.allocation({ shape: 'baremetal', isolation: 'full-reimage', state: 'releasing' });
    await vacateAhead(allocation);
    await begin.release({ ...leaseOf(allocation), attempt: 1 }, false, origin);
    expect(await runsOf(allocation)).toMatchObject([
      { saga: 'allocation.vacate_and_reimage', id: `${allocation.id}.1.1` },
    ]);
  });

  it('begins none where a guard released it: its node is asked with the release', async () => {
    const allocation = await bench.allocation({ state: 'active' });
    const { release } = makeGuards({
      ...{ ...bench.parts, begin: actsOf('guards', systemIds), log: silentLog, metrics: makeMetrics('test', '0.0.0') },
      policies: {
        ...{ maxReleaseAttempts: () => 3, lostAfterSeconds: () => 600, reportSeconds: () => 45 },
        ...{ idlePercent: () => 5, idleGraceMinutes: () => 15 },
      },
    });
    expect(await release(allocation.id, 'max_duration', true)).toBe(true);
    expect(await allocation.task()).toMatchObject({ task_type: 'slice.vm_release', params: { grace_seconds: 0 } });
    await begin.release({ ...leaseOf(allocation), attempt: 1 }, true, origin);
    await apply(allocation, gone);
    expect(await allocation.look()).toMatchObject({ state: 'released', openTasks: 0 });
    expect(await runsOf(allocation)).toEqual([]);
  });

  it('begins one where nobody has asked its node', async () => {
    const allocation = await bench.allocation({ state: 'releasing' });
    await begin.release({ ...leaseOf(allocation), attempt: 1 }, false, origin);
    expect(await runsOf(allocation)).toMatchObject([{ saga: 'allocation.vacate', id: `${allocation.id}.1.1` }]);
  });
});

describe('a run is begun for a task that was not applied', () => {
  it.each([
    ['failed', 'failed'],
    ['expired', 'expired'],
    ['was cancelled', 'cancelled'],
  ])('because it %s, and the run gets its answer', async (_, state) => {
    const allocation = await bench.allocation();
    await provisionAhead(allocation);
    const { task_id: task } = await allocation.task();
    await settleAs('dispatched', allocation);
    await asSystem(yard.root, 'update node_tasks set dispatched_at = now(), version = version + 1 where id = $1', [
      task,
    ]);
    await settleAs(state, allocation);
    const [run] = await runsOf(allocation);
    expect(run).toEqual({
      ...{ saga: 'allocation.provision', id: `${allocation.id}.1` },
      params: { ...leaseOf(allocation), task },
    });
    const ending = await runSaga(makeProvision(bench.parts), {
      params: run?.params as Provision,
      look: () => 0,
      answer: async () => ({
        ...{ task_id: task, outcome: state === 'expired' ? 'expired' : 'failed', signed_result: null },
        ...(state !== 'expired' && { failure: { code: state, message: 'x' } }),
      }),
    });
    expect(ending).toMatchObject({ state: 'undone' });
    expect((await allocation.look()).state).toBe('failed');
    // It adopted the task that ended, and asked nothing again.
    const { rows } = await yard.root.query('select id from node_tasks where allocation_id = $1', [allocation.id]);
    expect(rows).toEqual([{ id: task }]);
  });

  it('because a proof is missing', async () => {
    const allocation = await bench.allocation({ state: 'releasing' });
    await vacateAhead(allocation);
    await apply(allocation, { ...gone, disk_wiped: unproven });
    const { task_id: task } = await allocation.task();
    expect(await runsOf(allocation)).toMatchObject([{ saga: 'allocation.vacate', params: { task } }]);
  });

  it.each([[true], [false]])('because no node had it; whether the release is forced (%s) stays', async (forced) => {
    const allocation = await bench.allocation({ state: 'active' });
    await releaseAs(allocation, forced);
    await vacateAhead(allocation, forced);
    await settleAs('cancelled', allocation);
    expect(await runsOf(allocation)).toMatchObject([{ saga: 'allocation.vacate', params: { forced } }]);
  });

  it('because its node does not fetch it, so that a person can call it off', async () => {
    const allocation = await bench.allocation();
    await provisionAhead(allocation);
    expect(await runsOf(allocation)).toEqual([]);
    await asSystem(
      yard.root,
      `update node_tasks set issued_at = issued_at - interval '11 s', version = version + 1 where allocation_id = $1`,
      [allocation.id],
    );
    expect(await runsOf(allocation)).toEqual([
      { saga: 'allocation.provision', id: `${allocation.id}.1`, params: leaseOf(allocation) },
    ]);
  });

  it('and not for one that a saga has, nor for a lease that is not current', async () => {
    const allocation = await bench.allocation();
    await provisionAhead(allocation);
    await asSystem(yard.root, `update node_tasks set saga_token = $2, version = version + 1 where allocation_id = $1`, [
      allocation.id,
      systemIds.next(),
    ]);
    await settleAs('expired', allocation);
    expect(await runsOf(allocation)).toEqual([]);
    await begin.provision({ allocationId: allocation.id, generation: 7 }, origin);
    expect(await runsOf(allocation)).toEqual([]);
  });
});
