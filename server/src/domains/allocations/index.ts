/** Allocations: who holds which capacity. */

export { type GuardParts, makeGuards } from './guards.ts';
export { beginRelease, type Leaving, type Left } from './leave.ts';
export {
  type AllocationFacts,
  type AllocationState,
  type AllocationTransition,
  advanceAllocation,
  type MovedAllocation,
  noteAllocation,
  stateFacts,
} from './machine.ts';
export { readOrder } from './order.ts';
export { makePhases } from './phases.ts';
export { makeReattest } from './reattest.ts';
export { makeAttest, makeRestart } from './sagas/attest.ts';
export type { OfLease, SagaParts } from './sagas/parts.ts';
export { makeProvision } from './sagas/provision.ts';
export { makeVacate, makeVacateAndReimage, type Vacate } from './sagas/vacate.ts';
export { freeClaims, type MovedSlots, moveSlots, type SlotState, type SlotTransition } from './slots.ts';
export { makeProjectAllocations } from './wind-down.ts';
