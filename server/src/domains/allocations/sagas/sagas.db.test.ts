import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import type { Saga } from '../../../kernel/saga.ts';
import {
  everyStepMayFail,
  everyStepMayRunTwice,
  everyUndoMayRunTwice,
  runSaga,
  type SagaWorld,
} from '../../../testing/sagas.ts';
import { asSystem } from '../../../testing/world.ts';
import type { OfLease } from '../life/parts.ts';
import { openYard, type Yard } from '../testing.ts';
import { makeAttest, makeRestart } from './attest.ts';
import { makeProvision } from './provision.ts';
import { type AllocationPlan, type Bench, openBench, proven, type TestAllocation, unproven } from './testing.ts';
import { makeVacate, makeVacateAndReimage, type Vacate } from './vacate.ts';

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

type Answer = (allocation: TestAllocation, step: string) => Promise<unknown>;
const wellMade: Answer = async (allocation) =>
  allocation.settle({ output: { attestation: await allocation.attestation() } });
const released = { machine_absent: proven, disk_wiped: proven, devices_unbound: proven, reimaged: null };
const wellEnded: Answer = async (allocation, step) =>
  allocation.settle({
    output:
      step === 'reimaged'
        ? { reimaged: proven }
        : (await allocation.task()).task_type === 'slice.vm_release'
          ? released
          : { user_absent: proven, processes_ended: proven },
  });

/** What may not be left behind, whatever happened on the way. */
const traces = async (allocation: TestAllocation, end: string) => {
  const { state, slots, openTasks } = await allocation.look();
  return { reached: state === end, openTasks, handedOut: slots['in_use'] ?? 0 };
};
const worldOf =
  (plan: AllocationPlan, answer: Answer, end: string, of: Partial<Vacate> = {}) =>
  async (): Promise<SagaWorld<OfLease & Partial<Vacate>>> => {
    const allocation = await bench.allocation(plan);
    return {
      params: { allocationId: allocation.id, generation: allocation.generation, ...of },
      look: () => traces(allocation, end),
      answer: (step) => answer(allocation, step),
    };
  };
const vacating = { afterwards: 'available', forced: false } as const;

/** Runs a saga to its end and answers how the world is then. */
async function run<P extends OfLease>(saga: Saga<P>, allocation: TestAllocation, of: object, answer: Answer) {
  const params = { allocationId: allocation.id, generation: allocation.generation, ...of } as unknown as P;
  const ending = await runSaga(saga, { params, look: () => 0, answer: (step) => answer(allocation, step) });
  return { ending, ...(await allocation.look()) };
}

describe.each([
  ['provisioning a slice', () => makeProvision(bench.parts), worldOf({}, wellMade, 'active')],
  [
    'provisioning a whole node',
    () => makeProvision(bench.parts),
    worldOf({ shape: 'baremetal', maxDurationSeconds: 3_600 }, wellMade, 'active'),
  ],
  ['restarting', () => makeRestart(bench.parts), worldOf({ state: 'active' }, wellMade, 'active')],
  ['looking again', () => makeAttest(bench.parts), worldOf({ state: 'active' }, wellMade, 'active')],
] as const)('%s', (_, saga, world) => {
  // Restarting leaves an active allocation as it is, and what it changed is only told.
  const makeWorld = world as () => Promise<SagaWorld<OfLease>>;
  it('may run each step twice', () => everyStepMayRunTwice(saga() as Saga<OfLease>, makeWorld));
});

describe.each([
  ['provisioning a slice', () => makeProvision(bench.parts), worldOf({}, wellMade, 'active')],
  ['provisioning a whole node', () => makeProvision(bench.parts), worldOf({ shape: 'baremetal' }, wellMade, 'active')],
] as const)('%s', (_, saga, world) => {
  const makeWorld = world as () => Promise<SagaWorld<OfLease>>;
  it('may fail at every step', () => everyStepMayFail(saga() as Saga<OfLease>, makeWorld));
  it('may run every undo twice', () => everyUndoMayRunTwice(saga() as Saga<OfLease>, makeWorld));
});

