import { NodeTaskFailure, type NodeTaskResult } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Sagas } from '../../../ports/sagas/port.ts';
import { markEveryMs, sweepBatch } from '../facts.ts';
import { answersChannel } from './tasks.ts';
import { type EndedRow, expireTasks, isAnyExpired, listUnanswered, markAnswered } from './tasks-store.ts';

/** The answer that a saga gets when its task has ended. */
export const TaskAnswer = Type.Object({
  task_id: Type.String(),
  outcome: Type.Enum(['succeeded', 'failed', 'expired']),
  output: Type.Optional(Type.Object({})),
  failure: Type.Optional(NodeTaskFailure),
  signed_result: Type.Union([Type.Object({}), Type.Null()], {
    description: 'The result as the node signed it; null when the node sent no result.',
  }),
});
export type TaskAnswer = Static<typeof TaskAnswer>;

export function answerOf(task: Pick<EndedRow, 'id' | 'state' | 'result'>): TaskAnswer {
  const { id, state, result } = task;
  if (result && (state === 'succeeded' || state === 'failed')) {
    return {
      task_id: id,
      outcome: state,
      ...(result.output !== undefined && { output: result.output }),
      ...(result.failure !== undefined && { failure: result.failure }),
      signed_result: result satisfies NodeTaskResult,
    };
  }
  return state === 'cancelled'
    ? {
        task_id: id,
        outcome: 'failed',
        failure: { code: 'cancelled', message: 'The task was cancelled before it ended.' },
        signed_result: null,
      }
    : { task_id: id, outcome: 'expired', signed_result: null };
}

/**
 * Delivers the answers of tasks to sagas. The transaction that ends a task wakes it after the commit; an answer that was not
 * delivered, because a process died in between, is found in the next round. Delivering twice is harmless: the first counts.
 */
export function makeAnswers(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly sagas: Pick<Sagas, 'answer'>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { db, ids, clock, log } = parts;
  /** Delivered and not marked yet. If the process dies, they are delivered once more. */
  let delivered: string[] = [];
  let markedAtMs = Number.NEGATIVE_INFINITY;
  const look = <T>(work: Parameters<typeof db.read<T>>[1]) =>
    db.read(systemViewer('nodes', { correlationId: ids.next() }), work);
  const begin = (action: string) => parts.begin(action, { correlationId: ids.next() });

  async function deliver(task: EndedRow): Promise<void> {
    const verdict = await parts.sagas.answer(task.saga_token, answerOf(task));
    // The saga may have given up waiting, or cannot read the answer: a repetition would not help.
    if (verdict === 'invalid') log.error({ task: task.id }, 'a saga could not read the answer of a task');
    delivered.push(task.id);
  }
  /** No caller waits for the mark, so it is written at most once in an interval. */
  async function mark(): Promise<void> {
    const nowMs = clock.now().getTime();
    if (delivered.length === 0 || (nowMs - markedAtMs < markEveryMs && delivered.length < sweepBatch)) return;
    const marked = delivered;
    delivered = [];
    try {
      await db.write(begin('node_task.answer'), async (tx) => {
        const tasks = await markAnswered(tx, marked);
        return tx.commit(undefined, { target: { type: 'node_task', id: 'many' }, change: { tasks }, events: 'none' });
      });
      markedAtMs = nowMs;
    } catch (error) {
      delivered.push(...marked);
      throw error;
    }
  }

  return {
    /** Expires tasks and delivers answers. One process does it; more do no harm. */
    sweeper: {
      name: 'node-task-sweeper',
      async round(): Promise<'idle' | 'more'> {
        const now = clock.now();
        let expired = 0;
        const [isDue, found] = await look((tx) =>
          Promise.all([isAnyExpired(tx, now), listUnanswered(tx, sweepBatch, delivered)] as const),
        );
        if (isDue) {
          await db.write(begin('node_task.expire'), async (tx) => {
            const rows = await expireTasks(tx, now, sweepBatch);
            expired = rows.length;
            if (expired > 0) tx.wake(answersChannel, 'expired');
            const change = { tasks: rows.length };
            return tx.commit(undefined, { target: { type: 'node_task', id: 'many' }, change, events: 'none' });
          });
        }
        const unanswered = isDue ? await look((tx) => listUnanswered(tx, sweepBatch, delivered)) : found;
        await Promise.all(unanswered.map(deliver));
        await mark();
        return expired === sweepBatch || unanswered.length === sweepBatch ? 'more' : 'idle';
      },
    } satisfies Reconciler,
  };
}
export type Answers = ReturnType<typeof makeAnswers>;
