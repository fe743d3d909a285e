import { provisioningReleasingEscalated } from '@gpuaas/contract';
import { type NodeTaskResult, quarantiningFailures } from '@gpuaas/contract/node';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { LeasedAllocation } from '../life/leased.ts';
import { noteAllocation } from '../life/machine.ts';
import type { LifeChange } from '../life/parts.ts';
import { moveSlots } from '../slots/slots.ts';
import { isLeaving } from '../tasks/vacate-task.ts';
import { wasDestroyNoted } from './store.ts';

interface Task {
  readonly id: string;
  readonly correlation_id: string;
}
type Lease = Pick<
  LeasedAllocation,
  'id' | 'organizationId' | 'projectId' | 'version' | 'simulated' | 'generation' | 'nodeId'
>;

/** The event of one step of an escalation. */
export const escalated = (lease: Lease, step: 'destroy' | 'quarantine', failureCode: string | null = null) =>
  provisioningReleasingEscalated.of(lease.id, {
    allocation_id: lease.id,
    organization_id: lease.organizationId,
    project_id: lease.projectId,
    version: lease.version,
    simulated: lease.simulated,
    generation: lease.generation,
    node_id: lease.nodeId,
    step,
    failure_code: failureCode,
  });

/**
 * The last step of an escalation: the machine could not be destroyed, or its devices could not be taken back. The transaction that
 * takes the node's result quarantines the slots; `leavesWork` wakes the worker, whose saga moves the release to `release_failed`.
 */
export async function quarantineStuck(
  tx: WriteTx,
  parts: { readonly ids: Ids },
  leased: LeasedAllocation,
  task: Task,
  result: NodeTaskResult,
): Promise<LifeChange | undefined> {
  const code = result.failure?.code ?? '';
  if (!quarantiningFailures.includes(code) || !isLeaving(leased)) return undefined;
  const lease = { allocationId: leased.id, generation: leased.generation };
  const reason =
    code === 'guest_hung'
      ? 'Its machine neither shut down nor could it be destroyed.'
      : 'Devices of its machine could not be taken back.';
  const moved = await moveSlots(tx, lease, 'quarantine', { reason });
  if (!moved || moved instanceof Fault) return undefined;
  await noteAllocation(tx, leased.id, {
    ...{ ids: parts.ids, correlationId: task.correlation_id, kind: 'note', name: 'slots_quarantined' },
    detail: { task_id: task.id, failure_code: code },
  });
  return {
    change: { slots: 'quarantined', failure: code },
    organizationId: leased.organizationId,
    projectId: leased.projectId,
    events: [escalated(leased, 'quarantine', code)],
    leavesWork: true,
  };
}

/**
 * A node reports that it destroys a machine twice: as a phase when it begins (tasks/phases.ts), and with its result, because the phase
 * may have been lost. The second report writes nothing where the first one is in the timeline.
 */
export async function noteDestroyed(
  tx: WriteTx,
  parts: { readonly ids: Ids },
  leased: LeasedAllocation,
  task: Task,
  result: NodeTaskResult,
): Promise<LifeChange['events']> {
  const { machine_ended: ended } = (result.output ?? {}) as { readonly machine_ended?: string };
  if (ended !== 'destroyed' || (await wasDestroyNoted(tx, leased.id, task.id))) return [];
  await noteAllocation(tx, leased.id, {
    ...{ ids: parts.ids, correlationId: task.correlation_id, kind: 'phase', name: 'destroy' },
    detail: { task_id: task.id, state: 'began', at: result.finished_at },
  });
  return [escalated(leased, 'destroy')];
}
