import { randomBytes, randomUUID } from 'node:crypto';

/** Names that nobody else has, and chance between 0 and 1. Handed in, so that a test can foresee both. */
export interface Chance {
  uuid(): string;
  fraction(): number;
}

export const systemChance: Chance = {
  uuid: () => randomUUID(),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};

/**
 * How long to wait after so many failures in a row. The ceiling doubles and the wait is drawn anywhere below it, so that
 * a fleet that lost its control plane in one moment does not come back in one moment.
 */
export function backoffMs(
  wait: { readonly firstMs: number; readonly maxMs: number },
  failures: number,
  chance: Chance,
): number {
  const ceiling = Math.min(wait.maxMs, wait.firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.max(ceiling * chance.fraction(), leastMs);
}

/** Trouble that comes back at once must not become a hot loop, however the dice fall. */
const leastMs = 50;

/** `value` moved by at most `share` of itself, up or down. */
export const jittered = (value: number, share: number, chance: Chance): number =>
  value * (1 + share * (2 * chance.fraction() - 1));
