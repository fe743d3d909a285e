import { isDeepStrictEqual } from 'node:util';
import { Check } from 'typebox/schema';
import { systemClock } from '../kernel/clock.ts';
import { systemIds } from '../kernel/id.ts';
import type { Saga } from '../kernel/saga.ts';
import { silentLog } from '../kernel/telemetry/log.ts';
import { type Beginning, laneName, makeAttempts } from '../ports/sagas/attempts.ts';
import { type Answered, type Ending, interpret, type PlannedStep, type Work } from '../ports/sagas/interpreter.ts';
import { asJson } from '../ports/sagas/json.ts';
import { planOf } from '../ports/sagas/plan.ts';

/**
 * Tests that every saga gets for nothing. Crashes and repeats are the same for all sagas, so nobody has to write them
 * down again: a domain says what its world looks like, and these walk through every step of the saga, fail it, run it
 * twice, undo it twice, and look whether the world is what it should be. They use the interpreter of the real engines,
 * in memory, so a whole walk takes milliseconds.
 *
 *   it('may fail at every step', () => everyStepMayFail(provision, makeWorld));
 */
export interface SagaWorld<P extends object> {
  readonly params: P;
  /** The saga over this world's parts. Left out when the saga itself reaches the world. */
  readonly saga?: Saga<P>;
  /** All that matters, as plain data: after an undo it must be what it was, however often anything ran. */
  look(): unknown;
  /** What the outside answers to a wait. Without an answer its time runs out. */
  answer?(step: string): unknown;
  /** The wait in which a person calls the run off. */
  readonly calledOffAt?: string;
  close?(): Promise<void>;
}
export type MakeWorld<P extends object> = () => SagaWorld<P> | Promise<SagaWorld<P>>;

/** Each step in turn cannot be done, each wait in turn is not answered: the world must be as it was before. */
export async function everyStepMayFail<P extends object>(saga: Saga<P>, makeWorld: MakeWorld<P>): Promise<void> {
  for (const { name, kind } of forwardOf(saga)) {
    await undoneAt(saga, makeWorld, name, `when ${name} fails`, {
      attempt: (work, step) => (work !== 'undo' && step === name ? 'fail' : 'once'),
    });
    if (kind !== 'wait') continue;
    await undoneAt(saga, makeWorld, name, `when ${name} is not answered`, { silent: name });
  }
}

/** Each step in turn runs again after its result was lost, as after a crash: the end must be the same. */
export async function everyStepMayRunTwice<P extends object>(saga: Saga<P>, makeWorld: MakeWorld<P>): Promise<void> {
  const finished = (meddling: Meddling, when: string) =>
    inWorld(saga, makeWorld, async (world, run) => {
      const ending = await run(meddling);
      demand(ending.state === 'done', saga, when, `it ended as ${ending.state}: ${ending.reason}`);
      return world.look();
    });
  const expected = await finished({}, 'when nothing goes wrong');
  for (const { name } of forwardOf(saga)) {
    const when = `when ${name} runs twice`;
    const found = await finished({ attempt: (_, step) => (step === name ? 'twice' : 'once') }, when);
    demandSame(expected, found, saga, when);
  }
}

/** Each step in turn fails and every undo runs twice: the world must be as it was before. */
export async function everyUndoMayRunTwice<P extends object>(saga: Saga<P>, makeWorld: MakeWorld<P>): Promise<void> {
  for (const { name } of forwardOf(saga)) {
    await undoneAt(saga, makeWorld, name, `when ${name} fails and undos run twice`, {
      attempt: (work, step) => (work === 'undo' ? 'twice' : step === name ? 'fail' : 'once'),
    });
  }
}

/** What is there for its undo alone cannot fail, and cannot run twice on the way forward. */
const forwardOf = <P>(saga: Saga<P>) => saga.steps.filter(({ kind }) => kind !== 'failure');

interface Meddling {
  attempt?(work: Work, step: string): 'once' | 'twice' | 'fail';
  /** The wait that nobody answers. */
  readonly silent?: string;
}

