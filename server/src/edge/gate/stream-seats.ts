import type { NumberPolicyKey } from '@gpuaas/contract';
import { Fault } from '../../kernel/fault.ts';
import type { PolicySubject } from '../http/admission/rate-limit.ts';
import type { CallerAddress } from './caller-address.ts';

/**
 * A stream costs a connection, memory and a look at its credential every few seconds for as long as it is open, so the
 * number of open ones is limited: for each caller, for each address, and in the process.
 */
export interface StreamSeats {
  /** Returns a function that frees the seat and may be called more than once; a fault when no seat is left. */
  take(caller: string, address: CallerAddress, subject: PolicySubject): (() => void) | Fault<'too_many_streams'>;
}

export function makeStreamSeats(parts: {
  readonly policy: (key: NumberPolicyKey, subject: PolicySubject) => number;
}): StreamSeats {
  const taken = new Map<string, number>();
  const count = (key: string, by: 1 | -1) => {
    const left = (taken.get(key) ?? 0) + by;
    if (left > 0) taken.set(key, left);
    else taken.delete(key);
  };
  return {
    take(caller, address, subject) {
      const seats = [
        { key: `person:${caller}`, policy: 'streams.max_per_person', whose: 'you have' },
        { key: `address:${address}`, policy: 'streams.max_per_address', whose: 'your address has' },
        { key: 'process', policy: 'streams.max_per_process', whose: 'this server has' },
      ] as const;
      for (const { key, policy, whose } of seats) {
        const limit = parts.policy(policy, subject);
        if ((taken.get(key) ?? 0) < limit) continue;
        return new Fault('too_many_streams', `Too many streams are open: ${whose} ${limit}. Close one and try again.`, {
          limit,
          policy,
        });
      }
      for (const { key } of seats) count(key, 1);
      let isTaken = true;
      return () => {
        if (isTaken) for (const { key } of seats) count(key, -1);
        isTaken = false;
      };
    },
  };
}
