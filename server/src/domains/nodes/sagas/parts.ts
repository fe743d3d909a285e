import { nodeQuarantined } from '@gpuaas/contract';
import type { NodeTaskType, TaskParams } from '@gpuaas/contract/node';
import type { Act, Database } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { Halt } from '../../../kernel/saga.ts';
import { nodeGeneration } from '../facts.ts';
import { advanceNode } from '../machine.ts';
import type { TaskAnswer } from '../tasks/answers.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { aboutNode, explainNode, findAsked, holdNode, type SagaNode } from './store.ts';

/** Notices and questions to the tenants of a node; they belong to another domain. */
export interface NodeTenants {
  /** Tells each of them, once for this deadline, and answers how many there are. */
  notify(nodeId: string, deadlineAt: string): Promise<number>;
  /** Withdraws the drain notice. */
  callOff(nodeId: string): Promise<void>;
  /** Has what is left begin to leave, and what could not leave be made to. Answers how many began. */
  release(nodeId: string): Promise<number>;
}

/** What the sagas of nodes are made over. */
export interface NodeSagaParts {
  readonly db: Database;
  readonly tasks: Pick<Tasks, 'queueTask' | 'cancelOfNode'>;
  /** How long a node may take over a task, the waiting included. */
  readonly taskSeconds: (kind: 'provision' | 'short') => number;
  readonly tenants: Pick<NodeTenants, 'notify'>;
}

/** Asks a node for one thing about itself, once: asked again after a crash, it finds the task that is there. */
export async function askItself<T extends NodeTaskType>(
  parts: NodeSagaParts,
  act: Act,
  nodeId: string,
  token: string,
  question: {
    readonly type: T;
    readonly params: TaskParams<T>;
    readonly allowed: (node: SagaNode) => boolean;
    readonly ttlSeconds: number;
  },
): Promise<Halt | undefined> {
  const outcome = await parts.db.write(act, async (tx) => {
    // Locks the node, so that a concurrent change of its state sees the task.
    const node = await holdNode(tx, nodeId);
    if (!node || !question.allowed(node)) {
      return tx.abandon(new Fault('illegal_transition', `The node is ${node?.state ?? 'gone'}.`));
    }
    const taskId =
      (await findAsked(tx, token, nodeId)) ??
      (await parts.tasks.queueTask(tx, {
        nodeId,
        type: question.type,
        params: question.params,
        generation: nodeGeneration,
        ttlSeconds: question.ttlSeconds,
        correlationId: act.correlationId,
        sagaToken: token,
      }));
    return tx.commit(undefined, {
      target: { type: 'node', id: nodeId },
      change: { task: taskId, task_type: question.type },
      events: 'none',
    });
  });
  return outcome instanceof Fault ? new Halt(outcome.message) : undefined;
}

/** Why a task brought nothing, in words for operators. */
export const failureIn = (answer: TaskAnswer): string =>
  answer.failure ? `${answer.failure.code}: ${answer.failure.message}` : 'the node did not answer in time';

/**
 * Quarantines a node with a reason, if the reason still applies. One that is quarantined already gets the new reason;
 * one that an operator moved on is left alone.
 */
export async function quarantine(
  parts: Pick<NodeSagaParts, 'db' | 'tasks'>,
  act: Act,
  nodeId: string,
  reason: string,
  isAbout: (node: SagaNode) => boolean,
): Promise<void> {
  await parts.db.write(act, async (tx) => {
    const node = await holdNode(tx, nodeId);
    if (!node || !isAbout(node)) return tx.abandon(new Fault('illegal_transition', `It is ${node?.state ?? 'gone'}.`));
    const target = { type: 'node', id: nodeId };
    // What it was asked and did not answer is not wanted any more.
    const cancelled = await parts.tasks.cancelOfNode(tx, nodeId);
    if (node.state === 'quarantined') {
      await explainNode(tx, nodeId, reason);
      return tx.commit(undefined, { target, change: { reason, cancelled_tasks: cancelled }, events: 'none' });
    }
    const moved = await advanceNode(tx, nodeId, 'quarantine', { reason });
    if (!moved || moved instanceof Fault) {
      return tx.abandon(moved ?? new Fault('node_not_found', 'There is no such object.'));
    }
    return tx.commit(undefined, {
      target,
      change: { state: [moved.from, moved.to], reason, cancelled_tasks: cancelled },
      events: [nodeQuarantined.of(nodeId, { ...aboutNode(node), reason })],
    });
  });
}
