/**
 * Mistakes of the edge that must not compile; the mistakes of the kernel's types are in `kernel/refused.ts`. Nothing here
 * runs or is imported; the number of cases only grows.
 */
import { callerAddress } from './gate/caller-address.ts';
import type { Gate } from './gate/gate.ts';
import { callerKey } from './http/admission/caller-key.ts';
import type { RateLimit } from './http/admission/rate-limit.ts';
import type { SlidingLimit } from './http/admission/sliding-limit.ts';
import type { Strangers } from './nodes/strangers.ts';
import type { Attempts } from './oidc/attempts.ts';

declare const raw: string;
declare const sliding: SlidingLimit;
declare const limited: RateLimit;
declare const gate: Gate;
declare const strangers: Strangers;
declare const attempts: Attempts;

export const counted = () => sliding(callerKey('terminal', { address: callerAddress(raw) }), 1);
// @ts-expect-error a sliding window counts callers, not whatever text is at hand
export const byText = () => sliding(raw, 1);
// @ts-expect-error a key is built from a caller, never written by hand
export const byHand = () => sliding(`terminal:address:${raw}`, 1);
// @ts-expect-error a key takes an address only as limits count it
export const byRawKey = () => callerKey('terminal', { address: raw });
// @ts-expect-error a lane counts an address only as limits count it
export const byRawAddress = () => limited('default', { address: raw }, {});
// @ts-expect-error the gate counts an address only as limits count it
export const atTheGate = () => gate.admit(raw, undefined);
// @ts-expect-error seats of strangers are counted by an address as limits count it
export const seated = () => strangers.take(raw);
// @ts-expect-error tries of passwords are counted by an address as limits count it
export const tried = () => attempts.password('login', raw);
