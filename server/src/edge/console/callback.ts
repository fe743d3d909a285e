import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.ts';
import type { Identity } from '../http/admission/authentication.ts';
import type { makeSend } from '../oidc/layout.ts';
import type { Tokens } from './issuer-client.ts';
import { overPage, refusedPage } from './pages.ts';
import { type Question, type QuestionParts, readQuestion, redirectUri, secretBytes } from './question.ts';
import { endPresent, type FromBrowser, leaveIssuer, revokeTokens, type SignOutParts } from './sign-out.ts';

export interface CallbackParts extends QuestionParts, SignOutParts {
  readonly issuer: string;
  /** Checks an access token as any request would, and says whose it is. */
  readonly identify: (
    accessToken: string,
    from: FromBrowser,
  ) => Promise<{ readonly identity: Identity; readonly personId: string } | 'revoked' | Fault>;
}

/** Clocks of two machines differ a little. */
const skewMs = 60_000;
const hourMs = 3_600_000;

export const whereFrom = (request: FastifyRequest): FromBrowser => ({
  correlationId: request.id,
  address: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, 300),
});

/** The browser comes back from the issuer. It gets a session, or a page that says why it has none. */
export async function answerCallback(
  parts: CallbackParts,
  show: ReturnType<typeof makeSend>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = request.query as Record<string, unknown>;
  const question = readQuestion(parts, request.headers.cookie);
  reply.header('set-cookie', parts.jar.login.clear());
  if (!question || query['state'] !== question.state) return show(reply, 400, overPage);
  // RFC 9207: an answer that names another issuer is refused.
  if (query['iss'] !== undefined && query['iss'] !== parts.issuer) return show(reply, 400, overPage);
  if (typeof query['error'] === 'string') return show(reply, 403, refusedPage(query['error']));
  if (typeof query['code'] !== 'string') return show(reply, 400, overPage);
  const tokens = await parts.client.exchange(query['code'], question.verifier, redirectUri(parts.publicUrl));
  if (tokens instanceof Fault) return show(reply, 400, overPage);
  const read = await nameTokens(parts, tokens, question);
  if (!read) return show(reply, 400, overPage);
  const from = whereFrom(request);
  const known = await parts.identify(read.tokens.accessToken, from);
  if (known === 'revoked') return startOver(parts, reply, read.tokens, question);
  if (known instanceof Fault) {
    parts.log.warn({ code: known.code }, 'the issuer gave the console a token that is not valid here');
    return show(reply, 403, refusedPage(known.code));
  }
  // An existing session of the browser is never reused: an attacker may have planted its cookie.
  const { sessionId } = known.identity.credential;
  await endPresent(parts, request, 'replaced by a new sign-in', from, { sessionId });
  const cookie = await beginSession(parts, { personId: known.personId, sessionId, ...read }, from);
  return reply
    .header('set-cookie', [parts.jar.login.clear(), cookie])
    .redirect(new URL(question.returnTo, parts.publicUrl).href, 303);
}

interface SignedIn {
  readonly personId: string;
  readonly sessionId: string | undefined;
  readonly tokens: Tokens;
  readonly email: string | undefined;
}
/** Keeps the tokens on the server, and answers the cookie of the browser. */
async function beginSession(
  { ids, clock, sessions, browsers, jar }: CallbackParts,
  { personId, sessionId, tokens, email }: SignedIn,
  from: FromBrowser,
): Promise<string> {
  const cookie = ids.secret(secretBytes);
  const id = ids.next();
  const lifeMs = sessions.maxHours() * hourMs;
  const session = {
    id,
    personId,
    sessionId,
    digest: browsers.digest(cookie),
    sealed: browsers.seal(id, tokens),
    expiresAt: new Date(clock.now().getTime() + lifeMs),
  };
  await sessions.begin(session, { ...from, personId }, email);
  return jar.session.set(cookie, lifeMs / 1_000);
}

const emailUnsaid =
  'the ID token has an email without email_verified, so no mail is sent to it: let the provider send the claim, or set GPUAAS_OIDC_EMAIL_TRUSTED=true if it verifies every address';

/** The ID token binds the answer to this request, and says when the person signed in. */
async function nameTokens(
  { client, log }: CallbackParts,
  tokens: Tokens,
  question: Question,
): Promise<{ readonly tokens: Tokens; readonly email: string | undefined } | undefined> {
  if (!tokens.idToken) return undefined;
  try {
    const { nonce, authTime, name, email, isEmailUnsaid } = await client.readIdToken(tokens.idToken);
    if (nonce !== question.nonce) return undefined;
    const since = Date.parse(question.askedAt) - skewMs;
    if (question.stepUp && (!authTime || authTime.getTime() < since)) return undefined;
    if (isEmailUnsaid) log.warn({}, emailUnsaid);
    return { tokens: { ...tokens, name }, email };
  } catch (error) {
    log.warn({ err: error }, 'the ID token of a sign-in is not valid');
    return undefined;
  }
}

/**
 * The issuer still accepts a session that was revoked here. The request asks for a new sign-in; if the issuer returns
 * the same one again, its session is ended first.
 */
async function startOver(parts: CallbackParts, reply: FastifyReply, tokens: Tokens, question: Question) {
  await revokeTokens(parts, tokens);
  if (question.stepUp) return leaveIssuer(parts, reply, tokens);
  const returnTo = encodeURIComponent(question.returnTo);
  return reply.redirect(`${parts.publicUrl}/auth/login?step_up=1&return_to=${returnTo}`, 303);
}
