import type { Act } from './act.ts';

/**
 * What makes a repeated request harmless. The mount attaches it to the act; the database port stores the response in
 * the same transaction as the change. Handlers never see it, so they cannot get it wrong.
 */
export interface Idempotency {
  readonly principal: string;
  readonly route: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly expiresAt: Date;
  /** Encodes the value as it will be sent, and as it may be kept. */
  encode(value: unknown): { readonly status: number; readonly kept: string };
}

const attached = new WeakMap<Act, Idempotency>();

export function attachIdempotency(act: Act, idempotency: Idempotency): void {
  attached.set(act, idempotency);
}
export const idempotencyOf = (act: Act): Idempotency | undefined => attached.get(act);

/** The stored answer of the first of several equal requests. */
export interface StoredReply {
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
}

/** The key was used before, or is in use now. Thrown by `Database.write`, answered by the mount. */
export class KeyTaken extends Error {
  readonly how: 'done' | 'running';
  readonly stored: StoredReply | undefined;
  constructor(how: 'running');
  constructor(how: 'done', stored: StoredReply);
  constructor(how: 'done' | 'running', stored?: StoredReply) {
    super(how === 'done' ? 'this idempotency key was used' : 'a request with this idempotency key is running');
    this.name = 'KeyTaken';
    this.how = how;
    this.stored = stored;
  }
}
