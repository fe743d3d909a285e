import type { NodeTaskResult, NodeTaskType } from '@gpuaas/contract/node';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { isClosed } from '../../../kernel/process/failpoint.ts';
import { answerOf, type TaskAnswer } from '../../nodes/index.ts';
import { noteDestroyed, quarantineStuck } from '../escalation/escalate.ts';
import { needsReimage, vacateTaskType } from '../tasks/vacate-task.ts';
import { activateAllocation } from './activate.ts';
import { freeSlots } from './free.ts';
import { type LeasedAllocation, readLeased } from './leased.ts';
import type { LifeChange, LifeParts } from './parts.ts';
import { proofsOf } from './proofs.ts';

/**
 * Applies a node's result to its allocation, in the transaction that takes the result: a provisioned machine makes it
 * active, a proven cleaning frees its slots. Undefined when nothing was applied.
 *
 * Failures, missing proofs and everything that needs an undo are left to the saga, which gets the same answer and finds a success
 * applied already. Two things about a release are written here nevertheless, because they have happened on the host: its machine was
 * destroyed (escalation/escalate.ts), and its slots are quarantined because the machine or its devices hang.
 */
export const makeApplyResult =
  (parts: LifeParts) =>
  async (
    tx: WriteTx,
    task: {
      readonly id: string;
      readonly task_type: NodeTaskType;
      readonly allocation_id: string | null;
      readonly generation: bigint;
      readonly correlation_id: string;
    },
    result: NodeTaskResult,
  ): Promise<LifeChange | undefined> => {
    const isRelease = task.task_type === 'slice.vm_release';
    const succeeded = result.outcome === 'succeeded';
    const apply = isClosed('life.ahead') || !succeeded ? undefined : transitions[task.task_type];
    if ((!apply && !isRelease) || task.allocation_id === null) return undefined;
    const leased = await readLeased(tx, task.allocation_id, Number(task.generation));
    // results.ts has refused results of other leases already. Without a lease there is nothing to apply.
    if (leased?.generation !== Number(task.generation)) return undefined;
    if (!succeeded) return quarantineStuck(tx, parts, leased, task, result);
    const destroyed = isRelease ? await noteDestroyed(tx, parts, leased, task, result) : [];
    const applied = await apply?.(
      ...([tx, parts, leased, answerOf({ id: task.id, state: 'succeeded', result }), task.correlation_id] as const),
    );
    if (applied && !(applied instanceof Fault)) return { ...applied, events: [...destroyed, ...applied.events] };
    const { organizationId, projectId } = leased;
    return destroyed.length === 0
      ? undefined
      : { organizationId, projectId, change: { machine: 'destroyed' }, events: destroyed, leavesWork: true };
  };

type Apply = (
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  answer: TaskAnswer,
  correlationId: string,
) => Promise<LifeChange | Fault | undefined>;

const freeIfProven: Apply = async (tx, parts, leased, answer, correlationId) =>
  leased.state === 'releasing' &&
  !needsReimage(leased) &&
  proofsOf(vacateTaskType(leased), answer).problems.length === 0
    ? freeSlots(tx, parts, leased, 'available', correlationId)
    : undefined;

const transitions: Partial<Record<NodeTaskType, Apply>> = {
  'slice.vm_provision': activateAllocation,
  'allocation.provision_user': activateAllocation,
  'slice.vm_release': freeIfProven,
  'allocation.revoke_user': freeIfProven,
};
