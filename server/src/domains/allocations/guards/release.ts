import { beginRelease } from '../life/release.ts';
import { changeAllocation, type GuardParts } from './guard.ts';

/** Begins the release of an allocation for a guard. False when it cannot begin: it is being released, or has ended. */
export type GuardRelease = (id: string, reason: string, forced?: boolean) => Promise<boolean>;

export const makeGuardRelease =
  (parts: GuardParts): GuardRelease =>
  (id, reason, forced = false) =>
    changeAllocation(parts, id, `allocation.release_${reason}`, (tx, correlationId) =>
      beginRelease(tx, id, {
        ids: parts.ids,
        tasks: parts.tasks,
        correlationId,
        reason,
        forced,
        maxAttempts: parts.policies.maxReleaseAttempts(),
        endedAt: parts.clock.now(),
      }),
    );
