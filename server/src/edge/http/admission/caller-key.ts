import type { Lane } from '@gpuaas/contract';
import type { CallerAddress } from '../../gate/caller-address.ts';

/** The owner of the budget: a known caller, or an address. */
export type Caller = { readonly person: string } | { readonly address: CallerAddress };

/**
 * A caller in a lane, as limiters count it. `callerKey` alone makes one, and it takes an address only as a
 * `CallerAddress`: no limiter can count by a raw address, of which an IPv6 caller has as many as it likes.
 */
export type CallerKey = string & { readonly [keyed]: true };
declare const keyed: unique symbol;

export const callerKey = (lane: Lane, caller: Caller): CallerKey =>
  `${lane}:${'person' in caller ? caller.person : `address:${caller.address}`}` as CallerKey;
