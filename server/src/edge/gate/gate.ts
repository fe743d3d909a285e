import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { CallerAddress } from './caller-address.ts';

/**
 * The first check of a request, before anything is read, looked up or verified. A request whose credential was valid
 * recently passes; every other one counts against a budget of its address. So a flood of guessed tokens, random cookies
 * or sign-ins costs one comparison each, and an office behind one address is not throttled, because its people are
 * known after their first request. All state is in memory: each process counts alone.
 */
export interface Gate {
  /** Seconds to wait; undefined when the request may go on. */
  admit(address: CallerAddress, credential: string | undefined): number | undefined;
  /** The credential was found valid. */
  vouch(credential: string): void;
  /** The credential was refused: it counts again. */
  doubt(credential: string): void;
}

const minuteMs = 60_000;
const trustedMs = 15 * minuteMs;
const maxCredentials = 50_000;
const maxAddresses = 100_000;

export function makeGate(parts: { readonly clock: Clock; readonly perMinute: () => number }): Gate {
  const trustedUntil = new Map<string, number>();
  /** When the budget of an address is full again; the time ahead of now is spent. */
  const fullAt = new Map<string, number>();
  const digest = (credential: string) => hash('sha256', credential, 'base64');

  function isTrusted(credential: string | undefined, nowMs: number): boolean {
    if (credential === undefined) return false;
    return (trustedUntil.get(digest(credential)) ?? 0) > nowMs;
  }
  return {
    admit(address, credential) {
      const nowMs = parts.clock.now().getTime();
      if (isTrusted(credential, nowMs)) return undefined;
      const costMs = minuteMs / parts.perMinute();
      const fullMs = Math.max(nowMs, fullAt.get(address) ?? nowMs) + costMs;
      const overMs = fullMs - nowMs - minuteMs;
      // Half a request of slack, since the costs of a whole budget do not add up to a minute to the last digit.
      if (overMs > costMs / 2) return Math.max(1, Math.ceil(overMs / 1_000));
      keep(fullAt, address, fullMs, maxAddresses);
      return undefined;
    },
    vouch: (credential) =>
      keep(trustedUntil, digest(credential), parts.clock.now().getTime() + trustedMs, maxCredentials),
    doubt: (credential) => void trustedUntil.delete(digest(credential)),
  };
}

/** The one that was touched longest ago makes room. */
function keep(map: Map<string, number>, key: string, value: number, most: number): void {
  map.delete(key);
  if (map.size >= most) map.delete(map.keys().next().value ?? '');
  map.set(key, value);
}
