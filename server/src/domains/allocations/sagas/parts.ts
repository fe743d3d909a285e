import type { NodeTaskType, TaskParams } from '@gpuaas/contract/node';
import { type Act, type Database, sql, type WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { Halt } from '../../../kernel/saga.ts';
import type { Tasks } from '../../nodes/index.ts';
import { noteAllocation } from '../machine.ts';
import { type Order, readOrder } from '../order.ts';

/** What the sagas of allocations are made over. */
export interface SagaParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly tasks: Pick<Tasks, 'queueTask' | 'cancelOf'>;
  /** How long a node may take over a task, the waiting included. */
  readonly taskSeconds: (kind: 'provision' | 'release' | 'short') => number;
  /** How long a guest may take to shut down by itself. */
  readonly graceSeconds: (organizationId: string) => number;
}

/** Which lease a run is about. Whoever finds another one in its place is late, and does nothing. */
export interface OfLease {
  readonly allocationId: string;
  readonly generation: number;
}

const findByToken = sql(
  'node-task-by-token',
  'select id from node_tasks where saga_token = $1 and (organization_id is null or mine(organization_id))',
);

/**
 * Asks the node of an allocation for one thing, once: asked again after a crash, it finds the task that is there. When
 * the allocation is not in the state that the question belongs to, there is no point in asking.
 */
export async function askNode<T extends NodeTaskType>(
  parts: SagaParts,
  act: Act,
  lease: OfLease,
  token: string,
  question: {
    readonly type: (order: Order) => T;
    readonly params: (order: Order) => TaskParams<T>;
    readonly allowed: (order: Order) => boolean;
    readonly ttlSeconds: number;
    /** What becomes true together with the question, in the same transaction, and once like it. */
    readonly first?: (tx: WriteTx, order: Order) => Promise<Fault | undefined>;
  },
): Promise<Halt | undefined> {
  const outcome = await parts.db.write(act, async (tx) => {
    const [order, [asked]] = await Promise.all([
      readOrder(tx, lease.allocationId),
      tx.rows<{ id: string }>(findByToken, [token]),
    ]);
    if (!order || order.generation !== lease.generation || !question.allowed(order)) {
      return tx.abandon(new Fault('illegal_transition', `The allocation is ${order?.state ?? 'gone'}.`));
    }
    const refused = asked ? undefined : await question.first?.(tx, order);
    if (refused) return tx.abandon(refused);
    const type = question.type(order);
    const taskId = asked?.id ?? (await queue(tx, order, type));
    return tx.commit(taskId, {
      target: { type: 'allocation', id: order.id },
      change: { task: taskId, task_type: type },
      organizationId: order.organizationId,
      events: 'none',
    });

    async function queue(inside: WriteTx, of: Order, what: T): Promise<string> {
      const id = await parts.tasks.queueTask(inside, {
        nodeId: of.nodeId,
        type: what,
        params: question.params(of),
        generation: of.generation,
        ttlSeconds: question.ttlSeconds,
        correlationId: act.correlationId,
        allocation: { id: of.id, organizationId: of.organizationId },
        sagaToken: token,
      });
      await noteAllocation(inside, of.id, {
        ids: parts.ids,
        correlationId: act.correlationId,
        kind: 'task',
        name: what,
        detail: { task_id: id },
      });
      return id;
    }
  });
  return outcome instanceof Fault ? new Halt(outcome.message) : undefined;
}

/** The name of a state, from the words of the applier that refused to leave it. */
export const stateIn = (fault: Fault): string | undefined =>
  (fault.details as { readonly state?: string } | undefined)?.state;
