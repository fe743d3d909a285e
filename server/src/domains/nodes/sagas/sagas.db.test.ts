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
import type { TaskAnswer } from '../tasks/answers.ts';
import { makeTasks } from '../tasks/tasks.ts';
import { type NodesWorld, openNodesWorld, type TestNode } from '../testing.ts';
import { type Drain, makeDrain } from './drain.ts';
import { makeOnboard, type Newcomer } from './onboard.ts';
import type { NodeSagaParts } from './parts.ts';
import { makeReimage, type Reimage } from './reimage.ts';
import { makeRemove, type Removal } from './remove.ts';

let world: NodesWorld;
let parts: NodeSagaParts;
/** Whom a drain told, by node and deadline. */
const told = new Set<string>();
beforeAll(async () => {
  world = await openNodesWorld();
  const { database, signers, clock, root } = world;
  parts = {
    db: database.database,
    tasks: makeTasks({ ids: systemIds, clock, signer: signers }),
    taskSeconds: () => 600,
    tenants: {
      notify: async (nodeId, deadlineAt) => {
        told.add(`${nodeId} ${deadlineAt}`);
        return 1;
      },
    },
  };
  await asSystem(
    root,
    `insert into os_images (id, slug, display_name, digest, driver_strategy, size_bytes, skus)
     select gen_random_uuid(), name, name, 'sha256:' || repeat('a', 64), 'preinstalled', 1000, '{test-sku}'
     from unnest('{old-image,new-image}'::text[]) as i (name)`,
    [],
  );
});
afterAll(() => world.close());

const set = (node: TestNode, column: string, value: unknown) =>
  asSystem(world.root, `update nodes set ${column} = $2, version = version + 1 where id = $1`, [node.id, value]);
async function look(node: TestNode) {
  const one = async (text: string) => (await world.root.query(text, [node.id])).rows;
  const [row] = await one('select state, state_reason from nodes where id = $1');
  const open = await one(`select task_type from node_tasks where node_id = $1 and state in ('queued', 'dispatched')`);
  const events = await one('select subject from outbox_events where key = $1 order by position');
  return {
    state: row.state as string,
    reason: row.state_reason as string | null,
    openTasks: open.length,
    events: events.map(({ subject }) => (subject as string).replace('provisioning.node.', '')),
  };
}
/** Settles what the node was last asked, as its agent would, and answers what the saga is told. */
async function settle(node: TestNode, said: { output?: object; failure?: string }): Promise<TaskAnswer> {
  const { rows } = await world.root.query('select id, state from node_tasks where node_id = $1 order by id desc', [
    node.id,
  ]);
  const outcome = said.failure === undefined ? 'succeeded' : 'failed';
  if (rows[0].state === 'queued') {
    for (const state of ['dispatched', outcome]) {
      await asSystem(world.root, 'update node_tasks set state = $2, version = version + 1 where id = $1', [
        rows[0].id,
        state,
      ]);
    }
  }
  return {
    task_id: rows[0].id as string,
    outcome,
    ...(said.output && { output: said.output }),
    ...(said.failure !== undefined && { failure: { code: said.failure, message: 'the host says so' } }),
    signed_result: {},
  };
}
type Answer = (node: TestNode, step: string) => Promise<TaskAnswer | undefined>;

const proven = { passed: true, detail: 'seen' };
const well: Answer = (node, step) =>
  settle(node, { output: step === 'health' ? { healthy: true, checks: { gpus: proven } } : { topology: {} } });
const imaged: Answer = (node) => settle(node, { output: { reimaged: proven } });
const heard: Answer = (node) => settle(node, { output: { running: [] } });

