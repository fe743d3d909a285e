import { secondMs } from '../../kernel/units.ts';

/** How old the answer to what is free may be: a price list is looked at far more often than it changes. */
export const catalogFreshMs = 5 * secondMs;
/** Hosts that a refusal names; the rest is counted. */
export const hostsNamed = 20;
