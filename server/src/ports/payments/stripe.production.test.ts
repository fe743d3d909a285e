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
      const charge = { customerId: 'cus_1', methodId: 'pm_1', amountMinor: 500n, currency: 'USD', title: 'Top-up' };
      // The mock answers every payment with one that still wants its card, which is refused and cancelled.
      expect(await payments.charge({ reference: 'c1', ...charge })).toEqual({ refused: expect.any(String) });
      expect(await payments.findCharge('pi_1')).toMatchObject({ paymentId: expect.stringMatching(/^pi_/) });
      const [card] = await payments.methods('cus_1');
      expect(card).toMatchObject({ id: expect.stringMatching(/^pm_/), isDefault: true });
      expect(await payments.setDefaultMethod('cus_1', card?.id ?? '')).toBeUndefined();
      expect(await payments.removeMethod('cus_1', card?.id ?? '')).toBeUndefined();
      expect(payments.readEvent(Buffer.from('{}'), 't=1,v1=0')).toEqual({ refused: expect.stringMatching(/secret/) });
      await expect(stranger.check()).rejects.toThrow(/Stripe/);
    } finally {
      await Promise.all([payments.close(), stranger.close()]);
      await server.close();
    }
  });
});
