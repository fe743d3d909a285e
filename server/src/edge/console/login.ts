import type { FastifyInstance } from 'fastify';
import { type LayOut, makeSend } from '../oidc/layout.ts';
import { answerCallback, type CallbackParts, whereFrom } from './callback.ts';
import { isFromOurPage } from './origin.ts';
import { awayPage, strangerPage } from './pages.ts';
import { askIssuer } from './question.ts';
import { endPresent, leaveIssuer } from './sign-out.ts';

/**
 * Signs a browser in and out. State, nonce and PKCE verifier are sealed in a cookie of that browser, so a callback that
 * another browser began is refused. Tokens stay on the server; the browser gets a random cookie, a new one with every
 * sign-in.
 */
export interface LoginParts extends CallbackParts {
  readonly layOut: LayOut;
}

export async function mountLogin(app: FastifyInstance, parts: LoginParts): Promise<void> {
  const { jar, publicUrl } = parts;
  const show = makeSend(parts.layOut);

  await app.register(async (scoped) => {
    scoped.removeAllContentTypeParsers();
    scoped.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 1_024 }, (_request, _body, done) => done(null));

    scoped.get('/auth/login', async (request, reply) => {
      // Cookies belong to one host name, and the issuer redirects to the public one.
      if (request.headers.host !== new URL(publicUrl).host) {
        return reply.redirect(new URL(request.url, publicUrl).href, 307);
      }
      const { address, cookie } = await askIssuer(parts, request.query as Record<string, unknown>);
      return reply.header('set-cookie', cookie).redirect(address, 303);
    });

    scoped.get('/auth/callback', (request, reply) => answerCallback(parts, show, request, reply));

    scoped.post('/auth/logout', async (request, reply) => {
      if (!isFromOurPage(publicUrl, request.headers)) return show(reply, 403, strangerPage);
      const ended = await endPresent(parts, request, 'signed out', whereFrom(request));
      reply.header('set-cookie', jar.session.clear());
      return leaveIssuer(parts, reply, ended?.tokens);
    });

    scoped.setErrorHandler(async (error, request, reply) => {
      parts.log.warn({ err: error, correlation_id: request.id }, 'a browser could not be signed in or out');
      return show(reply, 503, awayPage(request.id), { 'retry-after': '5' });
    });
  });
}
