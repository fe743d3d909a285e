import type { NodeTaskType, TaskParams } from '@gpuaas/contract/node';
import { type Act, type Receipt, sql, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { Halt } from '../../../kernel/saga.ts';
import { answersChannel } from '../../nodes/index.ts';
import { noteAllocation } from '../life/machine.ts';
import { type Order, readOrder } from '../life/order.ts';
import type { OfLease, SagaParts } from './parts.ts';

/** One thing that the node of an allocation is asked for. */
export interface Question<T extends NodeTaskType> {
  /** What it may come to. */
  readonly types: readonly T[];
  readonly type: (order: Order) => T;
  readonly params: (order: Order) => TaskParams<T>;
  /** Whether the allocation is in a state that the question belongs to. */
  readonly allowed: (order: Order) => boolean;
  readonly ttlSeconds: number;
  /** What becomes true together with the question, in the same transaction, and once like it. */
  readonly first?: (tx: WriteTx, order: Order, correlationId: string) => Promise<Fault | undefined>;
}

/**
 * The task that a saga has asked for, or that was asked for ahead of it and may still be answered, or was. From here on it
 * is the saga's, which is told of its end.
 */
const takeOver = sql(
  'node-task-take-over',
  `update node_tasks set saga_token = $1, version = version + 1
   where mine(organization_id) and id = (
     select t.id from node_tasks t
     where t.allocation_id = $2 and t.generation = $3 and mine(t.organization_id) and (t.saga_token = $1
       or (t.saga_token is null and t.task_type = any ($4::text[]) and t.state not in ('expired', 'cancelled')))
     order by t.saga_token is null, t.id desc limit 1
   ) and (saga_token = $1 or (saga_token is null and state not in ('expired', 'cancelled')))
   returning id, organization_id, finished_at is not null as ended`,
);

/**
 * Asks in the transaction of whoever wants it. Done ahead of the saga that will look after it, nobody has to wait until an
 * event has reached a worker: the saga finds the question there and takes it over. Answers the task, or why not; the
 * question must then not be committed.
 */
export async function ask<T extends NodeTaskType>(
  tx: WriteTx,
  parts: SagaParts,
  order: Order,
  question: Question<T>,
  { correlationId, sagaToken }: { readonly correlationId: string; readonly sagaToken?: string },
): Promise<string | Fault> {
  const [id, type] = [parts.ids.next(), question.type(order)];
  // Sent together, in this order; none needs the answer of another.
  const [refused] = await Promise.all([
    question.first?.(tx, order, correlationId),
    parts.tasks.queueTask(tx, {
      id,
      nodeId: order.nodeId,
      type,
      params: question.params(order),
      generation: order.generation,
      ttlSeconds: question.ttlSeconds,
      correlationId,
      allocation: { id: order.id, organizationId: order.organizationId },
      ...(sagaToken !== undefined && { sagaToken }),
    }),
    noteAllocation(tx, order.id, { ids: parts.ids, correlationId, kind: 'task', name: type, detail: { task_id: id } }),
  ]);
  return refused ?? id;
}

/**
 * Asks the node of an allocation for one thing, once: asked again after a crash, or ahead of the saga, it finds the task
 * that is there. When there is none, and the allocation is not in the state that the question belongs to, there is no point
 * in asking.
 */
export async function askNode<T extends NodeTaskType>(
  parts: SagaParts,
  act: Act,
  lease: OfLease,
  token: string,
  question: Question<T>,
): Promise<Halt | undefined> {
  const { allocationId, generation } = lease;
  const outcome = await parts.db.write(act, async (tx) => {
    const [asked] = await tx.rows<{ id: string; organization_id: string; ended: boolean }>(takeOver, [
      ...[token, allocationId, generation, question.types],
    ]);
    if (asked) {
      // It was answered before anybody could be told.
      if (asked.ended) tx.wake(answersChannel, 'taken over');
      return tx.commit(undefined, receiptOf(asked.organization_id, asked.id));
    }
    const order = await readOrder(tx, allocationId, generation);
    if (order?.generation !== generation || !question.allowed(order)) {
      return tx.abandon(new Fault('illegal_transition', `The allocation is ${order?.state ?? 'gone'}.`));
    }
    const task = await ask(tx, parts, order, question, { correlationId: act.correlationId, sagaToken: token });
    return task instanceof Fault ? tx.abandon(task) : tx.commit(undefined, receiptOf(order.organizationId, task));
  });
  return outcome instanceof Fault ? new Halt(outcome.message) : undefined;

  function receiptOf(organizationId: string, task: string): Receipt {
    return { target: { type: 'allocation', id: allocationId }, change: { task }, organizationId, events: 'none' };
  }
}
