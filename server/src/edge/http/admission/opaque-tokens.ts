import { hash } from 'node:crypto';
import { makeFresh } from '../../../kernel/access/fresh.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { CallerAddress } from '../../gate/caller-address.ts';
import type { AuthenticationFault, Identity, OpaqueTokens } from './authentication.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Person } from './tenancy.ts';

/** A personal access token as its domain knows it. */
export interface KnownToken {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}
/** By the SHA-256 of the token, in hex; undefined for one that never was, or was revoked. */
export type FindToken = (digest: string) => Promise<KnownToken | undefined>;

/** A revoked token is refused everywhere after this long. */
const freshMs = 5_000;
const maxKnown = 10_000;
/** For this long a token that was right is looked up again without counting as an attempt. */
const trustedMs = 10 * 60_000;

/**
 * Opaque tokens are looked up by their digest: valid, wrong, malformed or revoked, each takes the same one statement.
 * The first use of a token from an address is counted before the lookup, so a guesser runs out of budget before it
 * costs the database.
 */
export function makeOpaqueTokens(parts: {
  readonly prefix: string;
  readonly find: FindToken;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
}): OpaqueTokens {
  const look = makeLook({ ...parts, notFound: 'The token is not valid here: sign in again.' });
  const known = makeFresh<string, KnownToken | AuthenticationFault>({
    clock: parts.clock,
    ttlMs: freshMs,
    max: maxKnown,
  });
  return {
    prefix: parts.prefix,
    async identify(token, address) {
      const digest = hash('sha256', token, 'hex');
      const found = await known.get(digest, () => look(digest, address));
      if (found instanceof Fault) {
        // A refusal for too many attempts says nothing about the token: another address may still use it.
        if (found.code === 'rate_limit_exceeded') known.forget(digest);
        return found;
      }
      if (found.expiresAt <= parts.clock.now())
        return new Fault('token_expired', 'The token has expired: make another.');
      return identityOf(found);
    },
  };
}

/** One text for each reason, so that it tells a caller who guesses tokens nothing. */
const gone =
  'The storage token is not valid: it was revoked, its allocation has ended, or who made it has left. Make another one with gpuaas storage token create.';

/**
 * Tokens of allocations, which open the storage of their project. Each request looks the token up, because it ends with its
 * allocation at once.
 */
export function makeStorageTokens(parts: {
  readonly prefix: string;
  readonly find: (digest: string) => Promise<Person | undefined>;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
}): OpaqueTokens {
  const look = makeLook({ ...parts, notFound: gone });
  return {
    prefix: parts.prefix,
    async identify(token, address) {
      const person = await look(hash('sha256', token, 'hex'), address);
      return person instanceof Fault ? person : machineOf(person, new Date(parts.clock.now().getTime() + trustedMs));
    },
  };
}

/** A lookup that counts first uses, of right and of wrong tokens alike. */
function makeLook<T>(parts: {
  /** What is said of a token that is not found. */
  readonly notFound: string;
  readonly find: (digest: string) => Promise<T | undefined>;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
}) {
  const trustedUntil = new Map<string, number>();
  return async (digest: string, address: CallerAddress): Promise<T | AuthenticationFault> => {
    const nowMs = parts.clock.now().getTime();
    if ((trustedUntil.get(digest) ?? 0) <= nowMs) {
      const { allowed, limit, resetSeconds } = await parts.rateLimit('credentials', { address }, {});
      if (!allowed) {
        return new Fault('rate_limit_exceeded', `Too many attempts from your address: wait ${resetSeconds} s.`, {
          lane: 'credentials',
          limit,
          retry_after_seconds: resetSeconds,
        });
      }
    }
    const found = await parts.find(digest);
    trustedUntil.delete(digest);
    if (!found) return new Fault('token_invalid', parts.notFound);
    if (trustedUntil.size >= maxKnown) trustedUntil.delete(trustedUntil.keys().next().value ?? '');
    trustedUntil.set(digest, nowMs + trustedMs);
    return found;
  };
}

/** To routes a machine is a service account, whose id is that of its token: files that it stores have it as `created_by`. */
const machineOf = (person: Person, expiresAt: Date): Identity => ({
  issuer: 'urn:gpuaas:storage-tokens',
  subject: person.id,
  kind: 'service_account',
  credential: {
    kind: 'storage_token',
    tokenId: person.id,
    sessionId: undefined,
    scopes: new Set(person.bounds?.scopes),
  },
  issuedAt: undefined,
  expiresAt,
  signedInAt: undefined,
  methods: [],
  keyId: undefined,
  person,
});

const identityOf = ({ id, issuer, subject, scopes, expiresAt }: KnownToken): Identity => ({
  issuer,
  subject,
  kind: 'user',
  credential: { kind: 'personal_token', tokenId: id, sessionId: undefined, scopes: new Set(scopes) },
  // It is not a sign-in: ending sign-ins does not end it, and it never counts as a recent one.
  issuedAt: undefined,
  expiresAt,
  signedInAt: undefined,
  methods: [],
  keyId: undefined,
});
