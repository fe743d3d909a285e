import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AtBrowser, ConsoleSessions } from '../../domains/identity/index.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Jar } from './cookie.ts';
import type { IssuerClient, Tokens } from './issuer-client.ts';
import type { BrowserSessions, OpenSession } from './sessions.ts';

export interface SignOutParts {
  readonly publicUrl: string;
  readonly jar: Jar;
  readonly client: IssuerClient;
  readonly browsers: BrowserSessions;
  readonly sessions: ConsoleSessions;
  readonly log: { warn(details: object, message: string): void };
}
/** Where a request of a browser comes from, before it is known whose it is. */
export type FromBrowser = Omit<AtBrowser, 'personId'>;

/** Ends the session that this browser has, if any. `goesOn` is the session of the issuer that is not revoked with it. */
export async function endPresent(
  parts: SignOutParts,
  request: FastifyRequest,
  reason: string,
  from: FromBrowser,
  goesOn?: { readonly sessionId: string | undefined },
): Promise<OpenSession | undefined> {
  const { jar, browsers, sessions } = parts;
  const cookie = jar.session.read(request.headers.cookie);
  if (!cookie) return undefined;
  const opened = await browsers.open(cookie);
  browsers.forget(cookie);
  if (opened instanceof Fault) return undefined;
  const { session, tokens } = opened;
  await sessions.end(session, reason, { ...from, personId: session.personId }, goesOn);
  if (!goesOn || goesOn.sessionId !== session.sessionId) await revokeTokens(parts, tokens);
  return opened;
}

export const revokeTokens = ({ client, log }: Pick<SignOutParts, 'client' | 'log'>, tokens: Tokens): Promise<void> =>
  client
    .revoke(tokens)
    .catch((error: unknown) => log.warn({ err: error }, 'the issuer could not be notified of the end of a session'));

/** The issuer has a session of its own in this browser, which only the browser can end. */
export async function leaveIssuer(
  { client, publicUrl }: Pick<SignOutParts, 'client' | 'publicUrl'>,
  reply: FastifyReply,
  tokens: Tokens | undefined,
): Promise<FastifyReply> {
  const { logout } = await client.endpoints();
  if (!logout || !tokens?.idToken) return reply.redirect(`${publicUrl}/`, 303);
  const address = new URL(logout);
  address.searchParams.set('id_token_hint', tokens.idToken);
  address.searchParams.set('client_id', client.id);
  address.searchParams.set('post_logout_redirect_uri', `${publicUrl}/`);
  return reply.redirect(address.href, 303);
}
