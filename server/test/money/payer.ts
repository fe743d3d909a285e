import type { PaymentWorld } from '../../src/domains/payments/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import type { Tenant, World } from '../../src/testing/world.ts';
import type { Chance } from './chance.ts';
import type { MoneyMoved } from './oracle.ts';

/** Pays, is given credit and gets money back, through the routes and the webhooks of the simulated provider. */
export function makePayer(
  world: World,
  pay: PaymentWorld,
  tenant: Tenant,
  finance: () => Promise<string>,
  chance: Chance,
) {
  const moved = { paid: 0n, refunded: 0n, granted: 0n };
  const payments: { readonly paymentId: string; left: bigint }[] = [];
  const faults = ['none', 'none', 'duplicate', 'lost'] as const;
  return {
    moved: moved as Readonly<MoneyMoved>,
    async topUp(): Promise<void> {
      const amount = BigInt(chance.between(1_000, 100_000));
      const { checkoutId } = await pay.begun(tenant, amount.toString());
      const row = await pay.people.pay(checkoutId, { last4: '4242', fault: chance.pick(faults) });
      if (!row?.payment_id) throw new Error('a checkout was not paid');
      payments.push({ paymentId: row.payment_id, left: amount });
      moved.paid += amount;
      await pay.deliver();
    },
    async refund(): Promise<void> {
      const open = payments.filter(({ left }) => left > 0n);
      if (open.length === 0) return;
      const payment = chance.pick(open);
      const amount = BigInt(chance.between(1, Number(payment.left)));
      await pay.people.refundHere(payment.paymentId, amount, chance.pick(faults));
      payment.left -= amount;
      moved.refunded += amount;
      await pay.deliver();
    },
    async grant(): Promise<void> {
      const amount = chance.between(1, 50_000);
      const answer = await world.call('POST', `/api/v1/admin/billing/accounts/${tenant.organizationId}/grants`, {
        ...{ as: await finance(), key: systemIds.next() },
        body: { amount_minor: String(amount), currency: 'USD', reason: 'a welcome' },
      });
      if (answer.status !== 201) throw new Error(answer.text);
      moved.granted += BigInt(amount);
    },
    /** Webhooks that were lost are found by asking the provider. */
    settle: () => pay.compare(),
  };
}
