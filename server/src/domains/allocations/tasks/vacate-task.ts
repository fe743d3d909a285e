import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { LeasedAllocation } from '../life/leased.ts';
import type { LifeParts } from '../life/parts.ts';
import { areAllQuarantined, moveSlots } from '../slots/slots.ts';
import type { TaskRequest } from './node-task.ts';

export const vacateTaskTypes = ['slice.vm_release', 'allocation.revoke_user'] as const;

/** The task that removes an allocation from its node. Queuing it cancels open tasks of the lease and moves the slots to `cleaning`. */
export const vacateTask = (
  parts: LifeParts,
  { forced }: { readonly forced: boolean },
): TaskRequest<(typeof vacateTaskTypes)[number]> => ({
  types: vacateTaskTypes,
  type: vacateTaskType,
  params: (leased) =>
    leased.shape === 'gpu_slice'
      ? {
          allocation_id: leased.id,
          slots: [...leased.slots],
          isolation_model: leased.isolationModel,
          grace_seconds: forced ? 0 : parts.graceSeconds(leased.organizationId),
        }
      : { allocation_id: leased.id, login: leased.login },
  allowed: isLeaving,
  ttlSeconds: parts.taskSeconds('release'),
  alongside: (tx, leased) => beginCleaning(tx, parts, leased),
});

/** The task that images a whole node again. It follows `vacateTask` where `needsReimage` says so. */
export const reimageTask = (parts: LifeParts): TaskRequest<'node.reimage_prepare'> => ({
  types: ['node.reimage_prepare'],
  type: () => 'node.reimage_prepare',
  params: ({ id, image }) => {
    if (!image) throw new Error(`allocation ${id} has no image to go back to`);
    return { image };
  },
  allowed: isLeaving,
  ttlSeconds: parts.taskSeconds('provision'),
});

export const vacateTaskType = ({ shape }: Pick<LeasedAllocation, 'shape'>): (typeof vacateTaskTypes)[number] =>
  shape === 'gpu_slice' ? 'slice.vm_release' : 'allocation.revoke_user';

export const isLeaving = ({ state }: LeasedAllocation): boolean => state === 'releasing' || state === 'failed';

/** A whole node under `full-reimage` is imaged again before it is sold again. */
export const needsReimage = ({ shape, isolationModel }: Pick<LeasedAllocation, 'shape' | 'isolationModel'>): boolean =>
  shape === 'baremetal' && isolationModel === 'full-reimage';

async function beginCleaning(
  tx: WriteTx,
  parts: LifeParts,
  { id, generation, slots }: LeasedAllocation,
): Promise<Fault | undefined> {
  const lease = { allocationId: id, generation };
  const [, moved] = await Promise.all([parts.tasks.cancelOf(tx, lease), moveSlots(tx, lease, 'clean')]);
  return moved instanceof Fault && !areAllQuarantined(moved, slots) ? moved : undefined;
}
