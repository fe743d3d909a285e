import { type SlotAction, slotMachine } from '@gpuaas/contract';
import { Fault } from '../../../kernel/fault.ts';
import { type SlotProof, whyNoClear } from './proof.ts';

/**
 * What an operator may do with a slot. The list of actions that a slot is shown with and the routes that move it ask the
 * same function.
 */
interface ActionableSlot extends SlotProof {
  readonly state: string;
  readonly allocation_id: string | null;
  /** Whether an allocation that has not ended has a claim on it. */
  readonly claimed: boolean;
  /** Since when its wipe is not proven, and the task that proves it by now. */
  readonly wipe_owed_since: Date | null;
  readonly wipe_proof_task_id: string | null;
}
type Name = SlotAction['action'];
type Refused = 'slot_in_use' | 'illegal_transition';
type SlotRefusal = Fault<Refused | 'probe_required' | 'wipe_unproven'>;

const edges = slotMachine.states as Readonly<Record<string, Readonly<Record<string, string>>>>;
const held: ReadonlySet<string> = new Set(['reserved', 'in_use', 'cleaning']);

export function refuseSlot(
  slot: ActionableSlot,
  action: 'enable' | 'disable' | 'quarantine',
): Fault<Refused> | undefined;
export function refuseSlot(
  slot: ActionableSlot,
  action: 'clear_unproven',
): Fault<Refused | 'probe_required'> | undefined;
export function refuseSlot(slot: ActionableSlot, action: Name): SlotRefusal | undefined;
export function refuseSlot(slot: ActionableSlot, action: Name): SlotRefusal | undefined {
  const { state, allocation_id } = slot;
  // What an allocation holds is released first, whatever the machine allows.
  if (held.has(state))
    return new Fault('slot_in_use', `It is ${state}: release what is there first.`, { allocation_id });
  const isClearing = action === 'clear' || action === 'clear_unproven';
  if (edges[state]?.[isClearing ? 'clear' : action] === undefined) {
    return new Fault('illegal_transition', `It is ${state}, which does not allow this.`, { state });
  }
  if (slot.claimed && action !== 'quarantine') {
    return new Fault('slot_in_use', 'An allocation that has not ended has a claim on it: settle that first.', {
      allocation_id,
    });
  }
  if (!isClearing) return undefined;
  const owes = slot.wipe_owed_since !== null && slot.wipe_proof_task_id === null;
  if (action === 'clear_unproven' && !owes) {
    return new Fault('illegal_transition', 'It owes no proof of a wipe: clear it.', { state });
  }
  if (action === 'clear' && owes) return new Fault('wipe_unproven', unwiped);
  const unproven = whyNoClear(slot);
  return unproven === null ? undefined : new Fault('probe_required', unproven);
}
const unwiped =
  'The host has not proven that it was wiped. Release its allocation again, or quarantine it and image the host; or decide to sell it without proof (clear-unproven).';

export const slotActionsOf = (slot: ActionableSlot): SlotAction[] =>
  (['enable', 'disable', 'quarantine', 'clear', 'clear_unproven'] as const).map((action) => {
    const refused = refuseSlot(slot, action);
    return { action, allowed: refused === undefined, why_not: refused?.message ?? null };
  });
