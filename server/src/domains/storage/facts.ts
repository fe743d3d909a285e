import { minuteMs } from '../../kernel/units.ts';

/** How many things one round of the upkeep takes on; the next round follows at once. */
export const sweptAtOnce = 100;
/** Downloads that were begun end before their bytes are removed. */
export const removedAfterMs = 10 * minuteMs;
export const upkeepEveryMs = minuteMs;
/** As many missing parts as a refusal names: a caller resumes with all of them, and reads these. */
export const namedMissing = 20;
/** Above every name: what follows a folder in the order of bytes. */
export const afterAll = '\u{10ffff}';
/** The content type where the caller gives none. */
export const anyContent = 'application/octet-stream';
/** In bytes, below the namespace: what the index of paths can hold with room to spare. */
export const longestPath = 1_000;
/** Of the secret of a link or a token: nobody guesses it. */
export const secretBytes = 32;
