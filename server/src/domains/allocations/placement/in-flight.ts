import { maxInFlight } from '../facts.ts';
import type { CandidateNode, CandidateSlot } from './model.ts';

/**
 * Slots that requests of this process are taking, as they saw them. Other requests do not see that before the commit and
 * would all pick the same slots. Only picks that do not wait use this memory; a pick that waits asks the rows.
 */
export interface InFlight {
  add(slot: CandidateSlot): void;
  /** The host with these slots shown as reserved. */
  mark(node: CandidateNode): CandidateNode;
}

export function makeInFlight(): InFlight {
  const inFlight = new Set<string>();
  const keyOf = ({ id, generation }: CandidateSlot) => `${id} ${generation}`;
  return {
    add(slot) {
      inFlight.add(keyOf(slot));
      const [oldest] = inFlight;
      if (inFlight.size > maxInFlight && oldest !== undefined) inFlight.delete(oldest);
    },
    mark: (node) => ({
      ...node,
      slots: node.slots.map((slot) => (inFlight.has(keyOf(slot)) ? { ...slot, state: 'reserved' } : slot)),
    }),
  };
}
