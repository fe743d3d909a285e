import { type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import { Fault, Outage } from '../../kernel/fault.ts';
import type { Endpoints } from '../../ports/identity-provider/port.ts';

/** What the issuer gives for a sign-in. It stays on the server, sealed. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
  readonly accessExpiresAt: string;
  /** The display name from the issuer; shown, never used for a decision. */
  readonly name: string | undefined;
}
/** What an ID token says of the sign-in itself. */
export interface IdClaims {
  readonly nonce: string | undefined;
  readonly authTime: Date | undefined;
  readonly name: string | undefined;
  /** Only if the issuer says that it verified the address, or is trusted to have done so. */
  readonly email: string | undefined;
  /** There is an address, and the issuer says neither that it was verified nor that it was not. */
  readonly isEmailUnsaid: boolean;
}
/** Posts a form to an endpoint of the issuer. */
export type PostForm = (
  url: string,
  form: URLSearchParams,
  authorization: string,
) => Promise<{ readonly status: number; readonly text: string }>;

export interface IssuerClient {
  readonly id: string;
  endpoints(): Promise<Endpoints>;
  exchange(code: string, verifier: string, redirectUri: string): Promise<Tokens | Refused>;
  refresh(tokens: Tokens): Promise<Tokens | Refused>;
  /** Tells the issuer that a refresh token is not needed any more. Best effort: it ends by itself. */
  revoke(tokens: Tokens): Promise<void>;
  readIdToken(idToken: string): Promise<IdClaims>;
}
/** The issuer refused. */
export type Refused = Fault<'token_expired'>;

const answerWithinMs = 10_000;
const maxBytes = 256 * 1024;
const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'];

export function makeIssuerClient(parts: {
  readonly id: string;
  readonly secret: string;
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
  readonly endpoints: () => Promise<Endpoints>;
  readonly post?: PostForm;
  /** Whether an address counts as verified when the issuer does not say so. */
  readonly trustsEmail: boolean;
  readonly clock: Clock;
}): IssuerClient {
  const { clock, post = postOverNetwork } = parts;
  // RFC 6749, 2.3.1: both halves are encoded as a form would be before they are joined.
  const half = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  const authorization = `Basic ${Buffer.from(`${half(parts.id)}:${half(parts.secret)}`).toString('base64')}`;

  async function askForTokens(form: Record<string, string>, before?: Tokens): Promise<Tokens | Refused> {
    const { token } = await parts.endpoints();
    const { status, text } = await post(token, new URLSearchParams(form), authorization);
    const body = readJson(text);
    if (status === 400 && body['error'] === 'invalid_grant') {
      return new Fault('token_expired', 'This sign-in is over: sign in again.');
    }
    const accessToken = body['access_token'];
    if (status !== 200 || typeof accessToken !== 'string') {
      throw new Outage(`the token endpoint of the issuer answered ${status} ${String(body['error'] ?? '')}`);
    }
    const seconds = typeof body['expires_in'] === 'number' ? body['expires_in'] : 60;
    return {
      accessToken,
      refreshToken: textOf(body['refresh_token']) ?? before?.refreshToken,
      idToken: textOf(body['id_token']) ?? before?.idToken,
      accessExpiresAt: new Date(clock.now().getTime() + seconds * 1_000).toISOString(),
      name: before?.name,
    };
  }

  return {
    id: parts.id,
    endpoints: parts.endpoints,
    exchange: (code, verifier, redirectUri) =>
      askForTokens({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }),
    async refresh(tokens) {
      if (!tokens.refreshToken) return new Fault('token_expired', 'This sign-in is over: sign in again.');
      return askForTokens({ grant_type: 'refresh_token', refresh_token: tokens.refreshToken }, tokens);
    },
    async revoke({ refreshToken }) {
      const { revocation } = await parts.endpoints();
      if (!revocation || !refreshToken) return;
      await post(
        revocation,
        new URLSearchParams({ token: refreshToken, token_type_hint: 'refresh_token' }),
        authorization,
      );
    },
    async readIdToken(idToken) {
      const { payload } = await jwtVerify(idToken, parts.keys, {
        issuer: parts.issuer,
        audience: parts.id,
        algorithms,
        currentDate: clock.now(),
        clockTolerance: 30,
        requiredClaims: ['exp', 'sub'],
      });
      const { nonce, auth_time, name, preferred_username, email, email_verified } = payload as Record<string, unknown>;
      const isVerified = email_verified === true || (email_verified === undefined && parts.trustsEmail);
      return {
        nonce: textOf(nonce),
        authTime: typeof auth_time === 'number' ? new Date(auth_time * 1_000) : undefined,
        name: textOf(preferred_username) ?? textOf(name) ?? textOf(email),
        email: isVerified ? textOf(email) : undefined,
        isEmailUnsaid: email_verified === undefined && !parts.trustsEmail && textOf(email) !== undefined,
      };
    },
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function readJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const postOverNetwork: PostForm = async (url, form, authorization) => {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { authorization, accept: 'application/json' },
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await response.text();
    if (text.length > maxBytes) throw new Error('the answer is too long');
    return { status: response.status, text };
  } catch (cause) {
    throw new Outage('the issuer does not answer', { cause });
  }
};
