import { minuteMs } from '../../kernel/units.ts';

/** As many instances as one answer of a revocation names, because an answer is read by a person; all of them are affected. */
export const mostAffected = 1_000;
/** As many things beside an image as verification looks at: who adds a thousand does not slow others down. */
export const mostCandidates = 32;
/** A signature is some hundred bytes. */
export const mostBundleBytes = 256 * 1_024;
/** Lists of the contents of large images have some megabytes. */
export const mostSbomBytes = 16 * 1_024 * 1_024;
/** Versions that are looked at side by side, so that one slow registry does not hold up the others. */
export const verifiedAtOnce = 8;
/** A reason is cut to what its column holds. */
export const longestTrouble = 500;
/** One look at one image takes no longer than this and one question more: versions are looked at side by side, and wait for each other. */
export const longestLookMs = minuteMs;
/** Signatures of one envelope that are tried: one is enough. */
export const mostSignatures = 8;
/** Images that one statement may name before it is read no further; one that names several is not taken. */
export const mostSubjects = 64;
/** Each wait for the next look is this many times the last one. */
export const waitGrowth = 2;
