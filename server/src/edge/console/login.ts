import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AtBrowser, ConsoleSessions } from '../../domains/identity/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Identity } from '../http/admission/authentication.ts';
import { type LayOut, makeSend } from '../oidc/layout.ts';
import type { Jar } from './cookie.ts';
import type { IssuerClient, Tokens } from './issuer-client.ts';
import { isFromOurPage } from './origin.ts';
import { awayPage, overPage, refusedPage, strangerPage } from './pages.ts';
import { readReturnTo } from './return-to.ts';
import type { BrowserSessions, OpenSession, Seal } from './sessions.ts';

/**
 * Signs a browser in and out. State, nonce and PKCE verifier are sealed in a cookie of that browser, so a callback that
 * another browser began is refused. Tokens stay on the server; the browser gets a random cookie, a new one with every
 * sign-in.
 */
export interface LoginParts {
  readonly publicUrl: string;
  readonly issuer: string;
  /** How the issuer is asked for a sign-in with a second factor. */
  readonly secondFactorAcr: string | undefined;
  readonly jar: Jar;
  readonly seal: Seal;
  readonly client: IssuerClient;
  readonly browsers: BrowserSessions;
  readonly sessions: ConsoleSessions;
  /** Checks an access token as any request would, and says whose it is. */
  readonly identify: (
    accessToken: string,
    from: AtBrowserWithout,
  ) => Promise<{ readonly identity: Identity; readonly personId: string } | 'revoked' | Fault>;
  readonly layOut: LayOut;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: { warn(details: object, message: string): void };
}
type AtBrowserWithout = Omit<AtBrowser, 'personId'>;

/** What a browser keeps while it is away at the issuer. */
interface Question {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly stepUp: boolean;
  readonly askedAt: string;
}

const questionPlace = 'console login';
const answerWithinMs = 15 * 60_000;
/** Clocks of two machines differ a little. */
const skewMs = 60_000;
const secretBytes = 32;
const hourMs = 3_600_000;
const scope = 'openid profile email';

