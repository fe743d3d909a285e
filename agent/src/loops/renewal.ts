import { backoffMs, type Chance, jittered } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Identity } from '../identity/identity-files.ts';
import type { Log } from '../telemetry/log.ts';

/**
 * Renews the certificate at two thirds of its life, a little earlier or later than the neighbours. Trouble is tried
 * again, also after the end: then only an operator's token helps, and the loop watches for the identity that such an
 * enrolment writes.
 */
const due = 2 / 3;
const spread = 0.05;
const retry = { firstMs: 5_000, maxMs: 5 * 60_000 };
/** Time may be corrected while we sleep. */
const longestSleepMs = 10 * 60_000;

export const renewalAtMs = (identity: Identity, chance: Chance): number =>
  identity.validFromMs + jittered((identity.validToMs - identity.validFromMs) * due, spread, chance);

export async function keepRenewed(parts: {
  readonly identity: () => Identity;
  readonly nowMs: () => number;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly renew: () => Promise<void>;
  /** Loads an identity that another process wrote; returns whether there was one. */
  readonly reread: () => Promise<boolean>;
}): Promise<void> {
  const { clock, chance, log, signal } = parts;
  let failures = 0;
  let atMs = renewalAtMs(parts.identity(), chance);
  while (!signal.aborted) {
    const leftMs = atMs - parts.nowMs();
    if (leftMs > 0) {
      await sleepWell(clock, Math.min(leftMs, longestSleepMs), signal);
      continue;
    }
    try {
      if (!(await parts.reread())) await parts.renew();
      failures = 0;
      atMs = renewalAtMs(parts.identity(), chance);
      log.info({ valid_to: new Date(parts.identity().validToMs).toISOString() }, 'the certificate was renewed');
    } catch (error) {
      failures += 1;
      log.error({ failures, err: error }, 'the certificate could not be renewed');
      await sleepWell(clock, backoffMs(retry, failures, chance), signal);
    }
  }
}
