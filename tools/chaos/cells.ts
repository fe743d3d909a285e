import { slicePhases } from '@gpuaas/contract/node';

/**
 * The cells of the kill matrix: which process dies, and where. The places follow an allocation from the request to the
 * last proof that nothing of it is left, each with a before and an after; every failpoint of the product is in here.
 */
export type Victim = 'api' | 'outbox-relay' | 'provisioning-worker' | 'agent' | 'postgres';
export interface Cell {
  readonly victim: Victim;
  /** A failpoint of the product, a checkpoint of the agent, or a state in which the database dies, and what it is about. */
  readonly place: string;
  /** Left to `npm run chaos`: a place beside it, between the same two commits, is tried every time. */
  readonly beside?: true;
  /** A good life passes it only when every transition is sent through a saga. */
  readonly ofSagas?: true;
  /** Tried every time in both modes: it shows that this victim can be killed where all goes through sagas. */
  readonly inBoth?: true;
}
/** As usual, or with every transition sent through a saga (`life.ahead=skip`). */
export type Mode = 'usual' | 'through sagas';

const around = (victim: Victim, action: string): Cell[] =>
  ['before-commit', 'after-commit'].map((when) => ({ victim, place: `write.${when}@${action}` }));
const events = [
  'provisioning.requested',
  'provisioning.phase',
  'provisioning.active',
  'provisioning.releasing.requested',
  'provisioning.releasing.completed',
];
const steps = [
  'allocation.provision.machine',
  'allocation.provision.activate',
  'allocation.vacate.emptied',
  'allocation.vacate.prove',
];
const api: Cell[] = [
  ...[
    'allocation.create',
    'node_task.dispatch',
    'node_task.progress',
    'node_task.result',
    'allocation.release',
  ].flatMap((action) => around('api', action)),
  ...[
    'http.before-response@allocation_create',
    'http.before-response@allocation_release',
    'node.received@tasks/wait',
    'node.received@progress',
    'node.received@result',
    'node.before-answer@progress',
    'node.before-answer@result',
  ].map((place): Cell => ({ victim: 'api', place })),
];
const relay: Cell[] = events.flatMap((event) =>
  ['before-publish', 'after-publish', 'after-mark'].map(
    (when): Cell => ({ victim: 'outbox-relay', place: `relay.${when}@${event}` }),
  ),
);
const worker: Cell[] = [
  ...['provisioning.requested', 'provisioning.releasing.requested'].flatMap((event) =>
    ['before-effect', 'after-effect'].map(
      (when): Cell => ({ victim: 'provisioning-worker', place: `consumer.${when}@${event}` }),
    ),
  ),
  ...[
    'node_task.answer',
    'saga.allocation.provision.machine',
    'saga.allocation.provision.activate',
    'saga.allocation.vacate.emptied',
    'saga.allocation.vacate.prove',
  ].flatMap((action) => around('provisioning-worker', action).map((cell): Cell => ({ ...cell, ofSagas: true }))),
  ...steps.flatMap((step) =>
    ['before-step', 'after-step'].map(
      (when): Cell => ({
        victim: 'provisioning-worker',
        place: `saga.${when}@${step}`,
        ofSagas: true,
        // Between the same two commits as the write of the step.
        beside: true,
      }),
    ),
  ),
];
const phases = {
  'slice.vm_provision': slicePhases,
  'slice.vm_release': ['shutdown', 'wipe', 'unbind'],
};
const agent: Cell[] = Object.entries(phases).flatMap(([task, names]) => [
  ...['arrived', 'accepted', 'running', 'worked', 'done'].map(
    (point): Cell => ({ victim: 'agent', place: `${point}@${task}`, ...(point === 'worked' && { inBoth: true }) }),
  ),
  ...names.map((name): Cell => ({ victim: 'agent', place: `${name}@${task}`, beside: true })),
]);

/** The database itself is killed when an allocation has come into each state that it passes through. */
const postgres: Cell[] = ['provisioning', 'active', 'releasing', 'released'].map((state) => ({
  victim: 'postgres',
  place: `state@${state}`,
  ...(state === 'active' && { inBoth: true }),
}));

export const cells: readonly Cell[] = [...api, ...relay, ...worker, ...agent, ...postgres];

/**
 * The cells of a mode. All of them, or those of every test run: as usual each place that is not beside another one; through
 * sagas the writes of sagas, and a few kills of agent and PostgreSQL, because everything else is the same.
 */
export const cellsOf = (mode: Mode, which: 'all' | 'some'): readonly Cell[] =>
  cells.filter(({ beside, ofSagas, inBoth }) =>
    mode === 'usual' ? !ofSagas && (which === 'all' || !beside) : which === 'all' || inBoth || (ofSagas && !beside),
  );

/** Cells that are tried together: of each process one from the way in, and one from the way out for when it is back. */
export function batchesOf(some: readonly Cell[]): Cell[][] {
  const lines = Object.values(Object.groupBy(some, ({ victim }) => victim)).map((line) => ({
    line,
    half: Math.ceil(line.length / 2),
  }));
  const longest = Math.max(0, ...lines.map(({ half }) => half));
  return Array.from({ length: longest }, (_, index) =>
    lines.flatMap(({ line, half }) => (index < half ? [index, index + half].flatMap((at) => line[at] ?? []) : [])),
  );
}
