import type { DeclaredEvent } from '@gpuaas/contract';
import {
  type NodeTaskProgress,
  type NodeTaskResult,
  type NodeTaskType,
  nodeTaskKinds,
  nodeTaskTypes,
} from '@gpuaas/contract/node';
import { Compile, type Validator } from 'typebox/compile';
import type { Act, Database, WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { refusalsAuditedEveryMs, refusalsRemembered } from '../facts.ts';
import { keepTopology } from '../presence/topology.ts';
import { isSignedBy } from '../signers/result-signature.ts';
import { answersChannel } from './tasks.ts';
import { holdAllocationOf, lockTask, settleTask, type TaskRow } from './tasks-store.ts';

export type ResultRefused = Fault<
  'node_task_not_found' | 'node_task_settled' | 'node_result_invalid' | 'stale_generation'
>;
export interface Results {
  /** Takes the result of a task. The same result again is accepted and changes nothing. */
  settle(act: Act, nodeId: string, taskId: string, result: NodeTaskResult): Promise<ResultRefused | undefined>;
  /** Takes the progress of a task. */
  progress(act: Act, nodeId: string, taskId: string, progress: NodeTaskProgress): Promise<ResultRefused | undefined>;
}
/** What a result or progress changed in the domain that the task belongs to, and the events of that change. */
export interface ResultEffect {
  readonly projectId: string;
  readonly events: readonly DeclaredEvent[];
  /** For the audit row. */
  readonly change?: object;
  /** Something was changed, and the worker has to go on with the answer nevertheless. */
  readonly leavesWork?: boolean;
}
/** What the domain that a task belongs to does in the transaction of its result or progress. */
export interface TaskEffects {
  readonly applyResult?: (tx: WriteTx, task: TaskRow, result: NodeTaskResult) => Promise<ResultEffect | undefined>;
  readonly noteProgress?: (tx: WriteTx, task: TaskRow, progress: NodeTaskProgress) => Promise<ResultEffect | undefined>;
}

const outputs = new Map<NodeTaskType, Validator>(
  nodeTaskTypes.map((type) => [type, Compile(nodeTaskKinds[type].output)]),
);

export function makeResults(
  parts: {
    readonly db: Database;
    readonly clock: Clock;
    /** Counts a refusal, also one that leaves no audit row. */
    readonly onRefused: (code: ResultRefused['code']) => void;
  } & TaskEffects,
): Results {
  const { db } = parts;

  const isFirst = makeFirsts(parts.clock);
  /**
   * Every refusal is counted. One refusal of each kind and node in an interval also leaves an audit row: a node that repeats
   * itself must not fill the audit log.
   */
  const refuse = (tx: WriteTx, nodeId: string, taskId: string, fault: ResultRefused) => {
    parts.onRefused(fault.code);
    if (!isFirst(`${nodeId} ${fault.code}`)) return tx.abandon(fault);
    return tx.commit(fault, {
      target: { type: 'node_task', id: taskId },
      change: { refused: fault.code },
      result: 'failure' as const,
      events: 'none',
    });
  };

  return {
    async settle(act, nodeId, taskId, result) {
      const written = await db.write(act, async (tx) => {
        // Lock order: the allocation before its task, as in the transactions that take tasks back.
        const [, task] = await Promise.all([holdAllocationOf(tx, taskId, nodeId), lockTask(tx, taskId, nodeId)]);
        const wrong = task ? checkResult(task, result) : absent();
        if (wrong instanceof Fault) return refuse(tx, nodeId, taskId, wrong);
        const target = { type: 'node_task', id: taskId };
        if (!task || wrong === 'repeated') {
          return tx.commit(undefined, { target, change: { repeated: true }, events: 'none' });
        }
        const [, , effect] = await Promise.all([
          settleTask(tx, taskId, { state: result.outcome, result, failureCode: result.failure?.code }),
          keepTopology(tx, task, result),
          parts.applyResult?.(tx, task, result),
        ]);
        // The worker reads the row after the commit: a saga waits for the answer, or one has to begin.
        if (task.saga_token || (task.allocation_id && (!effect || effect.leavesWork)))
          tx.wake(answersChannel, 'settled');
        return tx.commit(undefined, {
          target,
          change: {
            task_type: task.task_type,
            state: [task.state, result.outcome],
            failure: result.failure?.code,
            ...(effect?.change && { allocation: { id: task.allocation_id, ...effect.change } }),
          },
          ...(task.organization_id !== null && { organizationId: task.organization_id }),
          ...(effect && { projectId: effect.projectId }),
          events: effect?.events ?? 'none',
        });
      });
      return written instanceof Fault ? written : written.value;
    },

    async progress(act, nodeId, taskId, progress) {
      // A phase ends where the next one begins, or with the result: its end needs no transaction.
      if (progress.state === 'ended') return undefined;
      const written = await db.write(act, async (tx) => {
        const task = await lockTask(tx, taskId, nodeId);
        const wrong = task ? checkLease(task, progress.generation) : absent();
        if (wrong) return refuse(tx, nodeId, taskId, wrong);
        if (task?.state !== 'dispatched') {
          return refuse(tx, nodeId, taskId, new Fault('node_task_settled', `The task is ${task?.state}.`));
        }
        const effect = await parts.noteProgress?.(tx, task, progress);
        return tx.commit(undefined, {
          target: { type: 'node_task', id: taskId },
          change: { phase: progress.phase, state: progress.state },
          ...(task.organization_id !== null && { organizationId: task.organization_id }),
          ...(effect && { projectId: effect.projectId }),
          events: effect?.events ?? 'none',
        });
      });
      return written instanceof Fault ? written : written.value;
    },
  };
}

/** Whether a refusal is the first of its kind in the interval. The memory is bounded: when it is full, it is cleared. */
function makeFirsts(clock: Clock): (what: string) => boolean {
  const seenAtMs = new Map<string, number>();
  return (what) => {
    const nowMs = clock.now().getTime();
    if (nowMs - (seenAtMs.get(what) ?? Number.NEGATIVE_INFINITY) < refusalsAuditedEveryMs) return false;
    if (seenAtMs.size >= refusalsRemembered) seenAtMs.clear();
    seenAtMs.set(what, nowMs);
    return true;
  };
}

const absent = () => new Fault('node_task_not_found', 'This node has no such task.');

function checkLease(task: TaskRow, generation: number): Fault<'stale_generation'> | undefined {
  const current = task.lease_generation ?? task.generation;
  return BigInt(generation) === task.generation && task.generation === current
    ? undefined
    : new Fault('stale_generation', `The lease is at generation ${current}, and this is about ${generation}.`);
}

/** Whether a result may end its task, has ended it already, or is refused. */
function checkResult(task: TaskRow, result: NodeTaskResult): ResultRefused | 'repeated' | undefined {
  if (result.task_id !== task.id || result.node_id !== task.node_id || result.task_type !== task.task_type) {
    return new Fault('node_result_invalid', 'The result is about another task.');
  }
  if (!task.result_key || !isSignedBy(result, task.result_key)) {
    return new Fault('node_result_invalid', 'The result is not signed with the key of this node.');
  }
  const stale = checkLease(task, result.generation);
  if (stale) return stale;
  if (task.state === 'succeeded' || task.state === 'failed') {
    return task.result?.signature === result.signature
      ? 'repeated'
      : new Fault('node_task_settled', `The task has ${task.state} already, with another result.`);
  }
  if (task.state === 'expired' || task.state === 'cancelled') {
    return new Fault('node_task_settled', `The task was ${task.state} before its result came.`);
  }
  if (task.state === 'queued') return new Fault('node_result_invalid', 'The task was never handed out.');
  if (result.outcome === 'succeeded' && !outputs.get(task.task_type)?.Check(result.output ?? {})) {
    return new Fault('node_result_invalid', 'The output is not what this type of task promises.');
  }
  return undefined;
}
