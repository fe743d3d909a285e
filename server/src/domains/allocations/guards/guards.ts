import type { LifeParts } from '../life/parts.ts';
import { makeDriftGuard } from './drift-guard.ts';
import { makeExpiry } from './expiry.ts';
import type { GuardParts } from './guard.ts';
import { makeIdle } from './idle.ts';
import { makeLostNodes } from './lost-nodes.ts';
import { makeGuardRelease } from './release.ts';

/**
 * The guards of allocations. Each guard reads a bounded number of rows at a time and changes each allocation in an audited
 * act of its own; when another caller moved the allocation first, the guard leaves it alone.
 */
export function makeGuards(parts: GuardParts & LifeParts) {
  const release = makeGuardRelease(parts);
  return {
    release,
    expiry: makeExpiry(parts, release),
    lostNodes: makeLostNodes(parts),
    idle: makeIdle(parts, release),
    drift: makeDriftGuard(parts, release),
  };
}
