import type { Act, WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { beginRelease, type Left } from './leave.ts';
import type { AllocationParts } from './parts.ts';

/** A release that somebody asked for through the api, who did not say which version they saw. */
export async function endAllocation(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act,
  id: string,
  how: { readonly reason: string; readonly forced: boolean },
): Promise<Left | undefined | Fault<'allocation_already_releasing' | 'illegal_transition'>> {
  const left = await beginRelease(tx, id, {
    ...how,
    ids: parts.ids,
    correlationId: act.correlationId,
    maxAttempts: parts.limits(act).maxReleaseAttempts,
    endedAt: parts.clock.now(),
  });
  if (!(left instanceof Fault)) return left;
  if (left.code === 'version_conflict') throw left;
  return left as Fault<'allocation_already_releasing' | 'illegal_transition'>;
}
