import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { startStripeMock } from '../../testing/servers/stripe-mock.ts';
import { paymentsConformance, webhookSecret } from './conformance.ts';
import { openPayments } from './open.ts';

const clock = makeTestClock(new Date('2026-03-04T05:06:07.000Z'));

// The mock holds our requests against the published description of the API. It remembers nothing, so what payments do is shown with
// the simulated provider.
paymentsConformance('stripe', 'requests', async () => {
  const server = await startStripeMock();
  const config = { kind: 'stripe', secretKey: 'sk_test_123', webhookSecret, url: server.url } as const;
  return {
    ...{ config, clock },
    open: () => openPayments(config, { clock }),
    breakDown: () => server.kill(),
    recover: () => server.start(),
    close: () => server.close(),
  };
});

describe('stripe', () => {
  it('takes a refund as its description has it, and refuses a key that it cannot read', async () => {
    const server = await startStripeMock();
    const config = { kind: 'stripe', secretKey: 'sk_test_123', url: server.url } as const;
    const payments = await openPayments(config, { clock });
    const stranger = await openPayments({ ...config, secretKey: 'nonsense' }, { clock });
    try {
      expect(await payments.refund({ reference: 'r1', paymentId: 'pi_1', amountMinor: 500n })).toEqual({
        refundId: expect.stringMatching(/^re_/),
      });
      expect(payments.readEvent(Buffer.from('{}'), 't=1,v1=0')).toEqual({ refused: expect.stringMatching(/secret/) });
      await expect(stranger.check()).rejects.toThrow(/Stripe/);
    } finally {
      await Promise.all([payments.close(), stranger.close()]);
      await server.close();
    }
  });
});