async function newcomer(): Promise<[TestNode, Newcomer]> {
  const node = await world.node('enrolling');
  const enrolledAt = world.clock.now();
  await set(node, 'enrolled_at', enrolledAt);
  return [node, { nodeId: node.id, enrolledAt: enrolledAt.toISOString() }];
}
async function draining(): Promise<[TestNode, Drain]> {
  const node = await world.node('draining');
  const deadline = new Date(world.clock.now().getTime() + 3_600_000);
  await set(node, 'drain_deadline_at', deadline);
  return [node, { nodeId: node.id, deadlineAt: deadline.toISOString() }];
}
async function removing(): Promise<[TestNode, Removal]> {
  const node = await world.node('removing');
  return [node, { nodeId: node.id }];
}
const newImage = { slug: 'new-image', digest: `sha256:${'a'.repeat(64)}`, driver_strategy: 'preinstalled' } as const;
async function aside(state: 'quarantined' | 'retired' = 'retired'): Promise<[TestNode, Reimage]> {
  const node = await world.node(state);
  await asSystem(
    world.root,
    `insert into node_image_cache (node_id, image_id, digest, verified_at)
     select $1, id, digest, now() from os_images where slug = 'old-image'`,
    [node.id],
  );
  return [node, { nodeId: node.id, image: newImage }];
}
const imagesOf = async (node: TestNode) =>
  (
    await world.root.query(
      'select i.slug from node_image_cache c join os_images i on i.id = c.image_id where c.node_id = $1',
      [node.id],
    )
  ).rows.map(({ slug }) => slug as string);

async function run<P extends object>(saga: Saga<P>, [node, params]: [TestNode, P], answer: Answer) {
  const ending = await runSaga(saga, { params, look: () => 0, answer: (step) => answer(node, step) });
  return { ending, ...(await look(node)) };
}

describe.each([
  ['taking a node in', () => makeOnboard(parts), newcomer, well, 'active'],
  ['removing a node', () => makeRemove(parts), removing, well, 'deleted'],
  ['imaging a node again', () => makeReimage(parts), aside, imaged, undefined],
] as const)('%s', (_, saga, make, answer, end) => {
  const makeWorld = async () => {
    const [node, params] = await make();
    return {
      params,
      // What may not be left behind, whatever happened on the way.
      look: async () => {
        const { state, openTasks } = await look(node);
        return {
          reached: end === undefined ? (await imagesOf(node)).join() === 'new-image' : state === end,
          openTasks,
        };
      },
      answer: (step: string) => answer(node, step),
    } as SagaWorld<Newcomer | Removal | Reimage>;
  };
  const of = () => saga() as unknown as Saga<Newcomer | Removal | Reimage>;
  it('may run each step twice', () => everyStepMayRunTwice(of(), makeWorld));
  it('may fail at every step', () => everyStepMayFail(of(), makeWorld));
  it('may run every undo twice', () => everyUndoMayRunTwice(of(), makeWorld));
});

describe('beginning a drain', () => {
  // A node that does not hear it is drained all the same, and what tenants were told stays true.
  const makeWorld = async (): Promise<SagaWorld<Drain>> => {
    const [node, params] = await draining();
    return {
      params,
      look: async () => (await look(node)).state,
      answer: (step) => heard(node, step),
    };
  };
  it('may run each step twice', () => everyStepMayRunTwice(makeDrain(parts), makeWorld));
  it('may fail at every step', () => everyStepMayFail(makeDrain(parts), makeWorld));
  it('may run every undo twice', () => everyUndoMayRunTwice(makeDrain(parts), makeWorld));

  it('tells tenants and the node, and one that was called off tells nobody', async () => {
    const drain = await draining();
    expect(await run(makeDrain(parts), drain, heard)).toMatchObject({ ending: { state: 'done' }, state: 'draining' });
    expect(told).toContain(`${drain[1].nodeId} ${drain[1].deadlineAt}`);
    const late = await draining();
    await set(late[0], 'drain_deadline_at', new Date(world.clock.now().getTime() + 7_200_000));
    expect(await run(makeDrain(parts), late, heard)).toMatchObject({ ending: { state: 'undone', step: 'notify' } });
    expect(told).not.toContain(`${late[1].nodeId} ${late[1].deadlineAt}`);
  });
});

