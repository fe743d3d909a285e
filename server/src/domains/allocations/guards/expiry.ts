import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import { guardBatch } from '../facts.ts';
import { eachOf, type GuardParts, look } from './guard.ts';
import { listExpired } from './guards-store.ts';
import type { GuardRelease } from './release.ts';

/** Releases allocations whose time is up: the time that was asked for, or the time that their cap pays for. */
export const makeExpiry = (parts: GuardParts, release: GuardRelease): Reconciler => ({
  name: 'allocation-expiry',
  async round() {
    const now = parts.clock.now();
    return eachOf(
      parts,
      'allocation-expiry',
      (after) => look(parts, (tx) => listExpired(tx, now, after, guardBatch)),
      ({ id, spent }) => release(id, spent ? 'max_spend' : 'max_duration'),
    );
  },
});