const leaving = { state: 'releasing' } as const;
describe.each([
  ['ending a slice', makeVacate, worldOf({ ...leaving }, wellEnded, 'released', vacating)],
  ['ending a whole node', makeVacate, worldOf({ ...leaving, shape: 'baremetal' }, wellEnded, 'released', vacating)],
  [
    'ending a whole node that is imaged again',
    makeVacateAndReimage,
    worldOf({ ...leaving, shape: 'baremetal', isolation: 'full-reimage' }, wellEnded, 'released', vacating),
  ],
] as const)('%s', (_, make, world) => {
  // Before it begins the slots are in use; afterwards none is, and none is free without proof.
  const makeWorld = async () => {
    const made = await world();
    return {
      ...made,
      look: async () => {
        const { reached, openTasks } = (await made.look()) as { reached: boolean; openTasks: number };
        return { reached, openTasks };
      },
    } as unknown as SagaWorld<Vacate>;
  };
  it('may run each step twice', () => everyStepMayRunTwice(make(bench.parts), makeWorld));
  it('may fail at every step', () => everyStepMayFail(make(bench.parts), makeWorld));
  it('may run every undo twice', () => everyUndoMayRunTwice(make(bench.parts), makeWorld));
});

describe('an allocation', () => {
  it('becomes active with an attestation, and its slots are in use', async () => {
    const allocation = await bench.allocation({ gpus: 2 });
    const end = await run(makeProvision(bench.parts), allocation, {}, wellMade);
    expect(end).toMatchObject({
      ending: { state: 'done' },
      state: 'active',
      slots: { available: 6, in_use: 2 },
      liveClaims: 2,
      openTasks: 0,
      events: ['provisioning.active'],
    });
  });

  it('marks the keys that open it as used, and no others', async () => {
    const allocation = await bench.allocation();
    const person = systemIds.next();
    await asSystem(yard.root, `insert into users (id, oidc_issuer, oidc_subject) values ($1, 'test', $2)`, [
      person,
      person,
    ]);
    const [onIt, elsewhere] = [systemIds.next(), systemIds.next()];
    for (const [id, letter] of [
      [onIt, 'A'],
      [elsewhere, 'B'],
    ] as const) {
      await asSystem(
        yard.root,
        `insert into ssh_keys (id, user_id, name, type, bits, public_key, fingerprint, comment, created_by)
         values ($1, $2, 'k', 'ssh-ed25519', 256, 'ssh-ed25519 ' || repeat($3, 8), 'SHA256:' || repeat($3, 43), '', $2)`,
        [id, person, letter],
      );
    }
    await asSystem(
      yard.root,
      `insert into allocation_ssh_keys (allocation_id, organization_id, ssh_key_id, user_id, fingerprint, public_key)
       select $1, $2, id, user_id, fingerprint, public_key from ssh_keys where id = $3`,
      [allocation.id, yard.organizationId, onIt],
    );
    await run(makeProvision(bench.parts), allocation, {}, wellMade);
    const { rows } = await yard.root.query('select id from ssh_keys where last_used_at is not null');
    expect(rows).toEqual([{ id: onIt }]);
    expect((await allocation.look()).openTasks).toBe(0);
  });

  it('gets the keys that were changed while its node was at work', async () => {
    const allocation = await bench.allocation();
    const key = `ssh-ed25519 ${'C'.repeat(8)}`;
    const end = await run(makeProvision(bench.parts), allocation, {}, async (each, step) => {
      await asSystem(
        yard.root,
        `insert into allocation_ssh_keys (allocation_id, organization_id, ssh_key_id, fingerprint, public_key)
         values ($1, $2, $3, 'x', $4)`,
        [each.id, yard.organizationId, systemIds.next(), key],
      );
      return wellMade(each, step);
    });
    expect(end).toMatchObject({ state: 'active', openTasks: 1 });
    expect(await allocation.task()).toMatchObject({
      task_type: 'allocation.install_authorized_keys',
      params: { authorized_keys: [key] },
    });
  });

  it.each([
    ['driver_unavailable', 'quarantined'],
    ['disk_dirty', 'quarantined'],
    ['image_unavailable', 'available'],
    ['guest_setup_failed', 'available'],
  ])('fails closed when its node says %s, and its slots become %s', async (failure, afterwards) => {
    const allocation = await bench.allocation({ gpus: 2 });
    const end = await run(makeProvision(bench.parts), allocation, {}, (each) => each.settle({ failure }));
    expect(end).toMatchObject({
      ending: { state: 'undone' },
      state: 'failed',
      failure,
      slots: { available: 6, cleaning: 2 },
      events: ['provisioning.failed', 'provisioning.cleanup.requested'],
    });
    const clean = await run(makeVacate(bench.parts), allocation, { ...vacating, afterwards }, wellEnded);
    expect(clean).toMatchObject({ ending: { state: 'done' }, state: 'failed', liveClaims: 0, openTasks: 0 });
    expect(clean.slots).toEqual(afterwards === 'available' ? { available: 8 } : { available: 6, quarantined: 2 });
  });

  it('fails closed when what its node swears to is not what was promised', async () => {
    const allocation = await bench.allocation({ gpus: 2 });
    const end = await run(makeProvision(bench.parts), allocation, {}, async (each) => {
      const attestation = await each.attestation();
      return each.settle({ output: { attestation: { ...attestation, gpus: attestation.gpus.slice(1) } } });
    });
    expect(end).toMatchObject({ state: 'failed', failure: 'attestation_failed', slots: { available: 6, cleaning: 2 } });
    const { rows } = await yard.root.query(
      'select passed, problems from readiness_attestations where allocation_id = $1',
      [allocation.id],
    );
    expect(rows).toEqual([{ passed: false, problems: expect.arrayContaining(['It has 1 of 2 GPUs.']) }]);
  });

  it('that fails a later check stays active and its slots stay in sale; an alert informs, and tells its owner', async () => {
    const allocation = await bench.allocation({ state: 'active', gpus: 2 });
    const end = await run(makeAttest(bench.parts), allocation, {}, async (each) => {
      const attestation = await each.attestation();
      return each.settle({ output: { attestation: { ...attestation, gpus: attestation.gpus.slice(1) } } });
    });
    expect(end).toMatchObject({ state: 'active', failure: null, slots: { available: 6, in_use: 2 } });
    const alerts = await yard.root.query(
      'select source, kind, effect, slot_id, allocation_id, message, tenant_message from alerts where node_id = $1',
      [allocation.nodeId],
    );
    expect(alerts.rows).toEqual([
      {
        ...{ source: 'attestation', kind: 'attestation_failed', effect: 'informs', slot_id: null },
        allocation_id: allocation.id,
        message: expect.stringContaining('It has 1 of 2 GPUs.'),
        tenant_message: 'The last check from inside did not find everything that was promised.',
      },
    ]);
    const healths = await yard.root.query('select distinct health_state from slots where node_id = $1', [
      allocation.nodeId,
    ]);
    expect(healths.rows).toEqual([{ health_state: 'healthy' }]);
    // The next check that passes clears it.
    await run(makeAttest(bench.parts), allocation, {}, wellMade);
    const left = await yard.root.query('select 1 from alerts where node_id = $1', [allocation.nodeId]);
    expect(left.rowCount).toBe(0);
  });

  it('that was released before its node had sworn keeps what it swore to, and is left to its release', async () => {
    const allocation = await bench.allocation();
    const end = await run(makeProvision(bench.parts), allocation, {}, async (each, step) => {
      await asSystem(yard.root, `update allocations set state = 'releasing', version = version + 1 where id = $1`, [
        each.id,
      ]);
      return wellMade(each, step);
    });
    expect(end).toMatchObject({ ending: { state: 'undone', step: 'activate' }, state: 'releasing', events: [] });
    const { rows } = await yard.root.query('select passed from readiness_attestations where allocation_id = $1', [
      allocation.id,
    ]);
    expect(rows).toEqual([{ passed: true }]);
  });

  it('that no node ever heard of gives its slots back at once', async () => {
    const allocation = await bench.allocation({ gpus: 1 });
    const end = await run(makeProvision(bench.parts), allocation, {}, async () => undefined);
    expect(end).toMatchObject({
      state: 'failed',
      failure: 'no_answer',
      slots: { available: 8 },
      liveClaims: 0,
      events: ['provisioning.failed'],
    });
  });

  it('is released only with proof', async () => {
    const allocation = await bench.allocation({ state: 'releasing', gpus: 2 });
    const end = await run(makeVacate(bench.parts), allocation, vacating, (each) =>
      each.settle({ output: { ...released, disk_wiped: unproven } }),
    );
    expect(end).toMatchObject({
      ending: { state: 'undone' },
      state: 'release_failed',
      slots: { available: 6, cleanup_blocked: 2 },
      events: ['provisioning.release_failed'],
    });
  });

  const quarantinedMeanwhile = async (share: string) => {
    const allocation = await bench.allocation({ state: 'releasing', gpus: 2 });
    return run(makeVacate(bench.parts), allocation, vacating, async (each, step) => {
      await asSystem(
        yard.root,
        `update slots set state = 'quarantined', version = version + 1 where id in (
           select id from slots where allocation_id = $1 order by slot_index ${share})`,
        [each.id],
      );
      return wellEnded(each, step);
    });
  };

  it('is released with its proof when its slots were quarantined meanwhile, and they do not come back', async () => {
    expect(await quarantinedMeanwhile('')).toMatchObject({
      ending: { state: 'done' },
      state: 'released',
      slots: { available: 6, quarantined: 2 },
    });
  });

  it('is not called clean when some of its slots cannot come back with the others', async () => {
    const end = await quarantinedMeanwhile('limit 1');
    expect(end).toMatchObject({ ending: { state: 'undone', step: 'prove' }, state: 'release_failed' });
    expect(end.slots).toMatchObject({ available: 6, quarantined: 1 });
  });

  it('under full-reimage frees its node only when the reimage is proven', async () => {
    const plan = { state: 'releasing', shape: 'baremetal', isolation: 'full-reimage' } as const;
    const unimaged = await bench.allocation(plan);
    const kept = await run(makeVacateAndReimage(bench.parts), unimaged, vacating, (each, step) =>
      step === 'reimaged' ? each.settle({ output: { reimaged: unproven } }) : wellEnded(each, step),
    );
    expect(kept).toMatchObject({ state: 'release_failed', slots: { cleanup_blocked: 8 } });
    const imaged = await bench.allocation(plan);
    const freed = await run(makeVacateAndReimage(bench.parts), imaged, vacating, wellEnded);
    expect(freed).toMatchObject({ state: 'released', slots: { available: 8 }, liveClaims: 0 });
  });

  it('under full-reimage asks the system that images the host instead of its agent, and frees it with that proof alone', async () => {
    const plan = { state: 'releasing', shape: 'baremetal', isolation: 'full-reimage' } as const;
    const asked: string[] = [];
    const vacate = makeVacateAndReimage(bench.parts, async (_act, { nodeId }) => {
      asked.push(nodeId);
      return 'asked';
    });
    const ended = async (answer: object) => {
      const allocation = await bench.allocation(plan);
      const lease = { allocationId: allocation.id, generation: allocation.generation };
      await runSaga(vacate, {
        params: { ...lease, afterwards: 'available', forced: false },
        look: () => 0,
        answer: (step) =>
          step === 'reimaged' ? { task_id: 'a job', signed_result: null, ...answer } : wellEnded(allocation, step),
      });
      return allocation.look();
    };
    const failure = { code: 'reimage_failed', message: 'MAAS says failed disk erasing.' };
    expect(await ended({ outcome: 'failed', failure })).toMatchObject({
      state: 'release_failed',
      slots: { cleanup_blocked: 8 },
    });
    const output = { reimaged: { passed: true, detail: 'it enrolled anew' } };
    expect(await ended({ outcome: 'succeeded', output })).toMatchObject({ state: 'released', slots: { available: 8 } });
    expect(asked).toHaveLength(2);
  });

  it('that an operator calls off says so to its owner, and its hardware is not to blame', async () => {
    const allocation = await bench.allocation({ gpus: 2 });
    const params = { allocationId: allocation.id, generation: allocation.generation };
    const ending = await runSaga(makeProvision(bench.parts), { params, look: () => 0, calledOffAt: 'machine' });
    expect(ending).toMatchObject({ state: 'cancelled', step: 'machine' });
    // No node had taken the task, so nothing has to be cleaned.
    expect(await allocation.look()).toMatchObject({
      ...{ state: 'failed', failure: 'cancelled', slots: { available: 8 }, openTasks: 0 },
      events: ['provisioning.failed'],
    });
  });

  it('that was released while it was provisioned is left to its release', async () => {
    const allocation = await bench.allocation({ state: 'releasing' });
    const end = await run(makeProvision(bench.parts), allocation, {}, wellMade);
    expect(end).toMatchObject({
      ending: { state: 'undone', step: 'machine' },
      state: 'releasing',
      openTasks: 0,
      events: [],
    });
  });

  it('whose lease was replaced is nobody’s business any more', async () => {
    const allocation = { ...(await bench.allocation()), generation: 2 };
    const late = await run(makeProvision(bench.parts), allocation, {}, wellMade);
    expect(late).toMatchObject({
      ending: { state: 'undone' },
      state: 'requested',
      slots: { available: 6, reserved: 2 },
    });
  });
});
