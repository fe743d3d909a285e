import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  errors as joseErrors,
  jwtVerify,
} from 'jose';
import { sessionNameOf } from '../../../kernel/access/revocation.ts';
import type { Credential } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault, Outage } from '../../../kernel/fault.ts';
import type { CallerAddress } from '../../gate/caller-address.ts';
import type { Person } from './tenancy.ts';

/** Who a token speaks for, once its signature, issuer, audience and dates were checked. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly kind: 'user' | 'service_account';
  readonly credential: Credential;
  readonly issuedAt: Date | undefined;
  readonly expiresAt: Date;
  /** When and how the person last signed in, as far as the issuer says. */
  readonly signedInAt: Date | undefined;
  readonly methods: readonly string[];
  /** The display name from the issuer, if any. */
  readonly name?: string;
  /** The key of a service account of ours that asked for this token. */
  readonly keyId: string | undefined;
  /** The caller, where finding the token found them as well. */
  readonly person?: Person;
}
export type AuthenticationFault = Fault<'token_missing' | 'token_invalid' | 'token_expired' | 'rate_limit_exceeded'>;
export type Authenticate = (
  authorization: string | undefined,
  address: CallerAddress,
) => Promise<Identity | AuthenticationFault>;
/** Looks up tokens that are not JWTs: personal access tokens, and storage tokens of allocations. */
export interface OpaqueTokens {
  readonly prefix: string;
  identify(token: string, address: CallerAddress): Promise<Identity | AuthenticationFault>;
}

/** Asymmetric algorithms only: a public key cannot be used as a shared secret, and `none` is not on the list. */
const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'];
const refreshMs = 5 * 60_000;
const cachedTokens = 10_000;
const maxTokenLength = 8_192;
/** What OpenID Connect allows a subject to be; the rest would only fail later, in the database. */
const subjectPattern = /^[\x20-\x7e]{1,255}$/;
const tokenIdPattern = /^[\x20-\x7e]{1,255}$/;

export type KeySource =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'find'; readonly find: JWTVerifyGetKey }
  | { readonly kind: 'keys'; readonly keys: JSONWebKeySet };

/** Keys by address. A file is read once: its issuer is on this machine and does not rotate behind our back. */
export async function keysFrom(url: URL): Promise<KeySource> {
  if (url.protocol === 'file:') {
    return { kind: 'keys', keys: JSON.parse(await readFile(url, 'utf8')) as JSONWebKeySet };
  }
  const isHere = /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/.test(url.hostname);
  // Keys over plain HTTP could come from anyone.
  if (url.protocol === 'https:' || isHere) return { kind: 'url', url };
  throw new Error(`The keys at ${url.origin} must come by https; http is for this machine alone.`);
}

const findKeys = (source: KeySource): JWTVerifyGetKey => {
  switch (source.kind) {
    case 'url':
      return createRemoteJWKSet(source.url, {
        cacheMaxAge: refreshMs,
        cooldownDuration: 10_000,
        timeoutDuration: 5_000,
      });
    case 'find':
      return source.find;
    case 'keys':
      return createLocalJWKSet(source.keys);
  }
};

export interface TokenIssuer {
  readonly issuer: string;
  /** By what name its people are kept; the issuer itself when left out. */
  readonly name?: string | undefined;
  readonly audience: string;
  readonly keys: KeySource;
  /** The `acr` by which the issuer says that there was a second factor, where it sends no `amr` that does. */
  readonly secondFactorAcr?: string | undefined;
}

export function makeAuthenticate(parts: {
  /** Who signs the tokens of people. */
  readonly people: TokenIssuer;
  /** Our own issuer, which signs the tokens of service accounts. */
  readonly machines?: TokenIssuer;
  readonly opaque?: readonly OpaqueTokens[];
  readonly clock: Clock;
}): Authenticate {
  const people = { ...parts.people, find: findKeys(parts.people.keys) };
  const machines = parts.machines && { ...parts.machines, find: findKeys(parts.machines.keys) };
  // Verifying costs more than everything else in a request. A token is verified once, and its dates every time.
  const verified = new Map<string, { identity: Identity; untilMs: number }>();

  return async (authorization, address) => {
    if (!authorization) return new Fault('token_missing', 'Send Authorization: Bearer <token>.');
    const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorization)?.[1];
    if (!token || token.length > maxTokenLength) {
      return new Fault('token_invalid', 'The Authorization header must be: Bearer <token>.');
    }
    const opaque = parts.opaque?.find(({ prefix }) => token.startsWith(prefix));
    if (opaque) return opaque.identify(token, address);
    const nowMs = parts.clock.now().getTime();
    const fingerprint = hash('sha256', token, 'base64');
    const known = verified.get(fingerprint);
    if (known) {
      if (known.untilMs > nowMs) return known.identity;
      verified.delete(fingerprint);
    }
    // The unverified claims of a token only select the keys to verify it with.
    const ours = machines !== undefined && claimedIssuer(token) === machines.issuer;
    const by = ours ? machines : people;
    try {
      const { payload } = await jwtVerify(token, by.find, {
        issuer: by.issuer,
        audience: by.audience,
        algorithms,
        currentDate: new Date(nowMs),
        requiredClaims: ['exp', 'sub'],
      });
      const claimed = identityOf(payload, ours, by.secondFactorAcr);
      if (claimed instanceof Fault) return claimed;
      const identity = { ...claimed, issuer: by.name ?? claimed.issuer };
      if (verified.size >= cachedTokens) verified.delete(verified.keys().next().value ?? '');
      // Not longer than keys are cached: a token of a withdrawn key must not stay valid.
      verified.set(fingerprint, { identity, untilMs: Math.min((payload.exp ?? 0) * 1_000, nowMs + refreshMs) });
      return identity;
    } catch (error) {
      return refusal(error);
    }
  };
}

