import { hash } from 'node:crypto';
import type { Cache } from '../../ports/cache/port.ts';
import type { CallerAddress } from '../gate/caller-address.ts';

/**
 * How often a password may be tried. Three budgets: one for a login from an address, which stops a guesser early; one
 * for an address, whatever logins it tries; and a wide one for a login from anywhere, which stops a crowd of guessers
 * but is hard to use for locking somebody out. Tries are counted before the password is looked at, right or wrong, so
 * many at once do not slip through.
 */
export interface AttemptLimits {
  readonly windowMs: number;
  readonly perLoginAndAddress: number;
  readonly perAddress: number;
  readonly perLogin: number;
}
export const defaultAttemptLimits: AttemptLimits = {
  windowMs: 15 * 60_000,
  perLoginAndAddress: 10,
  perAddress: 300,
  perLogin: 100,
};

/** Letters that are asked for within a window: from one address, and to one recipient. */
const lettersPerAddress = 30;
const lettersPerRecipient = 5;

const digestOf = (written: string): string =>
  hash('sha256', written.normalize('NFKC').trim().toLowerCase(), 'base64url');

/** Undefined when the try may go on; otherwise how long to wait. */
type Counted = Promise<{ readonly waitMs: number } | undefined>;
export interface Attempts {
  password(login: string, address: CallerAddress): Counted;
  /** The code of a device is short enough to be typed, so it is worth guessing as well. */
  deviceCode(address: CallerAddress): Counted;
  /** A letter that was not asked for is a nuisance to whoever gets it. */
  letter(recipient: string, address: CallerAddress): Counted;
}

export function makeAttempts(cache: Pick<Cache, 'hit'>, limits: AttemptLimits = defaultAttemptLimits): Attempts {
  async function draw(budgets: readonly (readonly [key: string, budget: number])[]): Counted {
    for (const [key, budget] of budgets) {
      const { count, resetMs } = await cache.hit(key, limits.windowMs, 1);
      if (count > budget) return { waitMs: resetMs };
    }
    return undefined;
  }
  return {
    password(login, address) {
      const who = digestOf(login);
      // In this order, a guesser who is out of budget does not use up the budget of the login.
      return draw([
        [`oidc:password:address:${address}`, limits.perAddress],
        [`oidc:password:pair:${who}:${address}`, limits.perLoginAndAddress],
        [`oidc:password:login:${who}`, limits.perLogin],
      ]);
    },
    letter(recipient, address) {
      return draw([
        [`oidc:letter:address:${address}`, lettersPerAddress],
        [`oidc:letter:recipient:${digestOf(recipient)}`, lettersPerRecipient],
      ]);
    },
    deviceCode: (address) => draw([[`oidc:device:address:${address}`, limits.perAddress]]),
  };
}
