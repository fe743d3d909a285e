import { createHash, randomBytes } from 'node:crypto';
import type { Browser, Screen } from './conformance-browser.ts';
import type { Endpoints } from './port.ts';

/** The protocol as a program speaks it that somebody signs in to. */
export interface TokenReply {
  readonly status: number;
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope?: string;
  readonly expires_in?: number;
  readonly error?: string;
  readonly [other: string]: unknown;
}
export type ClientAuth = { readonly id: string; readonly secret?: string };

export async function post(url: string, client: ClientAuth, form: Record<string, string>): Promise<TokenReply> {
  const basic = client.secret && Buffer.from(`${client.id}:${client.secret}`).toString('base64');
  const response = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', ...(basic && { authorization: `Basic ${basic}` }) },
    body: new URLSearchParams({ ...(!basic && { client_id: client.id }), ...form }),
  });
  const text = await response.text();
  return { ...(text ? (JSON.parse(text) as object) : {}), status: response.status };
}

export const makeVerifier = (): string => randomBytes(32).toString('base64url');

export function authorizeUrl(
  endpoints: Endpoints,
  ask: { clientId: string; redirectUri: string; verifier: string; scope?: string } & Record<string, string>,
): URL {
  const { clientId, redirectUri, verifier, scope = 'openid', ...more } = ask;
  const url = new URL(endpoints.authorize);
  url.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }).toString();
  return url;
}

export const codeOf = (screen: Screen): string => {
  const code = screen.url.searchParams.get('code');
  if (!code) throw new Error(`no code at ${screen.url} (${screen.status}): ${screen.html.slice(0, 2_000)}`);
  return code;
};

export const exchange = (
  endpoints: Endpoints,
  client: ClientAuth,
  code: string,
  redirectUri: string,
  verifier: string,
) =>
  post(endpoints.token, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });

export const refresh = (endpoints: Endpoints, client: ClientAuth, token: string | undefined) =>
  post(endpoints.token, client, { grant_type: 'refresh_token', refresh_token: token ?? '' });

/** Silently: no page, only an answer or an error. */
export const askSilently = (browser: Browser, url: URL): Promise<Screen> => {
  url.searchParams.set('prompt', 'none');
  return browser.open(url);
};