function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** The signature proves who wrote the claims, not their types: malformed claims are refused. */
function identityOf(payload: JWTPayload, ours: boolean, mfaAcr: string | undefined): Identity | AuthenticationFault {
  const {
    iss,
    sub,
    jti,
    sid,
    iat,
    auth_time,
    amr,
    scope,
    exp = 0,
  }: Record<string, unknown> & { exp?: number } = payload;
  const scopes = scopesOf(scope);
  const keyId = ours ? payload['key_id'] : undefined;
  if (
    typeof iss !== 'string' ||
    typeof sub !== 'string' ||
    !subjectPattern.test(sub) ||
    ![jti, sid].every((id) => id === undefined || (typeof id === 'string' && tokenIdPattern.test(id))) ||
    ![iat, auth_time].every((at) => at === undefined || (typeof at === 'number' && Number.isFinite(at))) ||
    (ours && typeof keyId !== 'string') ||
    scopes === 'unreadable'
  ) {
    return notValid();
  }
  const name = nameOf(payload['name']) ?? nameOf(payload['preferred_username']);
  const isMachine = ours || payload['principal_type'] === 'service_account';
  return {
    issuer: iss,
    subject: sub,
    kind: isMachine ? 'service_account' : 'user',
    credential: {
      kind: ours ? 'service_account' : 'oidc',
      tokenId: jti as string | undefined,
      sessionId: isMachine
        ? (sid as string | undefined)
        : sessionNameOf(sid as string | undefined, auth_time as number | undefined),
      scopes,
    },
    issuedAt: dateOf(iat),
    expiresAt: new Date(exp * 1_000),
    signedInAt: dateOf(auth_time),
    methods: methodsOf(amr, mfaAcr !== undefined && payload['acr'] === mfaAcr),
    ...(name && !isMachine && { name }),
    keyId: keyId as string | undefined,
  };
}

const methodsOf = (amr: unknown, isStrong: boolean): string[] => [
  ...(Array.isArray(amr) ? amr.filter((method) => typeof method === 'string') : []),
  ...(isStrong ? ['mfa'] : []),
];

const maxNameLength = 200;
/** A name on one line, without signs that cannot be seen. One that is too long is cut, as its person can change it. */
function nameOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const shown = claim
    .slice(0, maxNameLength)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return shown === '' ? undefined : shown;
}

const dateOf = (seconds: unknown): Date | undefined =>
  typeof seconds === 'number' ? new Date(seconds * 1_000) : undefined;

/** A scope claim that cannot be read must not count as unrestricted. */
function scopesOf(scope: unknown): ReadonlySet<string> | undefined | 'unreadable' {
  if (scope === undefined) return undefined;
  if (typeof scope === 'string') return narrowing(scope.split(' ').filter(Boolean));
  if (Array.isArray(scope) && scope.every((item) => typeof item === 'string')) return narrowing(scope as string[]);
  return 'unreadable';
}

const notValid = () => new Fault('token_invalid', 'The token is not valid here: sign in again.');

function refusal(error: unknown): AuthenticationFault {
  if (error instanceof joseErrors.JWTExpired)
    return new Fault('token_expired', 'The token has expired: sign in again.');
  if (aboutTheToken.some((kind) => error instanceof kind)) return notValid();
  // Other errors are not the caller's fault: a new sign-in would not help.
  throw new Outage('the keys of the issuer cannot be used', { cause: error });
}

const aboutTheToken = [
  joseErrors.JWTClaimValidationFailed,
  joseErrors.JWTInvalid,
  joseErrors.JWSInvalid,
  joseErrors.JWSSignatureVerificationFailed,
  joseErrors.JWKSNoMatchingKey,
  joseErrors.JWKSMultipleMatchingKeys,
  joseErrors.JOSEAlgNotAllowed,
  joseErrors.JOSENotSupported,
];

/**
 * Standard scopes that issuers put into every token identify a person and grant nothing. A token with only these is not
 * restricted; one with other scopes may do what they name, and nothing if none is known.
 */
const aboutThePerson = new Set([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
  'roles',
  'web-origins',
  'acr',
  'basic',
]);
function narrowing(given: readonly string[]): ReadonlySet<string> | undefined {
  const left = given.filter((word) => !aboutThePerson.has(word));
  return left.length === 0 && given.length > 0 ? undefined : new Set(left);
}