const undoneAt = <P extends object>(
  saga: Saga<P>,
  makeWorld: MakeWorld<P>,
  step: string,
  when: string,
  meddling: Meddling,
) =>
  inWorld(saga, makeWorld, async (world, run) => {
    const before = await world.look();
    const ending = await run(meddling);
    const asExpected = ending.state === 'undone' && ending.step === step;
    demand(asExpected, saga, when, `it ended as ${ending.state} at ${ending.step}: ${ending.reason}`);
    demandSame(before, await world.look(), saga, when);
  });

async function inWorld<P extends object, T>(
  saga: Saga<P>,
  makeWorld: MakeWorld<P>,
  work: (world: SagaWorld<P>, run: (meddling: Meddling) => Promise<Ending>) => Promise<T>,
): Promise<T> {
  const world = await makeWorld();
  try {
    return await work(world, (meddling) => runInMemory(world.saga ?? saga, world, meddling));
  } finally {
    await world.close?.();
  }
}

/** One undisturbed run, for tests that look at one ending. */
export const runSaga = <P extends object>(saga: Saga<P>, world: SagaWorld<P>): Promise<Ending> =>
  runInMemory(saga, world, {});

async function runInMemory<P extends object>(saga: Saga<P>, world: SagaWorld<P>, meddling: Meddling): Promise<Ending> {
  const runAttempt = makeAttempts({
    sagas: new Map([[laneName(saga), saga]]),
    clock: systemClock,
    ids: systemIds,
    log: silentLog,
  });
  const beginning: Beginning = {
    plan: planOf(saga),
    id: systemIds.next(),
    params: asJson(world.params, 'params') as object,
    origin: {
      correlationId: systemIds.next(),
      traceparent: undefined,
      organizationId: undefined,
      projectId: undefined,
    },
    secret: systemIds.secret(32),
  };
  const never = new AbortController().signal;
  let calledOff: string | undefined;
  return interpret(beginning.plan, {
    at: async () => undefined,
    async attempt(work, step, done) {
      const fate = meddling.attempt?.(work, step.name) ?? 'once';
      if (fate === 'fail') return { end: 'halt', reason: 'the test said so' };
      // Each attempt gets its own copy, as if it came from the engine's records.
      const attempt = () =>
        runAttempt({ beginning, work, step, done: structuredClone(done), calledOff: calledOff !== undefined }, never);
      const first = await attempt();
      return fate === 'twice' && first.end === 'ok' ? attempt() : first;
    },
    sleep: async () => undefined,
    answer: async (step) => {
      if (step.name !== world.calledOffAt) return answerOf(saga, world, step, meddling);
      calledOff = 'the test said so';
      return { end: 'late' };
    },
    refuse: async () => undefined,
    calledOff: async () => calledOff,
    stuck: async (step, reason) => demand(false, saga, `at the undo of ${step.name}`, reason),
  });
}

async function answerOf<P extends object>(
  saga: Saga<P>,
  world: SagaWorld<P>,
  step: PlannedStep,
  meddling: Meddling,
): Promise<Answered> {
  const value = meddling.silent === step.name ? undefined : await world.answer?.(step.name);
  if (value === undefined) return { end: 'late' };
  const fits = Check(step.answer ?? {}, value);
  demand(fits, saga, `at ${step.name}`, `the world's answer does not fit: ${JSON.stringify(value)}`);
  return { end: 'answered', value: asJson(value) };
}

function demand(holds: boolean, saga: { readonly name: string }, when: string, complaint: string): asserts holds {
  if (!holds) throw new Error(`saga ${saga.name}, ${when}: ${complaint}`);
}

function demandSame(expected: unknown, found: unknown, saga: { readonly name: string }, when: string): void {
  const complaint = `the world should be ${JSON.stringify(expected)} but is ${JSON.stringify(found)}`;
  demand(isDeepStrictEqual(expected, found), saga, when, complaint);
}
