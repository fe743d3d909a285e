import { secondMs } from '../../kernel/units.ts';

/** A role that was taken away is gone after this long at the latest, even where the push is lost. */
export const freshMs = 5 * secondMs;
/** Roles, organizations and projects remembered by one process, each at some 200 bytes. */
export const maxKnown = 20_000;
/** 256 bits: nobody guesses an invitation. */
export const tokenBytes = 32;
/** Organizations that a person sees at a glance; the list of organizations has pages. */
export const maxShown = 200;
/** Winding down waits for other domains: machines shut down and disks are wiped, which takes a quarter of an hour at most. */
export const windDownRetry = { attempts: 40, firstDelayMs: 200, maxDelayMs: 30 * secondMs };
/** Invitations that one round moves to `expired`. */
export const invitationsAtOnce = 200;
