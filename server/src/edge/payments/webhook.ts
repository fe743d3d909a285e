import type { FastifyInstance } from 'fastify';
import type { TakeWebhook } from '../../domains/payments/index.ts';
import { refuse } from '../http/failures.ts';
import { header } from '../http/shown.ts';

/** Events are small; the largest that a provider documents is a quarter of this. */
const bodyLimitBytes = 256 * 1_024;
export const webhookPath = '/api/v1/payments/webhook';

/**
 * Where the payment provider tells us what happened. What is signed are the bytes, so nothing reads them before the signature was
 * checked; and what is not signed is answered 400, whatever it is.
 */
export async function mountPaymentWebhook(
  app: FastifyInstance,
  { take }: { readonly take: TakeWebhook },
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyLimitBytes }, (_request, body, done) =>
      done(null, body),
    );
    scope.post(webhookPath, async (request, reply) => {
      const refused = await take({
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        signature: header(request, 'stripe-signature'),
        correlationId: request.id,
      });
      return refused ? refuse(reply, request.id, refused) : reply.code(200).send({ received: true });
    });
  });
}
