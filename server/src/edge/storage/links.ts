import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { linkPath, type OpenLink } from '../../domains/storage/index.ts';
import { Fault } from '../../kernel/fault.ts';
import { callerAddress } from '../gate/caller-address.ts';
import type { RateLimit } from '../http/admission/rate-limit.ts';
import { refuse } from '../http/failures.ts';

/**
 * Where a link to a file leads. The secret is all that is needed, so every request is counted by address, right or wrong, and every
 * refusal is the same. The answer leads on to the bytes, which are a download in a sandbox like any other.
 */
export function mountLinks(
  app: FastifyInstance,
  parts: { readonly openLink: OpenLink; readonly rateLimit: RateLimit },
): void {
  app.get(linkPath, { exposeHeadRoute: false }, (request, reply) => answer(parts, request, reply));
}

async function answer(
  { openLink, rateLimit }: Parameters<typeof mountLinks>[1],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' });
  const { allowed, limit, resetSeconds } = await rateLimit('sharedFiles', { address: callerAddress(request.ip) }, {});
  if (!allowed) {
    reply.header('retry-after', String(resetSeconds));
    const words = `Too many links were opened from this address: come back in ${resetSeconds} s.`;
    return refuse(reply, request.id, new Fault('rate_limit_exceeded', words, { lane: 'sharedFiles', limit }));
  }
  const { s: secret } = request.query as { readonly s?: unknown };
  const address = typeof secret === 'string' && secret !== '' ? await openLink(secret, request.id) : undefined;
  if (!address) {
    const words = 'This link does not work, or no longer: ask who sent it for another one.';
    return refuse(reply, request.id, new Fault('storage_link_not_found', words));
  }
  return reply.code(302).header('location', address.url).send();
}
