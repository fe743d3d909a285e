/** Allocations: who holds which capacity. */
export {
  type AllocationFacts,
  type AllocationState,
  type AllocationTransition,
  advanceAllocation,
  type MovedAllocation,
  noteAllocation,
  stateFacts,
} from './machine.ts';
export { freeClaims, type MovedSlots, moveSlots, type SlotState, type SlotTransition } from './slots.ts';