describe('a node that enrolled', () => {
  it('is admitted when it has said what it is made of and is well', async () => {
    expect(await run(makeOnboard(parts), await newcomer(), well)).toMatchObject({
      ending: { state: 'done' },
      state: 'active',
      events: ['admitted'],
    });
  });

  it.each([
    ['cannot say what it is made of', 'topology', { failure: 'host_not_ready' }, /made of \(host_not_ready/],
    [
      'is not well',
      'health',
      { output: { healthy: false, checks: { gpus: { passed: false, detail: 'one is missing' }, disk: proven } } },
      /health \(gpus: one is missing\)/,
    ],
    ['cannot be looked at', 'health', { failure: 'host_not_ready' }, /health \(host_not_ready/],
  ])('and %s is quarantined, and says why', async (_, at, said, reason) => {
    const end = await run(makeOnboard(parts), await newcomer(), (node, step) =>
      step === at ? settle(node, said) : well(node, step),
    );
    expect(end).toMatchObject({ ending: { state: 'undone' }, state: 'quarantined', openTasks: 0 });
    expect(end.reason).toMatch(reason);
    expect(end.events).toEqual(['quarantined']);
  });

  it('and enrolled again meanwhile is left to its later enrolment', async () => {
    const [node, params] = await newcomer();
    const end = await run(makeOnboard(parts), [node, params], async (each, step) => {
      await set(each, 'enrolled_at', new Date(world.clock.now().getTime() + 60_000));
      return well(each, step);
    });
    expect(end).toMatchObject({ ending: { state: 'undone' }, state: 'enrolling', events: [] });
  });
});

describe('a node that is removed', () => {
  it('is gone when it holds nothing, and nothing that it has opens anything', async () => {
    const removal = await removing();
    await asSystem(
      world.root,
      `insert into node_certificates (serial, node_id, not_before, not_after)
       values ($2, $1, now(), now() + interval '1 day')`,
      [removal[0].id, removal[0].id.replaceAll('-', '')],
    );
    expect(await run(makeRemove(parts), removal, well)).toMatchObject({
      ending: { state: 'done' },
      state: 'deleted',
      events: ['removed'],
    });
    const { rows } = await world.root.query('select revoked_at from node_certificates where node_id = $1', [
      removal[0].id,
    ]);
    expect(rows).toEqual([{ revoked_at: expect.any(Date) }]);
  });

  it('stays while a slot of it is not clean, says why, and goes when it is', async () => {
    const [node, params] = await removing();
    await asSystem(
      world.root,
      `insert into slots (id, node_id, slot_index, gpu_uuid, gpu_model, gpu_memory_mib, pci_address, numa_node)
       values ($2, $1, 0, 'GPU-' || gen_random_uuid(), 'NVIDIA H200', 143771, '0000:01:00.0', 0)`,
      [node.id, systemIds.next()],
    );
    const moveSlot = (state: string) =>
      asSystem(world.root, 'update slots set state = $2, version = version + 1 where node_id = $1', [node.id, state]);
    await moveSlot('available');
    await world.root.query('set session_replication_role = replica');
    await moveSlot('cleanup_blocked');
    await world.root.query('set session_replication_role = origin');
    const kept = await run(makeRemove(parts), [node, params], well);
    expect(kept).toMatchObject({
      ending: { state: 'undone', step: 'prove' },
      state: 'removing',
      reason: 'It cannot be removed yet: 1 slots are cleanup_blocked.',
      events: [],
    });
    await moveSlot('quarantined');
    expect(await run(makeRemove(parts), [node, params], well)).toMatchObject({ state: 'deleted', events: ['removed'] });
  });
});

describe('a node that is imaged again', () => {
  it.each(['retired', 'quarantined'] as const)(
    'while %s has that image and no other, and stays aside',
    async (state) => {
      const reimage = await aside(state);
      expect(await run(makeReimage(parts), reimage, imaged)).toMatchObject({
        ending: { state: 'done' },
        state,
        events: ['reimaged'],
      });
      expect(await imagesOf(reimage[0])).toEqual(['new-image']);
    },
  );

  it.each([
    ['fails', { failure: 'image_unavailable' }, /image_unavailable/],
    ['is not proven', { output: { reimaged: { passed: false, detail: 'another kernel' } } }, /another kernel/],
  ])('is quarantined when it %s', async (_, said, reason) => {
    const reimage = await aside();
    const end = await run(makeReimage(parts), reimage, (node) => settle(node, said));
    expect(end).toMatchObject({ ending: { state: 'undone' }, state: 'quarantined', events: ['quarantined'] });
    expect(end.reason).toMatch(reason);
    expect(await imagesOf(reimage[0])).toEqual(['old-image']);
  });

  it('is not touched while it is in service', async () => {
    const node = await world.node('active');
    const end = await run(makeReimage(parts), [node, { nodeId: node.id, image: newImage }], imaged);
    expect(end).toMatchObject({ ending: { state: 'undone', step: 'hold' }, state: 'active', openTasks: 0 });
  });
});
