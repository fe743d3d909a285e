import { dayMs, minuteMs, secondMs } from '../../kernel/units.ts';

/** What was disabled, deleted or revoked is refused after this long at the latest. */
export const freshMs = 5 * secondMs;
/** Machines remembered by one process, at some 300 bytes each. */
export const maxKnown = 20_000;
/** The longest life of an assertion. The contract says so: what signs them is written against it. */
export const assertionMaxMs = 5 * minuteMs;

/** How long one key of ours signs. */
export const signsMs = 90 * dayMs;
/** Longer than any token lives that it signed. */
export const shownMs = signsMs + dayMs;
/** How soon keys that another process made are looked for again. */
export const lookAgainMs = 10 * secondMs;
