/** A key of a service account, as `gpuaas sa key-add` prints it. */
export interface ServiceAccountSigner {
  readonly id: string;
  readonly private_key: Readonly<Record<string, string>>;
}
export interface ServiceAccountOptions {
  readonly baseUrl: string;
  /** The id of the service account. */
  readonly account: string;
  readonly key: ServiceAccountSigner;
  /** Fewer scopes than the account has, with blanks between. */
  readonly scope?: string;
  readonly fetch?: typeof fetch;
  readonly now?: () => Date;
}

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const assertionSeconds = 60;
/** A token is renewed this long before it ends, so that none ends on its way. */
const renewAheadMs = 30_000;

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const encode = (value: object): string => base64url(new TextEncoder().encode(JSON.stringify(value)));

/**
 * Tokens of a service account, for `openGpuaas({ token: serviceAccountTokens(...) })`. It signs an assertion (RFC 7523), exchanges
 * it at the token endpoint, and keeps the token until shortly before it ends. Calls at the same time share one exchange.
 */
export function serviceAccountTokens(options: ServiceAccountOptions): () => Promise<string> {
  const endpoint = `${options.baseUrl.replace(/\/+$/, '')}/oauth/token`;
  const now = options.now ?? (() => new Date());
  let kept: { readonly token: string; readonly endsAtMs: number } | undefined;
  let underWay: Promise<string> | undefined;

  async function exchange(): Promise<string> {
    const askedAtMs = now().getTime();
    const form = new URLSearchParams({ grant_type: grantType, assertion: await sign(options, endpoint, askedAtMs) });
    if (options.scope !== undefined) form.set('scope', options.scope);
    const response = await (options.fetch ?? fetch)(endpoint, { method: 'POST', body: form });
    const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    const { access_token: token, expires_in: seconds } = answer;
    if (!response.ok || typeof token !== 'string' || typeof seconds !== 'number') {
      const reason = [answer['error'], answer['error_description']].filter(Boolean).join(': ');
      throw new Error(`The service account got no token (${response.status}). ${reason}`.trim());
    }
    kept = { token, endsAtMs: askedAtMs + seconds * 1_000 };
    return token;
  }

  return async () => {
    if (kept && now().getTime() < kept.endsAtMs - renewAheadMs) return kept.token;
    underWay ??= exchange().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

async function sign({ account, key }: ServiceAccountOptions, endpoint: string, nowMs: number): Promise<string> {
  const isEdwards = key.private_key['crv'] === 'Ed25519';
  const algorithm = isEdwards ? { name: 'Ed25519' } : { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  // A key may say what it is for in words that another program does not know: only its numbers are taken.
  const { kty = '', crv = '', x = '', y, d = '' } = key.private_key;
  const jwk = { kty, crv, x, d, ...(y !== undefined && { y }) };
  const privateKey = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']);
  const header = { alg: isEdwards ? 'EdDSA' : 'ES256', kid: key.id };
  const exp = Math.floor(nowMs / 1_000) + assertionSeconds;
  const claims = { iss: account, sub: account, aud: endpoint, jti: crypto.randomUUID(), exp };
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(algorithm, privateKey, new TextEncoder().encode(text));
  return `${text}.${base64url(new Uint8Array(signature))}`;
}
