import { provisioningReleasingCompleted } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { Halt } from '../../../kernel/saga.ts';
import { mayTake } from '../../attention/index.ts';
import { markCleaned } from '../retry/attempts-store.ts';
import { areAllQuarantined, freeClaims, moveSlots } from '../slots/slots.ts';
import { releaseWord } from './cancel.ts';
import { holdLeased, type LeasedAllocation, readLeaseState } from './leased.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';
import type { LifeChange, LifeParts, OfLease } from './parts.ts';
import type { Proofs } from './proofs.ts';

/** What becomes of slots whose cleaning is proven. */
export type Afterwards = 'available' | 'quarantined';

/**
 * Frees the slots of a lease whose cleaning is proven, and moves `releasing` to `released`. A failed allocation or attempt
 * has ended before: only its slots move. The transaction holds the allocation; it refuses when the slots cannot move, and
 * then changes nothing. The door of nodes calls it with the result (apply-result.ts), the saga calls it for an answer that
 * the door did not apply.
 */
export async function freeSlots(
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  afterwards: Afterwards,
  correlationId: string,
): Promise<LifeChange | Fault> {
  const { id: allocationId, generation } = leased;
  const reason = 'An allocation failed on it: look before it is used again.';
  // The breaker of the pool limits how many clean slots are quarantined. Slots beyond the limit become available.
  const setAside =
    afterwards === 'quarantined' &&
    (await mayTake(tx, { kind: 'quarantine', nodeId: leased.nodeId, source: 'attestation', reason })).granted;
  const freed = await moveSlots(
    tx,
    { allocationId, generation },
    setAside ? 'quarantine' : 'prove',
    setAside ? { reason } : {},
  );
  // Slots that were quarantined while they were emptied stay so: an operator clears them.
  const stays = areAllQuarantined(freed, leased.slots);
  if (freed instanceof Fault && !stays) return freed;
  const isSetAside = setAside || stays;
  const [moved] = await Promise.all([
    leased.state === 'releasing'
      ? advanceAllocation(tx, allocationId, 'prove', { ids: parts.ids, correlationId, seenGeneration: generation })
      : undefined,
    freeClaims(tx, allocationId, generation),
    markCleaned(tx, allocationId, generation),
  ]);
  if (moved instanceof Fault) throw new Error(`allocation ${allocationId} moved although it was held`);
  return {
    change: { ...(moved && { state: [moved.from, moved.to] }), slots: isSetAside ? 'quarantined' : 'available' },
    organizationId: leased.organizationId,
    projectId: leased.projectId,
    events: moved
      ? [
          provisioningReleasingCompleted.of(allocationId, {
            ...aboutMoved(allocationId, moved),
            reason: releaseWord(leased.releaseReason),
            ended_at: (leased.endedAt ?? parts.clock.now()).toISOString(),
          }),
        ]
      : [],
  };
}

/** The saga's step: a transaction of its own, and none where the door of nodes has freed the slots already. */
export async function freeLease(
  parts: LifeParts,
  act: Act,
  lease: OfLease & { readonly afterwards: Afterwards },
  proofs: (found: Pick<LeasedAllocation, 'shape'>) => Proofs,
): Promise<{ readonly clean: true } | Halt> {
  const found = await parts.db.read(act, (tx) => readLeaseState(tx, lease.allocationId, lease.generation));
  const unproven = found && haltUnless(proofs(found));
  if (unproven) return unproven;
  if (found?.state === 'released') return { clean: true };
  const outcome = await parts.db.write(act, async (tx) => {
    const held = await holdLeased(tx, lease.allocationId, lease.generation);
    if (held?.generation !== lease.generation) {
      return tx.abandon(new Fault('version_conflict', 'The allocation has another lease by now.'));
    }
    const freed = await freeSlots(tx, parts, held, lease.afterwards, act.correlationId);
    if (freed instanceof Fault) return tx.abandon(freed);
    const { change, organizationId, events } = freed;
    return tx.commit(undefined, {
      target: { type: 'allocation', id: lease.allocationId },
      ...{ change, organizationId, events: events.length > 0 ? events : 'none' },
    });
  });
  // A later lease is not this run's business. Slots that cannot move are: an operator has to look.
  return outcome instanceof Fault && outcome.code !== 'version_conflict' ? new Halt(outcome.message) : { clean: true };
}

export const haltUnless = ({ problems }: Proofs): Halt | undefined =>
  problems.length > 0 ? new Halt(problems.join(' ')) : undefined;
