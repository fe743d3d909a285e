import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { appIngressRoutes } from '@gpuaas/contract/ingress';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { InternalClient } from '../internal/client.ts';
import type { AdmissionBudget, OverBudget } from './admission-budget.ts';
import { type CookieNames, readCookie } from './headers.ts';
import { type AppsAddress, originOf } from './host-name.ts';

/** Paths below this one belong to the proxy and never reach an application. */
export const ownPath = '/.gpuaas/';
export const callbackPath = '/.gpuaas/callback';

const stateSeconds = 600;
const secretBytes = 32;
const withinMs = 5_000;
const longestPath = 1_000;

/** The path if it is one of this host, else `/`: a redirect must never lead to another address. */
export function safePath(path: string | undefined): string {
  const isPath = path !== undefined && path.length <= longestPath && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path);
  return isPath && !path.startsWith(ownPath) ? path : '/';
}

const stateOf = (verifier: string) => createHash('sha256').update(verifier).digest('hex');

/**
 * Signs a browser in at the host of one application. The console gives the person who is signed in there a code for this one route; it works
 * once, and only together with the state that this browser was sent away with, so nobody can sign another person in as themselves. The
 * address of the way back can be seen by scripts of the application (a service worker). It carries only the digest of what the cookie
 * holds, and scripts cannot read the cookie, so a code that was seen opens nothing elsewhere.
 */
export function makeSignIn(parts: {
  readonly client: Pick<InternalClient, 'ask'>;
  readonly budget: AdmissionBudget;
  readonly address: AppsAddress;
  readonly cookies: CookieNames;
  readonly ids: Ids;
  readonly clock: Clock;
}) {
  const { address, cookies } = parts;
  const attributes = `HttpOnly; SameSite=Lax; Path=/${address.isSecure ? '; Secure' : ''}`;
  const redirect = (response: ServerResponse, to: string, cookie: readonly string[]) =>
    response
      .writeHead(302, { location: to, 'set-cookie': [...cookie], 'cache-control': 'no-store', 'content-length': 0 })
      .end();
  return {
    /** Sends the browser to the console. */
    begin(request: IncomingMessage, response: ServerResponse, signInUrl: string): void {
      const verifier = parts.ids.secret(secretBytes);
      const to = new URL(signInUrl);
      to.searchParams.set('state', stateOf(verifier));
      to.searchParams.set('to', safePath(request.url));
      redirect(response, to.href, [`${cookies.state}=${verifier}; Max-Age=${stateSeconds}; ${attributes}`]);
    },
    /** Takes the code that the browser brings back. Answers false when there is no session for it. */
    async finish(
      { label, address: from }: { readonly label: string; readonly address: string },
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<boolean | OverBudget> {
      const { searchParams } = new URL(request.url ?? '/', originOf(address, label));
      const [code, state] = [searchParams.get('code'), searchParams.get('state')];
      const kept = readCookie(request.headers.cookie, cookies.state);
      if (!code || !state || kept === undefined || stateOf(kept) !== state) return false;
      if (!/^[\w-]{20,128}$/.test(code) || !/^[\w-]{20,128}$/.test(state)) return false;
      const answer = await parts.budget.ask({ address: from, isKnown: false }, () =>
        parts.client.ask(appIngressRoutes.signIn, { label, code, state }, { withinMs }),
      );
      if (typeof answer === 'string') return answer;
      if (!answer.ok) return false;
      const seconds = Math.floor((Date.parse(answer.value.expires_at) - parts.clock.now().getTime()) / 1_000);
      redirect(response, safePath(searchParams.get('to') ?? undefined), [
        `${cookies.session}=${answer.value.secret}; Max-Age=${Math.max(1, seconds)}; ${attributes}`,
        `${cookies.state}=; Max-Age=0; ${attributes}`,
      ]);
      return true;
    },
  };
}
