import { provisioningFailed } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { whyNoneMayClear } from '../../nodes/index.ts';
import { freeClaims, moveSlots } from '../slots/slots.ts';
import type { Released } from './cancel.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';
import type { LifeParts } from './parts.ts';
import { slotsOfSql } from './store.ts';

const settleWithout =
  'Or send runtime_verified_absent: false; the slots then stay blocked until you clear them one by one.';

/**
 * An operator settles a release that its node cannot prove. The slots become free only if the operator has verified that
 * nothing is left, the host is active, and the slots have the probe that clearing asks for; otherwise they stay blocked.
 * Undefined when there is no such allocation.
 */
export async function cleanUpAllocation(
  tx: WriteTx,
  parts: Pick<LifeParts, 'ids'>,
  act: Act,
  id: string,
  word: { readonly reason: string; readonly runtime_verified_absent: boolean },
): Promise<Released | undefined | Fault<'illegal_transition' | 'probe_required'>> {
  const moved = await advanceAllocation(tx, id, 'cleanUp', {
    ...{ ids: parts.ids, correlationId: act.correlationId },
    detail: { runtime_verified_absent: word.runtime_verified_absent },
    set: { failureCode: 'force_cleanup', failureReason: word.reason },
  });
  if (!moved) return undefined;
  if (moved instanceof Fault) {
    // The caller named no version, so there is none to conflict with.
    if (moved.code === 'version_conflict') throw moved;
    return moved as Fault<'illegal_transition'>;
  }
  const slots = await tx.rows<{ id: string; state: string; node_state: string }>(slotsOfSql, [id]);
  if (word.runtime_verified_absent && slots.some(({ node_state }) => node_state !== 'active')) {
    return new Fault('illegal_transition', 'Its host is not active: settle the host first.');
  }
  const unproven = slots.filter(({ state }) => state === 'reserved' || state === 'in_use' || state === 'cleaning');
  await freeClaims(tx, id);
  if (unproven.length > 0) {
    await moveSlots(tx, { slotIds: unproven.map((slot) => slot.id) }, 'block', { reason: word.reason });
  }
  const blocked = [...unproven, ...slots.filter(({ state }) => state === 'cleanup_blocked')].map((slot) => slot.id);
  if (word.runtime_verified_absent && blocked.length > 0) {
    // A slot that was blocked just now has no probe after its blocking yet.
    const whyNot = await whyNoneMayClear(tx, blocked);
    if (whyNot !== null) return new Fault('probe_required', `${whyNot} ${settleWithout}`);
    // The operator answers for the wipe; the slots show who and why until the next wipe is proven.
    const decision = { reason: word.reason, waivedBy: act.actorId };
    const cleared = await moveSlots(tx, { slotIds: blocked }, 'clear', decision);
    if (cleared instanceof Fault) return cleared;
  }
  const failure = {
    failure_code: 'force_cleanup',
    failure_reason: 'An operator settled it without proof of the host.',
  };
  return { moved, events: [provisioningFailed.of(id, { ...aboutMoved(id, moved), ...failure })] };
}
