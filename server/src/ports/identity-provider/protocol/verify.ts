import { type JWTPayload, type JWTVerifyGetKey, errors as joseErrors, jwtVerify } from 'jose';
import { sessionNameOf } from '../../../kernel/access/revocation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { IdentityProvider, Proof } from '../port.ts';

/** Asymmetric only: with these, nobody can pass a public key off as a shared secret, and `none` is not on the list. */
const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'];
const maxTokenLength = 8_192;

/** What both kinds of identity provider ask of a token; they differ in where its key is found. */
export function makeVerify(parts: {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: JWTVerifyGetKey;
  readonly clock: Clock;
}): IdentityProvider['verify'] {
  return async (token) => {
    if (token.length > maxTokenLength) return new Fault('token_invalid', 'The token is too long.');
    try {
      const { payload } = await jwtVerify(token, parts.keys, {
        issuer: parts.issuer,
        audience: parts.audience,
        algorithms,
        currentDate: parts.clock.now(),
        requiredClaims: ['exp', 'sub'],
      });
      return proofOf(payload);
    } catch (error) {
      if (error instanceof joseErrors.JWTExpired) {
        return new Fault('token_expired', 'The token has expired: sign in again.');
      }
      if (!(error instanceof joseErrors.JOSEError)) throw error;
      return new Fault('token_invalid', 'The token is not valid here: sign in again.');
    }
  };
}

function proofOf(payload: JWTPayload): Proof {
  const { scope, sid, client_id, azp, auth_time, amr, principal_type, realm_access } = payload as Record<
    string,
    unknown
  >;
  return {
    issuer: payload.iss ?? '',
    subject: payload.sub ?? '',
    kind: principal_type === 'service_account' ? 'service_account' : 'user',
    tokenId: payload.jti,
    clientId: textOf(client_id) ?? textOf(azp),
    sessionId: sessionNameOf(textOf(sid), typeof auth_time === 'number' ? auth_time : undefined),
    scopes: typeof scope === 'string' ? new Set(scope.split(' ').filter(Boolean)) : undefined,
    authenticatedAt: typeof auth_time === 'number' ? new Date(auth_time * 1_000) : undefined,
    methods: textsOf(amr),
    claimedRoles: textsOf((realm_access as { roles?: unknown } | undefined)?.roles),
    expiresAt: new Date((payload.exp ?? 0) * 1_000),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
