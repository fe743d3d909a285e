import type { Act, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AllocationParts } from '../parts.ts';
import { ask } from '../sagas/ask.ts';
import { forNothingLeft } from '../sagas/vacate.ts';
import { beginRelease, type Left } from './leave.ts';
import { readOrder } from './order.ts';

/** A release that somebody asked for through the api, who did not say which version they saw. */
export async function endAllocation(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act,
  id: string,
  how: { readonly reason: string; readonly said?: string | undefined; readonly forced: boolean },
): Promise<Left | undefined | Fault<'allocation_already_releasing' | 'illegal_transition'>> {
  const left = await beginRelease(tx, id, {
    ...how,
    ids: parts.ids,
    tasks: parts.tasks,
    correlationId: act.correlationId,
    maxAttempts: parts.limits(act).maxReleaseAttempts,
    endedAt: parts.clock.now(),
  });
  if (!(left instanceof Fault)) {
    if (left?.moved.to === 'releasing') await askToLeave(tx, parts, act, id, how);
    return left;
  }
  if (left.code === 'version_conflict') throw left;
  return left as Fault<'allocation_already_releasing' | 'illegal_transition'>;
}

/** Its node is asked at once, ahead of the saga that will look after it. Whatever keeps it from that is for the saga to find. */
async function askToLeave(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act,
  id: string,
  how: { readonly forced: boolean },
) {
  const order = await readOrder(tx, id);
  if (!order || order.slots.length === 0) return;
  const asked = await ask(tx, parts, order, forNothingLeft(parts, how), act);
  if (asked instanceof Fault) await parts.tasks.cancelOf(tx, { allocationId: id, generation: order.generation });
}
