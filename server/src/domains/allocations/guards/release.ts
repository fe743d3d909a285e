import { Fault } from '../../../kernel/fault.ts';
import type { LifeParts } from '../life/parts.ts';
import { beginRelease, queueVacateTask } from '../life/release.ts';
import { changeAllocation, type GuardParts } from './guard.ts';

/** Begins the release of an allocation for a guard, and asks its node. False when it cannot begin: it is being released, or has ended. */
export type GuardRelease = (id: string, reason: string, forced?: boolean) => Promise<boolean>;

export const makeGuardRelease =
  (parts: GuardParts & LifeParts): GuardRelease =>
  (id, reason, forced = false) =>
    changeAllocation(parts, id, `allocation.release_${reason}`, async (tx, correlationId) => {
      const released = await beginRelease(tx, id, {
        ids: parts.ids,
        tasks: parts.tasks,
        correlationId,
        reason,
        forced,
        maxAttempts: parts.policies.maxReleaseAttempts(),
        endedAt: parts.clock.now(),
      });
      if (released && !(released instanceof Fault)) {
        await queueVacateTask(tx, parts, id, released, { forced, correlationId });
      }
      return released;
    });
