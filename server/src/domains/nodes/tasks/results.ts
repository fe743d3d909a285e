import { createPublicKey, verify as verifyBytes } from 'node:crypto';
import type { DeclaredEvent } from '@gpuaas/contract';
import {
  type NodeTaskProgress,
  type NodeTaskResult,
  type NodeTaskType,
  nodeTaskKinds,
  nodeTaskTypes,
  signedText,
} from '@gpuaas/contract/node';
import { Compile, type Validator } from 'typebox/compile';
import type { Act, Database, WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { refusalsAuditedEveryMs, refusalsRemembered } from '../facts.ts';
import { answersChannel } from './tasks.ts';
import { holdAllocationOf, lockTask, settleTask, type TaskRow } from './tasks-store.ts';

export type ResultRefused = Fault<
  'node_task_not_found' | 'node_task_settled' | 'node_result_invalid' | 'stale_generation'
>;
export interface Results {
  /** Takes the result of a task. The same result again is accepted again and changes nothing. */
  settle(act: Act, nodeId: string, taskId: string, result: NodeTaskResult): Promise<ResultRefused | undefined>;
  /** Notes how far a task is. */
  progress(act: Act, nodeId: string, taskId: string, progress: NodeTaskProgress): Promise<ResultRefused | undefined>;
}
/** What the world is told about progress or a result, and whose it is. */
export interface Told {
  readonly projectId: string;
  readonly events: readonly DeclaredEvent[];
  /** What else has changed, for the audit log. */
  readonly change?: object;
}
/** What else happens in the transaction of a result or of progress; the domains that care say. */
export interface TaskListeners {
  readonly onSettled?: (tx: WriteTx, task: TaskRow, result: NodeTaskResult) => Promise<Told | undefined>;
  readonly onProgress?: (tx: WriteTx, task: TaskRow, progress: NodeTaskProgress) => Promise<Told | undefined>;
}

const outputs = new Map<NodeTaskType, Validator>(
  nodeTaskTypes.map((type) => [type, Compile(nodeTaskKinds[type].output)]),
);

export function makeResults(
  parts: {
    readonly db: Database;
    readonly clock: Clock;
    /** Every refusal is counted, also those that leave no audit row. */
    readonly onRefused: (code: ResultRefused['code']) => void;
  } & TaskListeners,
): Results {
  const { db } = parts;

  const isFirst = makeFirsts(parts.clock);
  /**
   * A refusal leaves a count. The first of its kind from a node in a while also leaves an audit row: a node that repeats
   * itself must not fill the log.
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
        // Whoever takes a task back holds its allocation first: here as well, or two would wait for each other.
        const [, task] = await Promise.all([holdAllocationOf(tx, taskId, nodeId), lockTask(tx, taskId, nodeId)]);
        const wrong = task ? judge(task, result) : absent();
        if (wrong instanceof Fault) return refuse(tx, nodeId, taskId, wrong);
        const target = { type: 'node_task', id: taskId };
        if (!task || wrong === 'repeated') {
          return tx.commit(undefined, { target, change: { repeated: true }, events: 'none' });
        }
        const [, told] = await Promise.all([
          settleTask(tx, taskId, { state: result.outcome, result, failureCode: result.failure?.code }),
          parts.onSettled?.(tx, task, result),
        ]);
        // Whoever runs the saga is told after the commit, by whom the row is read.
        if (task.saga_token) tx.wake(answersChannel, 'settled');
        return tx.commit(undefined, {
          target,
          change: {
            task_type: task.task_type,
            state: [task.state, result.outcome],
            failure: result.failure?.code,
            ...(told?.change && { allocation: { id: task.allocation_id, ...told.change } }),
          },
          ...(task.organization_id !== null && { organizationId: task.organization_id }),
          ...(told && { projectId: told.projectId }),
          events: told?.events ?? 'none',
        });
      });
      return written instanceof Fault ? written : written.value;
    },

    async progress(act, nodeId, taskId, progress) {
      // A phase ends where the next one begins, or with the result: that it did is not worth a transaction.
      if (progress.state === 'ended') return undefined;
      const written = await db.write(act, async (tx) => {
        const task = await lockTask(tx, taskId, nodeId);
        const wrong = task ? judgeLease(task, progress.generation) : absent();
        if (wrong) return refuse(tx, nodeId, taskId, wrong);
        if (task?.state !== 'dispatched') {
          return refuse(tx, nodeId, taskId, new Fault('node_task_settled', `The task is ${task?.state}.`));
        }
        const told = await parts.onProgress?.(tx, task, progress);
        return tx.commit(undefined, {
          target: { type: 'node_task', id: taskId },
          change: { phase: progress.phase, state: progress.state },
          ...(task.organization_id !== null && { organizationId: task.organization_id }),
          ...(told && { projectId: told.projectId }),
          events: told?.events ?? 'none',
        });
      });
      return written instanceof Fault ? written : written.value;
    },
  };
}

/** Whether something happens for the first time in a while. What was seen is forgotten when there is too much of it. */
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

function judgeLease(task: TaskRow, generation: number): Fault<'stale_generation'> | undefined {
  const current = task.lease_generation ?? task.generation;
  return BigInt(generation) === task.generation && task.generation === current
    ? undefined
    : new Fault('stale_generation', `The lease is at generation ${current}, and this is about ${generation}.`);
}

/** Whether a result may end its task, has ended it already, or is refused. */
function judge(task: TaskRow, result: NodeTaskResult): ResultRefused | 'repeated' | undefined {
  if (result.task_id !== task.id || result.node_id !== task.node_id || result.task_type !== task.task_type) {
    return new Fault('node_result_invalid', 'The result is about another task.');
  }
  if (!task.result_key || !isSigned(result, task.result_key)) {
    return new Fault('node_result_invalid', 'The result is not signed with the key of this node.');
  }
  const stale = judgeLease(task, result.generation);
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

/** Whether the node said exactly this. A text that has no canonical form was never signed by anybody. */
function isSigned(result: NodeTaskResult, rawKey: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: rawKey }, format: 'jwk' });
    const signature = Buffer.from(result.signature, 'base64url');
    // The last character has bits to spare: of its spellings one counts, so that a result is one text.
    if (signature.toString('base64url') !== result.signature) return false;
    return verifyBytes(null, Buffer.from(signedText(result)), key, signature);
  } catch {
    return false;
  }
}
