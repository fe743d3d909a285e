import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../../ports/identity-provider/port.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { AfterForm } from './after-form.ts';
import type { Attempts } from './attempts.ts';
import type { Send } from './layout.ts';
import { linkPage, notePage, passwordPage, passwordSetPage, spentPage } from './pages.ts';

/**
 * Password links: a person requests one by email, and chooses a password under it. The answer is the same whether or
 * not the address has an account, and does not wait for the work, so its timing reveals nothing.
 */
const maxUnderWay = 50;
const maxAddressLength = 254;

export function mountPasswordRoutes(
  scope: FastifyInstance,
  parts: {
    /** The path of the issuer. */
    readonly base: string;
    readonly accounts: Pick<Accounts, 'redeemPasswordLink'>;
    readonly attempts: Pick<Attempts, 'letter'>;
    readonly send: Send;
    readonly afterForm: AfterForm;
    readonly passwordChanged: ((accountId: string) => Promise<void>) | undefined;
    readonly sendPasswordLink: ((address: string) => Promise<void>) | undefined;
    readonly fieldOf: (request: FastifyRequest, name: string) => string;
    readonly refusal: (waitMs: number) => { readonly text: string; readonly headers: Record<string, string> };
    readonly log: { error(details: object, message: string): void };
  },
): void {
  const { base, send, fieldOf, sendPasswordLink, afterForm } = parts;
  const asked = linkUrl(base);
  const spent = `${base}/password-link-spent`;
  const set = `${base}/password-set`;

  scope.get('/password', async (request, reply) => {
    const { token } = request.query as { token?: unknown };
    const { status = 200, problem } = afterForm.take(request, reply) ?? {};
    const form = { action: `${base}/password`, token: typeof token === 'string' ? token.slice(0, 128) : '', problem };
    return send(reply, status, passwordPage(form));
  });

  scope.post('/password', async (request, reply) => {
    const token = fieldOf(request, 'token').slice(0, 128);
    const done = await parts.accounts.redeemPasswordLink(token, fieldOf(request, 'password'));
    if (done === undefined) return afterForm.go(reply, spent);
    if ('refused' in done) {
      const again = `${base}/password?token=${encodeURIComponent(token)}`;
      return afterForm.go(reply, again, { status: 422, problem: 'That password is too easy to guess.' });
    }
    // If this fails, the person sees that it did, and asks for another link.
    await parts.passwordChanged?.(done.id);
    return afterForm.go(reply, set, { login: done.login });
  });
  scope.get('/password-link-spent', async (_request, reply) => send(reply, 400, spentPage(sendPasswordLink && asked)));
  scope.get('/password-set', async (request, reply) =>
    send(reply, 200, passwordSetPage(afterForm.take(request, reply)?.login)),
  );

  if (!sendPasswordLink) return;
  const underWay = new Set<Promise<void>>();
  scope.get('/password-link', async (request, reply) => {
    const { status = 200, problem, waitMs } = afterForm.take(request, reply) ?? {};
    const waits = waitMs === undefined ? undefined : parts.refusal(waitMs);
    return send(reply, status, linkPage({ action: asked, problem: waits?.text ?? problem }), waits?.headers);
  });
  scope.get('/password-link-sent', async (_request, reply) => send(reply, 200, sentPage));

  scope.post('/password-link', async (request, reply) => {
    const address = fieldOf(request, 'email').slice(0, maxAddressLength);
    const refused = await parts.attempts.letter(address, callerAddress(request.ip));
    if (refused) return afterForm.go(reply, asked, { status: 429, waitMs: refused.waitMs });
    if (underWay.size >= maxUnderWay) {
      const problem = 'Many people ask for a link right now. Try again in a few seconds.';
      return afterForm.go(reply, asked, { status: 503, problem });
    }
    const work = sendPasswordLink(address)
      .catch((error: unknown) => parts.log.error({ err: error }, 'a link for a password could not be sent'))
      .finally(() => underWay.delete(work));
    underWay.add(work);
    return afterForm.go(reply, `${base}/password-link-sent`);
  });
  // Requested emails are handed over before the process ends.
  scope.addHook('onClose', async () => {
    await Promise.all(underWay);
  });
}

/** Where a link is asked for. */
export const linkUrl = (base: string): string => `${base}/password-link`;

const sentPage = notePage(
  'Check your mail',
  'If this address has an account or was invited, an email with a link is on its way. The link works once, for an hour.',
);
