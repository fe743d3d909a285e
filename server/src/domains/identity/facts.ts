import { minuteMs, secondMs } from '../../kernel/units.ts';

/** The promise about revocation: a person who lost a role is refused after this long at the latest. */
export const freshMs = 5 * secondMs;
/** For this long after a revocation every process holds it in memory; by then none remembers a person from before it. */
export const recentMs = 10 * minuteMs;
/** People remembered by one process, at some 200 bytes each. */
export const maxKnown = 20_000;
/** 256 bits: nobody guesses a token. */
export const secretBytes = 32;
/** As many characters of the secret as help to tell two tokens apart. */
export const shownOfSecret = 6;

/** A credential in constant use is written down this often. */
export const everyMs = minuteMs;
/** What is new waits this long for company. */
export const gatherMs = secondMs;
/** Credentials whose last note is remembered by one process; one that falls out is written down again. */
export const maxRemembered = 20_000;
/** Sightings that wait for the next write. More are dropped: the next request brings them again. */
export const maxWaiting = 2_000;
/** The most of one kind that a page about a person names one by one. */
export const maxShown = 200;
