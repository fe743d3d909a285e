import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  type JSONWebKeySet,
  type JWTPayload,
  errors as joseErrors,
  jwtVerify,
} from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';

/** Who a token speaks for, once its signature, issuer, audience and dates were checked. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly kind: 'user' | 'service_account';
  readonly tokenId: string | undefined;
  /** Narrows what the roles allow; undefined when the token does not say. */
  readonly scopes: ReadonlySet<string> | undefined;
}
export type AuthenticationFault = Fault<'token_missing' | 'token_invalid' | 'token_expired'>;
export type Authenticate = (authorization: string | undefined) => Promise<Identity | AuthenticationFault>;

/** Asymmetric only: with these, nobody can pass a public key off as a shared secret, and `none` is not on the list. */
const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'];
const refreshMs = 5 * 60_000;
const cachedTokens = 10_000;
const maxTokenLength = 8_192;

export type KeySource =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'keys'; readonly keys: JSONWebKeySet };

/** Keys by address. A file is read once: its issuer is on this machine and does not rotate behind our back. */
export const keysFrom = async (url: URL): Promise<KeySource> =>
  url.protocol === 'file:'
    ? { kind: 'keys', keys: JSON.parse(await readFile(url, 'utf8')) as JSONWebKeySet }
    : { kind: 'url', url };

export function makeAuthenticate(parts: {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: KeySource;
  readonly clock: Clock;
}): Authenticate {
  const keys =
    parts.keys.kind === 'url'
      ? createRemoteJWKSet(parts.keys.url, { cacheMaxAge: refreshMs, cooldownDuration: 10_000, timeoutDuration: 5_000 })
      : createLocalJWKSet(parts.keys.keys);
  // Verifying costs more than everything else in a request. The same token is checked once, and its dates every time.
  const verified = new Map<string, { identity: Identity; expiresAtMs: number }>();

  return async (authorization) => {
    if (!authorization) return new Fault('token_missing', 'Send Authorization: Bearer <token>.');
    const token = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i.exec(authorization)?.[1];
    if (!token || token.length > maxTokenLength) {
      return new Fault('token_invalid', 'The Authorization header must be: Bearer <token>.');
    }
    const nowMs = parts.clock.now().getTime();
    const fingerprint = hash('sha256', token, 'base64');
    const known = verified.get(fingerprint);
    if (known) {
      if (known.expiresAtMs > nowMs) return known.identity;
      verified.delete(fingerprint);
    }
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: parts.issuer,
        audience: parts.audience,
        algorithms,
        currentDate: new Date(nowMs),
        requiredClaims: ['exp', 'sub'],
      });
      const identity = identityOf(payload);
      if (verified.size >= cachedTokens) verified.delete(verified.keys().next().value ?? '');
      verified.set(fingerprint, { identity, expiresAtMs: (payload.exp ?? 0) * 1_000 });
      return identity;
    } catch (error) {
      return refusal(error);
    }
  };
}

function identityOf(payload: JWTPayload): Identity {
  const scope = payload['scope'];
  return {
    issuer: payload.iss ?? '',
    subject: payload.sub ?? '',
    kind: payload['principal_type'] === 'service_account' ? 'service_account' : 'user',
    tokenId: payload.jti,
    scopes: typeof scope === 'string' ? new Set(scope.split(' ').filter(Boolean)) : undefined,
  };
}

function refusal(error: unknown): AuthenticationFault {
  if (error instanceof joseErrors.JWTExpired)
    return new Fault('token_expired', 'The token has expired: sign in again.');
  if (error instanceof joseErrors.JWKSTimeout || !(error instanceof joseErrors.JOSEError)) throw error;
  return new Fault('token_invalid', 'The token is not valid here: sign in again.');
}
