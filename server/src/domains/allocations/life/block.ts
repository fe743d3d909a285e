import { provisioningReleaseFailed } from '@gpuaas/contract';
import type { Act } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { moveSlots } from '../slots/slots.ts';
import { isLeaving } from '../tasks/vacate-task.ts';
import { readLeased } from './leased.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';
import type { LifeParts, OfLease } from './parts.ts';

/**
 * The node did not prove that the slots are clean: they are blocked until an operator has looked, and a release moves to
 * `release_failed`. An allocation that failed has ended before: only its slots are blocked.
 */
export async function blockSlots(parts: LifeParts, act: Act, { allocationId, generation }: OfLease): Promise<void> {
  await parts.db.write(act, async (tx) => {
    const leased = await readLeased(tx, allocationId, generation);
    if (!leased || leased.generation !== generation || !isLeaving(leased)) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation is not leaving with this lease.'));
    }
    const reason = 'It could not be proven that nothing of it is left.';
    const moved =
      leased.state === 'releasing'
        ? await advanceAllocation(tx, allocationId, 'giveUp', {
            ...{ ids: parts.ids, correlationId: act.correlationId, seenGeneration: generation },
            detail: { reason },
          })
        : undefined;
    if (moved instanceof Fault) return tx.abandon(moved);
    await parts.tasks.cancelOf(tx, { allocationId, generation });
    // Slots that were quarantined meanwhile stay quarantined: they are not sold either.
    const blocked = await moveSlots(tx, { allocationId, generation }, 'block', { reason });
    return tx.commit(undefined, {
      target: { type: 'allocation', id: allocationId },
      change: {
        ...(moved && { state: [moved.from, moved.to] }),
        slots: blocked instanceof Fault ? 'set aside' : 'cleanup_blocked',
      },
      organizationId: leased.organizationId,
      events: moved
        ? [
            provisioningReleaseFailed.of(allocationId, {
              ...aboutMoved(allocationId, moved),
              generation,
              reason,
              attempts: Math.max(1, leased.releaseAttempts),
            }),
          ]
        : 'none',
    });
  });
}
