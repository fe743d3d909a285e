import type { ReadCharged } from '../allocations/index.ts';
import { money } from './money.ts';
import { findChargedFor } from './read-store.ts';

/** What an allocation has cost so far, from the meters that evidence moves. */
export const readCharged: ReadCharged = async (tx, allocationId) => {
  const found = await findChargedFor(tx, allocationId);
  return found ? { ...money(found.amount_minor, found.currency), charged_to: found.charged_to.toISOString() } : null;
};
