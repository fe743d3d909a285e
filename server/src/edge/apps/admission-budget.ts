import type { Clock } from '../../kernel/clock.ts';
import { callerAddress } from '../gate/caller-address.ts';
import { makeGate } from '../gate/gate.ts';
import { makeStrangers, type StrangerLimits } from '../nodes/strangers.ts';

export interface AdmissionLimits {
  /** Callers that were not admitted within the last 15 minutes: queries of one address in a minute, and in flight at once. */
  readonly strangers: StrangerLimits & { readonly perMinute: number };
  /** Queries about callers that were admitted within that time, in flight at once. */
  readonly knownInFlight: number;
}
/** Why the api was not asked. */
export type OverBudget = 'too_many_requests' | 'overloaded';

/**
 * Limits how often callers make the proxy ask the api. Each request may name a new application or a random cookie, so callers
 * that were not admitted before share a small part of the connections. A query above a limit is refused at once and never queued.
 */
export interface AdmissionBudget {
  ask<T>(
    caller: { readonly address: string; readonly isKnown: boolean },
    ask: () => Promise<T>,
  ): Promise<T | OverBudget>;
}

export function makeAdmissionBudget({
  clock,
  limits,
}: {
  readonly clock: Clock;
  readonly limits: AdmissionLimits;
}): AdmissionBudget {
  const perAddress = makeGate({ clock, perMinute: () => limits.strangers.perMinute });
  const strangers = makeStrangers(limits.strangers);
  const known = makeStrangers({ perAddress: limits.knownInFlight, inTotal: limits.knownInFlight });
  return {
    async ask({ address, isKnown }, ask) {
      const counted = callerAddress(address);
      if (!isKnown && perAddress.admit(counted, undefined) !== undefined) return 'too_many_requests';
      const leave = (isKnown ? known : strangers).take(counted);
      if (!leave) return 'overloaded';
      try {
        return await ask();
      } finally {
        leave();
      }
    },
  };
}
