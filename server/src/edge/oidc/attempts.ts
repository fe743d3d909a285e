import { hash } from 'node:crypto';
import type { Cache } from '../../ports/cache/port.ts';
import type { CallerAddress } from '../gate/caller-address.ts';

/**
 * How often a password may be tried. Three budgets: one for a login from an address, which stops a guesser early; one
 * for an address, whatever logins it tries; and a wide one for a login from anywhere, which stops a crowd of guessers.
 * Ten addresses can use the wide one up and so lock a login out, but not in a browser that its owner signed in with before:
 * that has a budget of its own, and all such browsers of a login have a wide one together. Tries are counted before the password is looked at, right or wrong, so many at once
 * do not slip through.
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

/** Emails that are requested within a window: from one address, and to one recipient. */
const lettersPerAddress = 30;
const lettersPerRecipient = 5;

export const loginDigest = (written: string): string =>
  hash('sha256', written.normalize('NFKC').trim().toLowerCase(), 'base64url');

/** Undefined when the try may go on; otherwise how long to wait. */
type Counted = Promise<{ readonly waitMs: number } | undefined>;
export interface Attempts {
  /** `browser` is the id of one that this login signed in with before. */
  password(login: string, address: CallerAddress, browser?: string): Counted;
  /** The code of a device is short enough to be typed, so it is worth guessing as well. */
  deviceCode(address: CallerAddress): Counted;
  /** Emails that the recipient did not request are a nuisance. */
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
    password(login, address, browser) {
      const who = loginDigest(login);
      // Strangers do not draw on these budgets, so they cannot use them up. The second one bounds a thief of many cookies.
      if (browser) {
        return draw([
          [`oidc:password:browser:${browser}:${who}`, limits.perLoginAndAddress],
          [`oidc:password:known:${who}`, limits.perLogin],
        ]);
      }
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
        [`oidc:letter:recipient:${loginDigest(recipient)}`, lettersPerRecipient],
      ]);
    },
    deviceCode: (address) => draw([[`oidc:device:address:${address}`, limits.perAddress]]),
  };
}
