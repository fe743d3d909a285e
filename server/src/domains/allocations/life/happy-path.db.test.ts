import type { NodeTaskResult, ReadinessAttestation } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../kernel/fault.ts';
import { runSaga } from '../../../testing/sagas.ts';
import { asSystem } from '../../../testing/world.ts';
import { makeProvision } from '../sagas/provision.ts';
import { type Bench, openBench, proven, type TestAllocation, unproven } from '../sagas/testing.ts';
import { makeVacate } from '../sagas/vacate.ts';
import { queueTaskFor, type TaskRequest } from '../tasks/node-task.ts';
import { provisionTask } from '../tasks/provision-task.ts';
import { vacateTask } from '../tasks/vacate-task.ts';
import { openYard, type Yard } from '../testing.ts';
import { makeApplyResult } from './apply-result.ts';
import { readLeased } from './leased.ts';

/** The happy path: what is done ahead of the sagas, and what they find of it. */
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
const leaseOf = ({ id, generation }: TestAllocation) => ({ allocationId: id, generation });

/** Queues the task in a transaction of its own, as the handler would. */
const queueAhead = (allocation: TestAllocation, request: TaskRequest<never>) =>
  bench.parts.db.write(yard.act(), async (tx) => {
    const leased = await readLeased(tx, allocation.id);
    if (!leased) throw new Error('it has no place');
    const task = await queueTaskFor(tx, bench.parts, leased, request, { correlationId: 'ahead' });
    return task instanceof Fault
      ? tx.abandon(task)
      : tx.commit(task, { target: { type: 'allocation', id: allocation.id }, events: 'none' });
  });
/** Applies the result of a node, as the door would, and says whether anything was changed. */
const applyResult = async (allocation: TestAllocation, output: object): Promise<boolean> => {
  const { task_id, task_type } = await allocation.task();
  await allocation.settle({ output });
  const result = { outcome: 'succeeded', output } as unknown as NodeTaskResult;
  const written = await bench.parts.db.write(yard.act(), async (tx) => {
    const task = {
      id: task_id,
      task_type,
      allocation_id: allocation.id,
      generation: BigInt(allocation.generation),
      correlation_id: 'ahead',
    };
    const applied = await makeApplyResult(bench.parts)(tx, task, result);
    return tx.commit(applied !== undefined, {
      target: { type: 'allocation', id: allocation.id },
      ...(applied && { projectId: applied.projectId, organizationId: applied.organizationId }),
      events: applied?.events ?? 'none',
    });
  });
  return written.value;
};
const sworn = async (allocation: TestAllocation, change?: Partial<ReadinessAttestation>) => ({
  attestation: await allocation.attestation(change),
});
const countTasks = async ({ id }: TestAllocation) =>
  (await yard.root.query('select count(*)::int as n from node_tasks where allocation_id = $1', [id])).rows[0].n;

describe('ahead of its saga', () => {
  it('an allocation is asked for and made active; the saga asks nothing again and finds it so', async () => {
    const allocation = await bench.allocation();
    await queueAhead(allocation, provisionTask(bench.parts) as TaskRequest<never>);
    expect(await allocation.look()).toMatchObject({ state: 'provisioning', openTasks: 1 });
    const output = await sworn(allocation);
    expect(await applyResult(allocation, output)).toBe(true);
    const ending = await runSaga(makeProvision(bench.parts), {
      params: leaseOf(allocation),
      look: () => 0,
      answer: () => allocation.settle({ output }),
    });
    expect(ending).toMatchObject({ state: 'done' });
    expect(await allocation.look()).toMatchObject({ state: 'active', events: ['provisioning.active'] });
    expect(await countTasks(allocation)).toBe(1);
  });

  it('nothing becomes active that was not proven: that is left to the saga, which fails it', async () => {
    const allocation = await bench.allocation();
    await queueAhead(allocation, provisionTask(bench.parts) as TaskRequest<never>);
    const output = await sworn(allocation, { disk_clean: unproven });
    expect(await applyResult(allocation, output)).toBe(false);
    expect(await allocation.look()).toMatchObject({ state: 'provisioning', events: [] });
    const ending = await runSaga(makeProvision(bench.parts), {
      params: leaseOf(allocation),
      look: () => 0,
      answer: () => allocation.settle({ output }),
    });
    expect(ending).toMatchObject({ state: 'undone' });
    expect(await allocation.look()).toMatchObject({ state: 'failed', failure: 'attestation_failed' });
  });

  it('an answer that comes when the allocation is leaving changes nothing', async () => {
    const allocation = await bench.allocation({ state: 'provisioning' });
    await queueAhead(allocation, provisionTask(bench.parts) as TaskRequest<never>);
    const output = await sworn(allocation);
    await asSystem(yard.root, `update allocations set state = 'releasing', version = version + 1 where id = $1`, [
      allocation.id,
    ]);
    expect(await applyResult(allocation, output)).toBe(false);
    expect(await allocation.look()).toMatchObject({ state: 'releasing', events: [] });
  });

  it('slots come back with the proof, and the saga finds them free', async () => {
    const allocation = await bench.allocation({ state: 'releasing' });
    await queueAhead(allocation, vacateTask(bench.parts, { forced: false }) as TaskRequest<never>);
    expect(await applyResult(allocation, gone)).toBe(true);
    const ending = await runSaga(makeVacate(bench.parts), {
      params: { ...leaseOf(allocation), afterwards: 'available', forced: false },
      look: () => 0,
      answer: () => allocation.settle({ output: gone }),
    });
    expect(ending).toMatchObject({ state: 'done' });
    const { slots, ...left } = await allocation.look();
    expect(left).toMatchObject({ state: 'released', liveClaims: 0, events: ['provisioning.releasing.completed'] });
    expect(slots).toEqual({ available: 8 });
    expect(await countTasks(allocation)).toBe(1);
  });

  it('nothing comes back without all of its proofs', async () => {
    const allocation = await bench.allocation({ state: 'releasing' });
    await queueAhead(allocation, vacateTask(bench.parts, { forced: false }) as TaskRequest<never>);
    expect(await applyResult(allocation, { ...gone, disk_wiped: unproven })).toBe(false);
    expect(await allocation.look()).toMatchObject({ state: 'releasing', events: [] });
  });
});
