import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../../ports/identity-provider/port.ts';
import { callerAddress } from '../gate/caller-address.ts';
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
    readonly passwordChanged: ((accountId: string) => Promise<void>) | undefined;
    readonly sendPasswordLink: ((address: string) => Promise<void>) | undefined;
    readonly fieldOf: (request: FastifyRequest, name: string) => string;
    readonly refusal: (waitMs: number) => { readonly text: string; readonly headers: Record<string, string> };
    readonly log: { error(details: object, message: string): void };
  },
): void {
  const { base, send, fieldOf, sendPasswordLink } = parts;
  const asked = linkUrl(base);
  const passwordForm = (token: string, problem?: string) =>
    passwordPage({ action: `${base}/password`, token, problem });

  scope.get('/password', async (request, reply) => {
    const { token } = request.query as { token?: unknown };
    return send(reply, 200, passwordForm(typeof token === 'string' ? token.slice(0, 128) : ''));
  });

  scope.post('/password', async (request, reply) => {
    const token = fieldOf(request, 'token').slice(0, 128);
    const done = await parts.accounts.redeemPasswordLink(token, fieldOf(request, 'password'));
    if (done === undefined) return send(reply, 400, spentPage(sendPasswordLink && asked));
    if ('refused' in done) return send(reply, 422, passwordForm(token, 'That password is too easy to guess.'));
    // If this fails, the person sees that it did, and asks for another link.
    await parts.passwordChanged?.(done.id);
    return send(reply, 200, passwordSetPage(done.login));
  });

  if (!sendPasswordLink) return;
  const underWay = new Set<Promise<void>>();
  scope.get('/password-link', async (_request, reply) =>
    send(reply, 200, linkPage({ action: asked, problem: undefined })),
  );

  scope.post('/password-link', async (request, reply) => {
    const address = fieldOf(request, 'email').slice(0, maxAddressLength);
    const refused = await parts.attempts.letter(address, callerAddress(request.ip));
    if (refused) {
      const { text, headers } = parts.refusal(refused.waitMs);
      return send(reply, 429, linkPage({ action: asked, problem: text }), headers);
    }
    if (underWay.size >= maxUnderWay) {
      const problem = 'Many people ask for a link right now. Try again in a few seconds.';
      return send(reply, 503, linkPage({ action: asked, problem }), { 'retry-after': '5' });
    }
    const work = sendPasswordLink(address)
      .catch((error: unknown) => parts.log.error({ err: error }, 'a link for a password could not be sent'))
      .finally(() => underWay.delete(work));
    underWay.add(work);
    return send(reply, 200, sentPage);
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
