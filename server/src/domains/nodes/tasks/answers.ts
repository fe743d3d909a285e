import { NodeTaskFailure, type NodeTaskResult } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Sagas } from '../../../ports/sagas/port.ts';
import { markEveryMs, sweepBatch } from '../facts.ts';
import { type EndedRow, expireTasks, isAnyExpired, listUnanswered, markAnswered } from './tasks-store.ts';

/** What a saga that waits for a task is told. */
export const TaskAnswer = Type.Object({
  task_id: Type.String(),
  outcome: Type.Enum(['succeeded', 'failed', 'expired']),
  output: Type.Optional(Type.Object({})),
  failure: Type.Optional(NodeTaskFailure),
  signed_result: Type.Union([Type.Object({}), Type.Null()], {
    description: 'The result as the node signed it; null when the node never said anything.',
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
        failure: { code: 'cancelled', message: 'The task was taken back before it ended.' },
        signed_result: null,
      }
    : { task_id: id, outcome: 'expired', signed_result: null };
}

/**
 * Tells sagas how their tasks ended. Whoever writes an end wakes this after the commit; what was written and not told,
 * because a process died in between, is found by the next look. Telling twice is harmless: the first answer counts.
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
  /** Told and not yet marked. Should it be lost, they are told once more. */
  let told: string[] = [];
  let markedAtMs = Number.NEGATIVE_INFINITY;
  const look = <T>(work: Parameters<typeof db.read<T>>[1]) =>
    db.read(systemViewer('nodes', { correlationId: ids.next() }), work);
  const begin = (action: string) => parts.begin(action, { correlationId: ids.next() });

  async function tell(task: EndedRow): Promise<void> {
    const verdict = await parts.sagas.answer(task.saga_token, answerOf(task));
    // The saga may have given up waiting, and an answer it cannot read will not get better: all of these are an end.
    if (verdict === 'invalid') log.error({ task: task.id }, 'a saga could not read the answer of a task');
    told.push(task.id);
  }
  /** Nobody waits for the mark, so a busy second costs one. */
  async function mark(): Promise<void> {
    const nowMs = clock.now().getTime();
    if (told.length === 0 || (nowMs - markedAtMs < markEveryMs && told.length < sweepBatch)) return;
    const marked = told;
    told = [];
    try {
      await db.write(begin('node_task.answer'), async (tx) => {
        const tasks = await markAnswered(tx, marked);
        return tx.commit(undefined, { target: { type: 'node_task', id: 'many' }, change: { tasks }, events: 'none' });
      });
      markedAtMs = nowMs;
    } catch (error) {
      told.push(...marked);
      throw error;
    }
  }

  return {
    /** Ends tasks whose time is up and tells what nobody has told. One process does it, more do no harm. */
    sweeper: {
      name: 'node-task-sweeper',
      async round(): Promise<'idle' | 'more'> {
        const now = clock.now();
        let expired = 0;
        const [isDue, found] = await look((tx) =>
          Promise.all([isAnyExpired(tx, now), listUnanswered(tx, sweepBatch, told)] as const),
        );
        if (isDue) {
          await db.write(begin('node_task.expire'), async (tx) => {
            const rows = await expireTasks(tx, now, sweepBatch);
            expired = rows.length;
            const change = { tasks: rows.length };
            return tx.commit(undefined, { target: { type: 'node_task', id: 'many' }, change, events: 'none' });
          });
        }
        const unanswered = isDue ? await look((tx) => listUnanswered(tx, sweepBatch, told)) : found;
        await Promise.all(unanswered.map(tell));
        await mark();
        return expired === sweepBatch || unanswered.length === sweepBatch ? 'more' : 'idle';
      },
    } satisfies Reconciler,
  };
}
export type Answers = ReturnType<typeof makeAnswers>;
