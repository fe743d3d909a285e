import type { NodeTaskType, TaskParams } from '@gpuaas/contract/node';
import { type Act, sql, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { Halt } from '../../../kernel/saga.ts';
import { answersChannel } from '../../nodes/index.ts';
import { noteAllocation } from '../machine.ts';
import { type Order, readOrder } from '../order.ts';
import type { OfLease, SagaParts } from './parts.ts';

/** One thing that the node of an allocation is asked for. */
export interface Question<T extends NodeTaskType> {
  readonly type: (order: Order) => T;
  readonly params: (order: Order) => TaskParams<T>;
  /** Whether the allocation is in a state that the question belongs to. */
  readonly allowed: (order: Order) => boolean;
  readonly ttlSeconds: number;
  /** What becomes true together with the question, in the same transaction, and once like it. */
  readonly first?: (tx: WriteTx, order: Order, correlationId: string) => Promise<Fault | undefined>;
}

const findByToken = sql(
  'node-task-by-token',
  'select id from node_tasks where saga_token = $1 and (organization_id is null or mine(organization_id))',
);
/** What was asked ahead of its saga and may still be, or was, answered. A saga takes over one of them. */
const takeOver = sql(
  'node-task-take-over',
  `update node_tasks set saga_token = $1, version = version + 1
   where mine(organization_id) and id = (
     select t.id from node_tasks t
     where t.allocation_id = $2 and t.generation = $3 and t.task_type = $4 and t.saga_token is null
       and t.state not in ('expired', 'cancelled') and mine(t.organization_id)
     order by t.id desc limit 1
   ) and saga_token is null and state not in ('expired', 'cancelled')
   returning id, finished_at is not null as ended`,
);

/**
 * Asks in the transaction of whoever wants it. Done ahead of the saga that will look after it, nobody has to wait until an
 * event has reached a worker: the saga finds the question there and takes it over. Answers the task, or why not.
 */
export async function ask<T extends NodeTaskType>(
  tx: WriteTx,
  parts: SagaParts,
  order: Order,
  question: Question<T>,
  { correlationId, sagaToken }: { readonly correlationId: string; readonly sagaToken?: string },
): Promise<string | Fault> {
  const refused = await question.first?.(tx, order, correlationId);
  if (refused) return refused;
  const [id, type] = [parts.ids.next(), question.type(order)];
  await Promise.all([
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
  return id;
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
  const outcome = await parts.db.write(act, async (tx) => {
    const [order, [asked]] = await Promise.all([
      readOrder(tx, lease.allocationId),
      tx.rows<{ id: string }>(findByToken, [token]),
    ]);
    if (order?.generation !== lease.generation) {
      return tx.abandon(new Fault('illegal_transition', `The allocation is ${order ? 'leased anew' : 'gone'}.`));
    }
    const type = question.type(order);
    const [taken] = asked
      ? []
      : await tx.rows<{ id: string; ended: boolean }>(takeOver, [token, order.id, order.generation, type]);
    // It was answered before anybody could be told.
    if (taken?.ended) tx.wake(answersChannel, 'taken over');
    if (!asked && !taken && !question.allowed(order)) {
      return tx.abandon(new Fault('illegal_transition', `The allocation is ${order.state}.`));
    }
    const task =
      asked?.id ??
      taken?.id ??
      (await ask(tx, parts, order, question, { correlationId: act.correlationId, sagaToken: token }));
    if (task instanceof Fault) return tx.abandon(task);
    return tx.commit(task, {
      target: { type: 'allocation', id: order.id },
      change: { task, task_type: type },
      organizationId: order.organizationId,
      events: 'none',
    });
  });
  return outcome instanceof Fault ? new Halt(outcome.message) : undefined;
}
