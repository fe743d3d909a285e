import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondMs } from '../../../kernel/units.ts';
import { expectationOf, hostnameOf, type LeasedAllocation } from '../life/leased.ts';
import { advanceAllocation } from '../life/machine.ts';
import type { LifeParts } from '../life/parts.ts';
import type { TaskRequest } from './node-task.ts';

export const provisionTaskTypes = ['slice.vm_provision', 'allocation.provision_user'] as const;

/** The task that makes the machine of an allocation that has its slots. Queuing it moves the allocation to `provisioning`. */
export const provisionTask = (parts: LifeParts): TaskRequest<(typeof provisionTaskTypes)[number]> => ({
  types: provisionTaskTypes,
  type: ({ shape }) => (shape === 'gpu_slice' ? 'slice.vm_provision' : 'allocation.provision_user'),
  params: (leased) => (leased.shape === 'gpu_slice' ? sliceParams(parts, leased) : wholeNodeParams(parts, leased)),
  allowed: ({ state }) => state === 'requested' || state === 'provisioning',
  ttlSeconds: parts.taskSeconds('provision'),
  alongside: (tx, leased, correlationId) => beginProvisioning(tx, parts, leased, correlationId),
});

async function beginProvisioning(
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  correlationId: string,
): Promise<Fault | undefined> {
  if (leased.state === 'provisioning') return undefined;
  const moved = await advanceAllocation(tx, leased.id, 'provision', {
    ids: parts.ids,
    correlationId,
    seenGeneration: leased.generation,
  });
  if (!moved) return new Fault('allocation_not_found', 'The allocation is gone.');
  return moved instanceof Fault ? moved : undefined;
}

const leaseParams = (parts: LifeParts, { maxDurationSeconds }: LeasedAllocation) => ({
  // The end is counted from the activation, which is in the future: this is the latest possible end. Activation sends the exact one.
  deadline_at:
    maxDurationSeconds === undefined
      ? null
      : new Date(
          parts.clock.now().getTime() + (parts.taskSeconds('provision') + maxDurationSeconds) * secondMs,
        ).toISOString(),
});

function sliceParams(parts: LifeParts, leased: LeasedAllocation) {
  const { profile, image } = leased;
  if (!profile || !image) throw new Error(`allocation ${leased.id} is a slice without a profile or an image`);
  return {
    ...wholeNodeParams(parts, leased),
    hostname: hostnameOf(leased.id),
    slots: [...leased.slots],
    profile,
    image,
  };
}
const wholeNodeParams = (parts: LifeParts, leased: LeasedAllocation) => ({
  allocation_id: leased.id,
  login: leased.login,
  authorized_keys: [...leased.keys],
  ...(leased.authorities && { trusted_authorities: [...leased.authorities] }),
  lease: leaseParams(parts, leased),
  expect: expectationOf(leased),
});
