import { policies as definitions, type NumberPolicyKey, type PolicyKey } from '@gpuaas/contract';
import { taskTimes } from '../../src/domains/allocations/index.ts';
import type { LifeParts } from '../../src/domains/allocations/life/parts.ts';
import { type Bench, openBench } from '../../src/domains/allocations/sagas/testing.ts';
import { openYard, type Yard } from '../../src/domains/allocations/testing.ts';
import { makeAnswers, type TaskAnswer } from '../../src/domains/nodes/index.ts';
import { actsOf } from '../../src/kernel/act.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import type { Reconciler } from '../../src/kernel/process/reconciler.ts';
import type { Saga } from '../../src/kernel/saga.ts';
import { silentLog } from '../../src/kernel/telemetry/log.ts';
import { runSaga } from '../../src/testing/sagas.ts';
import { asSystem } from '../../src/testing/world.ts';

/** An object in a state that time ends. */
export interface Waiting {
  /** Whose row holds the state and the reason. */
  readonly id: string;
  /** Runs the code that ends the state once, as a process does every few seconds. */
  round(): Promise<unknown>;
}

/** A database, hosts, people and a clock that tests move; everything waits as long as the policies say by default. */
export interface Stage {
  readonly yard: Yard;
  readonly bench: Bench;
  readonly parts: LifeParts;
  readonly clock: Clock;
  readonly policies: { readonly number: (key: NumberPolicyKey) => number; readonly value: never };
  pass(ms: number): void;
  /** One round of a reconciler. */
  run(reconciler: Reconciler): Promise<unknown>;
  /** The sweeper of tasks, and what it tells the saga that waits. */
  sweep(): Promise<TaskAnswer | undefined>;
  /** Runs a saga up to its first wait. Each round sweeps, and tells it what the sweeper says. */
  waitIn<P extends object>(saga: Saga<P>, params: P): Promise<() => Promise<unknown>>;
  put(text: string, values: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  let ahead = 0;
  const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
  const yard = await openYard();
  const bench = await openBench(yard, clock);
  const value = (key: PolicyKey) => definitions.find((each) => each.key === key)?.default as never;
  const policies = { number: value as (key: NumberPolicyKey) => number, value: value as never };
  const parts = { ...bench.parts, ...taskTimes({ number: value, value }) };
  let received: TaskAnswer | undefined;
  const answers = makeAnswers({
    ...{ db: parts.db, begin: actsOf('nodes', systemIds), ids: systemIds, clock, log: silentLog },
    sagas: {
      answer: async (_token, answer) => {
        received = answer as TaskAnswer;
        return 'answered' as never;
      },
    },
  });
  const run = (reconciler: Reconciler) => reconciler.round(new AbortController().signal);
  const sweep = async () => {
    await run(answers.sweeper);
    return received;
  };
  return {
    ...{ yard, bench, parts, clock, policies, run, sweep },
    pass: (ms) => {
      ahead += ms;
    },
    put: (text, values) => asSystem(yard.root, text, [...values]),
    async waitIn(saga, params) {
      received = undefined;
      const asked = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<TaskAnswer>();
      const ending = runSaga(saga, {
        ...{ params, look: () => 0 },
        answer: () => {
          asked.resolve();
          return answered.promise;
        },
      });
      await Promise.race([asked.promise, ending.then(() => Promise.reject(new Error('the saga waits for nothing')))]);
      return async () => {
        const answer = await sweep();
        if (!answer) return;
        answered.resolve(answer);
        await ending;
      };
    },
    async close() {
      await bench.close();
      await yard.close();
    },
  };
}
