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
}
type Name = SlotAction['action'];
type SlotRefusal = Fault<'slot_in_use' | 'illegal_transition' | 'probe_required'>;

const edges = slotMachine.states as Readonly<Record<string, Readonly<Record<string, string>>>>;
const held: ReadonlySet<string> = new Set(['reserved', 'in_use', 'cleaning']);

export function refuseSlot(
  slot: ActionableSlot,
  action: 'enable' | 'disable' | 'quarantine',
): Fault<'slot_in_use' | 'illegal_transition'> | undefined;
export function refuseSlot(slot: ActionableSlot, action: Name): SlotRefusal | undefined;
export function refuseSlot(slot: ActionableSlot, action: Name): SlotRefusal | undefined {
  const { state, allocation_id } = slot;
  // What an allocation holds is released first, whatever the machine allows.
  if (held.has(state))
    return new Fault('slot_in_use', `It is ${state}: release what is there first.`, { allocation_id });
  if (edges[state]?.[action] === undefined) {
    return new Fault('illegal_transition', `It is ${state}, which does not allow this.`, { state });
  }
  if (slot.claimed && action !== 'quarantine') {
    return new Fault('slot_in_use', 'An allocation that has not ended has a claim on it: settle that first.', {
      allocation_id,
    });
  }
  const unproven = action === 'clear' ? whyNoClear(slot) : null;
  return unproven === null ? undefined : new Fault('probe_required', unproven);
}

export const slotActionsOf = (slot: ActionableSlot): SlotAction[] =>
  (['enable', 'disable', 'quarantine', 'clear'] as const).map((action) => {
    const refused = refuseSlot(slot, action);
    return { action, allowed: refused === undefined, why_not: refused?.message ?? null };
  });