export async function mountLogin(app: FastifyInstance, parts: LoginParts): Promise<void> {
  const { jar, client, clock, ids, publicUrl, sessions, browsers } = parts;
  const redirectUri = `${publicUrl}/auth/callback`;
  const show = makeSend(parts.layOut);

  await app.register(async (scoped) => {
    scoped.removeAllContentTypeParsers();
    scoped.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 1_024 }, (_request, _body, done) => done(null));

    scoped.get('/auth/login', async (request, reply) => {
      // Cookies belong to one host name, and the issuer redirects to the public one.
      if (request.headers.host !== new URL(publicUrl).host) {
        return reply.redirect(new URL(request.url, publicUrl).href, 307);
      }
      const query = request.query as Record<string, unknown>;
      const wantsSecondFactor = query['step_up'] === 'second-factor';
      const question: Question = {
        state: ids.secret(secretBytes),
        nonce: ids.secret(secretBytes),
        verifier: ids.secret(secretBytes),
        returnTo: readReturnTo(query['return_to'], publicUrl),
        stepUp: query['step_up'] === '1' || wantsSecondFactor,
        askedAt: clock.now().toISOString(),
      };
      const address = new URL((await client.endpoints()).authorize);
      for (const [name, value] of Object.entries({
        client_id: client.id,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope,
        state: question.state,
        nonce: question.nonce,
        code_challenge: hash('sha256', question.verifier, 'base64url'),
        code_challenge_method: 'S256',
        ...(question.stepUp && { prompt: 'login', max_age: '0' }),
        ...(wantsSecondFactor && parts.secondFactorAcr && { acr_values: parts.secondFactorAcr }),
      })) {
        address.searchParams.set(name, value);
      }
      const sealed = Buffer.from(parts.seal.close(JSON.stringify(question), questionPlace)).toString('base64url');
      return reply.header('set-cookie', jar.login.set(sealed, answerWithinMs / 1_000)).redirect(address.href, 303);
    });

    scoped.get('/auth/callback', async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const question = readQuestion(request);
      reply.header('set-cookie', jar.login.clear());
      if (!question || query['state'] !== question.state) return show(reply, 400, overPage);
      // RFC 9207: an answer that names another issuer is refused.
      if (query['iss'] !== undefined && query['iss'] !== parts.issuer) return show(reply, 400, overPage);
      if (typeof query['error'] === 'string') return show(reply, 403, refusedPage(query['error']));
      if (typeof query['code'] !== 'string') return show(reply, 400, overPage);
      const tokens = await client.exchange(query['code'], question.verifier, redirectUri);
      if (tokens instanceof Fault) return show(reply, 400, overPage);
      const read = await nameTokens(tokens, question);
      if (!read) return show(reply, 400, overPage);
      const { tokens: named, email } = read;
      const from = whereFrom(request);
      const known = await parts.identify(named.accessToken, from);
      if (known === 'revoked') return startOver(reply, named, question);
      if (known instanceof Fault) {
        parts.log.warn({ code: known.code }, 'the issuer gave the console a token that is not valid here');
        return show(reply, 403, refusedPage(known.code));
      }
      // An existing session of the browser is never reused: an attacker may have planted its cookie.
      const { sessionId } = known.identity.credential;
      await endPresent(request, 'replaced by a new sign-in', from, { sessionId });
      const cookie = ids.secret(secretBytes);
      const id = ids.next();
      const lifeMs = sessions.maxHours() * hourMs;
      await sessions.begin(
        {
          id,
          personId: known.personId,
          sessionId,
          digest: browsers.digest(cookie),
          sealed: browsers.seal(id, named),
          expiresAt: new Date(clock.now().getTime() + lifeMs),
        },
        { ...from, personId: known.personId },
        email,
      );
      return reply
        .header('set-cookie', [jar.login.clear(), jar.session.set(cookie, lifeMs / 1_000)])
        .redirect(new URL(question.returnTo, publicUrl).href, 303);
    });

    scoped.post('/auth/logout', async (request, reply) => {
      if (!isFromOurPage(publicUrl, request.headers)) return show(reply, 403, strangerPage);
      const ended = await endPresent(request, 'signed out', whereFrom(request));
      reply.header('set-cookie', jar.session.clear());
      return leave(reply, ended?.tokens);
    });

    scoped.setErrorHandler(async (error, request, reply) => {
      parts.log.warn({ err: error, correlation_id: request.id }, 'a browser could not be signed in or out');
      return show(reply, 503, awayPage(request.id), { 'retry-after': '5' });
    });
  });

  function readQuestion(request: FastifyRequest): Question | undefined {
    const sealed = jar.login.read(request.headers.cookie);
    if (!sealed) return undefined;
    try {
      const text = parts.seal.open(Buffer.from(sealed, 'base64url'), questionPlace);
      const question = JSON.parse(text) as Question;
      return clock.now().getTime() - Date.parse(question.askedAt) <= answerWithinMs ? question : undefined;
    } catch {
      return undefined;
    }
  }

  /** The ID token binds the answer to this request, and says when the person signed in. */
  async function nameTokens(
    tokens: Tokens,
    question: Question,
  ): Promise<{ readonly tokens: Tokens; readonly email: string | undefined } | undefined> {
    if (!tokens.idToken) return undefined;
    try {
      const { nonce, authTime, name, email } = await client.readIdToken(tokens.idToken);
      if (nonce !== question.nonce) return undefined;
      const since = Date.parse(question.askedAt) - skewMs;
      if (question.stepUp && (!authTime || authTime.getTime() < since)) return undefined;
      return { tokens: { ...tokens, name }, email };
    } catch (error) {
      parts.log.warn({ err: error }, 'the ID token of a sign-in is not valid');
      return undefined;
    }
  }

  async function endPresent(
    request: FastifyRequest,
    reason: string,
    from: AtBrowserWithout,
    goesOn?: { readonly sessionId: string | undefined },
  ): Promise<OpenSession | undefined> {
    const cookie = jar.session.read(request.headers.cookie);
    if (!cookie) return undefined;
    const opened = await browsers.open(cookie);
    browsers.forget(cookie);
    if (opened instanceof Fault) return undefined;
    const { session, tokens } = opened;
    await sessions.end(session, reason, { ...from, personId: session.personId }, goesOn);
    if (!goesOn || goesOn.sessionId !== session.sessionId) await revoke(tokens);
    return opened;
  }

  const revoke = (tokens: Tokens) =>
    client
      .revoke(tokens)
      .catch((error: unknown) =>
        parts.log.warn({ err: error }, 'the issuer could not be notified of the end of a session'),
      );

  /** The issuer has a session of its own in this browser, which only the browser can end. */
  async function leave(reply: FastifyReply, tokens: Tokens | undefined) {
    const { logout } = await client.endpoints();
    if (!logout || !tokens?.idToken) return reply.redirect(`${publicUrl}/`, 303);
    const address = new URL(logout);
    address.searchParams.set('id_token_hint', tokens.idToken);
    address.searchParams.set('client_id', client.id);
    address.searchParams.set('post_logout_redirect_uri', `${publicUrl}/`);
    return reply.redirect(address.href, 303);
  }

  /**
   * The issuer still accepts a session that was revoked here. The request asks for a new sign-in; if the issuer returns
   * the same one again, its session is ended first.
   */
  async function startOver(reply: FastifyReply, tokens: Tokens, question: Question) {
    await revoke(tokens);
    if (question.stepUp) return leave(reply, tokens);
    return reply.redirect(`${publicUrl}/auth/login?step_up=1&return_to=${encodeURIComponent(question.returnTo)}`, 303);
  }
}

const whereFrom = (request: FastifyRequest): AtBrowserWithout => ({
  correlationId: request.id,
  address: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, 300),
});
