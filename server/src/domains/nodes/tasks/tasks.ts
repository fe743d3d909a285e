import { type NodeTask, type NodeTaskType, nodeTaskKinds, nodeTaskTypes, type TaskParams } from '@gpuaas/contract/node';
import { Compile, type Validator } from 'typebox/compile';
import type { WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { TaskSigners } from '../signers/signers.ts';
import { adoptTask, cancelNodeTasks, cancelTasks, insertTask, takeBackTasks, wasHandedOut } from './tasks-store.ts';

/**
 * The queue of tasks is a table: a task exists from the commit that decided it, with its signature, and ends in exactly one
 * way. The wake-up of the node is sent after the commit; if it is lost, the node finds the task when it asks again.
 */
export interface TaskOrder<T extends NodeTaskType> {
  /** For a caller that needs the id before; otherwise the task gets one. */
  readonly id?: string;
  readonly nodeId: string;
  readonly type: T;
  readonly params: TaskParams<T>;
  /** Of the lease that the work belongs to; 1 for work on the node itself. */
  readonly generation: number;
  readonly ttlSeconds: number;
  readonly correlationId: string;
  readonly allocation?: { readonly id: string; readonly organizationId: string };
  /** The saga that gets the answer when the task has ended. */
  readonly sagaToken?: string;
}
interface OfLease {
  readonly allocationId: string;
  readonly generation: number;
}
export interface Tasks {
  /** Queues a task and answers its id. */
  queueTask<T extends NodeTaskType>(tx: WriteTx, order: TaskOrder<T>): Promise<string>;
  /** Cancels the open tasks of a lease and answers their ids. The work of the node is not undone. */
  cancelOf(tx: WriteTx, of: OfLease): Promise<string[]>;
  /** Whether the node was given a task of this lease. */
  wasHandedOut(tx: WriteTx, of: OfLease): Promise<boolean>;
  /** Cancels the tasks of a lease that the node was not given yet, and answers whether it was given any. */
  takeBack(tx: WriteTx, of: OfLease): Promise<boolean>;
  /** Makes a saga the one that gets the answer of a task of its lease. Undefined when the lease has no such task. */
  adoptTask(
    tx: WriteTx,
    of: OfLease & {
      readonly types: readonly NodeTaskType[];
      readonly sagaToken: string;
      /** The task that the saga was begun for, however it ended. */
      readonly taskId?: string | undefined;
    },
  ): Promise<{ readonly id: string; readonly organizationId: string } | undefined>;
  /** Cancels all open tasks of a node that is gone for good. */
  cancelOfNode(tx: WriteTx, nodeId: string): Promise<string[]>;
}

/** Names the nodes that have tasks to fetch, joined by commas. */
export const tasksChannel = 'gpuaas_node_tasks';
/** Says that tasks have ended and something has to follow: the answer of a saga, or a saga. */
export const answersChannel = 'gpuaas_node_answers';

const params = new Map<NodeTaskType, Validator>(
  nodeTaskTypes.map((type) => [type, Compile(nodeTaskKinds[type].params)]),
);

export const makeTasks = (parts: {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly signer: Pick<TaskSigners, 'sign'>;
}): Tasks => ({
  async queueTask(tx, order) {
    const [fault] = params.get(order.type)?.Errors(order.params) ?? [
      { instancePath: '', message: 'is of no known type' },
    ];
    // Handlers check what people type before they queue a task: a bad value here is a mistake of ours.
    if (fault) throw new Error(`a task ${order.type} is not as declared: ${fault.instancePath} ${fault.message}`);
    const now = parts.clock.now();
    const envelope: NodeTask = parts.signer.sign({
      task_id: order.id ?? parts.ids.next(),
      node_id: order.nodeId,
      task_type: order.type,
      generation: order.generation,
      issued_at: now.toISOString(),
      expires_at: new Date(now.getTime() + order.ttlSeconds * secondMs).toISOString(),
      correlation_id: order.correlationId,
      params: order.params,
    });
    await insertTask(tx, {
      envelope,
      allocation: order.allocation,
      sagaToken: order.sagaToken,
      correlationId: order.correlationId,
    });
    tx.wake(tasksChannel, order.nodeId);
    return envelope.task_id;
  },
  async cancelOf(tx, { allocationId, generation }) {
    const cancelled = await cancelTasks(tx, allocationId, generation);
    if (cancelled.length > 0) tx.wake(answersChannel, 'cancelled');
    return cancelled;
  },
  wasHandedOut: (tx, { allocationId, generation }) => wasHandedOut(tx, allocationId, generation),
  async takeBack(tx, { allocationId, generation }) {
    const touched = await takeBackTasks(tx, allocationId, generation);
    tx.wake(answersChannel, 'cancelled');
    return touched;
  },
  async adoptTask(tx, of) {
    const adopted = await adoptTask(tx, { ...of, taskId: of.taskId });
    // A task that ended before it was adopted has its answer already.
    if (adopted?.ended) tx.wake(answersChannel, 'adopted');
    return adopted && { id: adopted.id, organizationId: adopted.organization_id };
  },
  async cancelOfNode(tx, nodeId) {
    const cancelled = await cancelNodeTasks(tx, nodeId);
    if (cancelled.length > 0) tx.wake(answersChannel, 'cancelled');
    return cancelled;
  },
});
