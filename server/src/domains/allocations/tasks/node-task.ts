import type { NodeTaskType, TaskParams } from '@gpuaas/contract/node';
import type { Act, Receipt, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { Halt } from '../../../kernel/saga.ts';
import { type LeasedAllocation, readLeased } from '../life/leased.ts';
import { noteAllocation } from '../life/machine.ts';
import type { LifeParts, OfLease } from '../life/parts.ts';

/** A task for the node of an allocation, described before the allocation is read. */
export interface TaskRequest<T extends NodeTaskType> {
  /** The types that this request may become. A saga adopts a queued task of one of them. */
  readonly types: readonly T[];
  readonly type: (leased: LeasedAllocation) => T;
  readonly params: (leased: LeasedAllocation) => TaskParams<T>;
  /** Whether the state of the allocation allows this task. */
  readonly allowed: (leased: LeasedAllocation) => boolean;
  readonly ttlSeconds: number;
  /** Changes that belong to the task: written once, in the transaction that queues it. */
  readonly alongside?: (tx: WriteTx, leased: LeasedAllocation, correlationId: string) => Promise<Fault | undefined>;
}

/**
 * Queues a task in the caller's transaction, so the node gets it without waiting for an event to reach a worker. The saga of
 * the lease adopts the task later. Answers the task's id, or a fault; after a fault the caller must not commit.
 */
export async function queueTaskFor<T extends NodeTaskType>(
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  request: TaskRequest<T>,
  { correlationId, sagaToken }: { readonly correlationId: string; readonly sagaToken?: string },
): Promise<string | Fault> {
  const [id, type] = [parts.ids.next(), request.type(leased)];
  // Sent together, in this order: no statement needs the answer of another.
  const [refused] = await Promise.all([
    request.alongside?.(tx, leased, correlationId),
    parts.tasks.queueTask(tx, {
      id,
      nodeId: leased.nodeId,
      type,
      params: request.params(leased),
      generation: leased.generation,
      ttlSeconds: request.ttlSeconds,
      correlationId,
      allocation: { id: leased.id, organizationId: leased.organizationId },
      ...(sagaToken !== undefined && { sagaToken }),
    }),
    noteAllocation(tx, leased.id, { ids: parts.ids, correlationId, kind: 'task', name: type, detail: { task_id: id } }),
  ]);
  return refused ?? id;
}

/**
 * The saga's way to ask a node, in a transaction of its own. It adopts the task that was queued before, by itself or by the
 * happy path, and queues one only when there is none. It halts when the state of the allocation does not allow the task.
 */
export async function askNode<T extends NodeTaskType>(
  parts: LifeParts,
  act: Act,
  lease: OfLease & { readonly task?: string | undefined },
  token: string,
  request: TaskRequest<T>,
): Promise<Halt | undefined> {
  const { allocationId, generation, task: taskId } = lease;
  const outcome = await parts.db.write(act, async (tx) => {
    const adopted = await parts.tasks.adoptTask(tx, {
      ...{ allocationId, generation, types: request.types, sagaToken: token, taskId },
    });
    if (adopted) return tx.commit(undefined, receiptOf(adopted.organizationId, adopted.id));
    const leased = await readLeased(tx, allocationId, generation);
    if (leased?.generation !== generation || !request.allowed(leased)) {
      return tx.abandon(new Fault('illegal_transition', `The allocation is ${leased?.state ?? 'gone'}.`));
    }
    const task = await queueTaskFor(tx, parts, leased, request, {
      correlationId: act.correlationId,
      sagaToken: token,
    });
    return task instanceof Fault ? tx.abandon(task) : tx.commit(undefined, receiptOf(leased.organizationId, task));
  });
  return outcome instanceof Fault ? new Halt(outcome.message) : undefined;

  function receiptOf(organizationId: string, task: string): Receipt {
    return { target: { type: 'allocation', id: allocationId }, change: { task }, organizationId, events: 'none' };
  }
}
