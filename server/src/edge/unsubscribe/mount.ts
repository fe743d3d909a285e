import { specOf } from '@gpuaas/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type makeUnsubscribe, unsubscribePath } from '../../domains/notifications/index.ts';
import { escapeHtml } from '../../kernel/html.ts';

/** A form with one field, or nothing. */
const bodyLimitBytes = 1_024;
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * Where a click on "Unsubscribe" leads. Opening the page changes nothing, because mail programs open links by themselves; the
 * button, and the one click of a mail program (RFC 8058), post here. The token is all that is needed: nobody has to sign in.
 */
export async function mountUnsubscribe(
  app: FastifyInstance,
  unsubscribe: ReturnType<typeof makeUnsubscribe>,
): Promise<void> {
  const tokenOf = (request: FastifyRequest): string => {
    const { token } = request.query as Record<string, unknown>;
    return typeof token === 'string' ? token : '';
  };
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: bodyLimitBytes }, (_request, _body, done) =>
      done(null),
    );
    scope.get(unsubscribePath, async (request, reply) => {
      const token = tokenOf(request);
      const subscription = unsubscribe.read(token);
      if (!subscription) return show(reply, 404, 'This link does not work', [unknown]);
      return show(reply, 200, 'End these mails?', [`Mails: ${nameOf(subscription.kind)}.`], token);
    });
    scope.post(unsubscribePath, async (request, reply) => {
      const subscription = await unsubscribe.end(tokenOf(request), request.id);
      if (!subscription) return show(reply, 404, 'This link does not work', [unknown]);
      const ended = `You get no more mails: ${nameOf(subscription.kind)}.`;
      return show(reply, 200, 'Done', [ended, 'The notification settings of the console start them again.']);
    });
  });
}

const unknown = 'It may have been cut off by your mail program. The notification settings of the console do the same.';
const nameOf = (kind: NonNullable<ReturnType<ReturnType<typeof makeUnsubscribe>['read']>>['kind']): string =>
  kind === 'daily' ? 'one mail a day' : specOf(kind).title.toLowerCase();

const show = (reply: FastifyReply, status: number, title: string, lines: readonly string[], token?: string) =>
  reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .send(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title></head>
<body style="max-width:36rem;margin:4rem auto;padding:0 1rem;font-family:system-ui,sans-serif;line-height:1.5">
<h1>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
${token === undefined ? '' : `<form method="post" action="${unsubscribePath}?token=${encodeURIComponent(token)}"><button>Unsubscribe</button></form>`}
</body></html>
`);
