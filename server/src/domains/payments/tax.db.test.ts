import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { taxBetween, taxWithin } from './tax.ts';
import { openPaymentWorld, type PaymentWorld } from './testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let pay: PaymentWorld;
let finance: string;
let home: Tenant;

beforeAll(async () => {
  world = await openWorld();
  pay = await openPaymentWorld(world);
  finance = await world.operator('finance');
  home = await world.found('home');
  const seller = { legal_name: 'GPU Cloud GmbH', address_lines: ['Weg 1'], city: 'Bonn', country: 'DE' };
  const set = { as: finance, key: systemIds.next(), body: seller };
  expect((await world.call('PUT', '/api/v1/admin/billing/seller', set)).status).toBe(200);
});
afterAll(async () => {
  await pay?.close();
  await world?.close();
});
const postings = async () =>
  Object.fromEntries(
    (
      await world.root.query(
        `select account, sum(amount_minor)::int as sum from ledger_postings where organization_id = $1 group by 1`,
        [home.organizationId],
      )
    ).rows.map(({ account, sum }) => [account, sum]),
  );
const refund = (id: string, amount: string) =>
  world.call('POST', `/api/v1/admin/payments/sessions/${id}/refunds`, {
    ...{ as: finance, key: systemIds.next(), body: { amount_minor: amount, currency: 'USD', reason: 'asked for' } },
  });

describe('tax of a payment', () => {
  it('is paid in addition to what goes to the balance, and goes back with the payment in parts', async () => {
    const { id, checkoutId } = await pay.begun(home, '2500');
    expect(await pay.payment(home, id)).toMatchObject({
      ...{ amount: { amount_minor: '2975' }, tax: { amount_minor: '475' } },
    });
    const paid = await pay.people.pay(checkoutId, { last4: '4242' });
    await pay.deliver();
    expect(await pay.balance(home)).toBe(2_500n);
    expect(await postings()).toEqual({ customer: 2_500, tax: 475, payments: -2_975 });
    const first = await refund(id, '1000');
    expect(first.body.balance.amount_minor).toBe('1660');
    await pay.sendRefunds();
    // The provider knows of another one, which did not come from us.
    await pay.people.refundHere(paid?.payment_id ?? '', 975n);
    await pay.deliver();
    await pay.compare();
    expect((await refund(id, '1001')).body.code).toBe('refund_exceeds_payment');
    expect((await refund(id, '1000')).status).toBe(202);
    await pay.sendRefunds();
    expect(await postings()).toEqual({ customer: 0, tax: 0, payments: 0 });
  });

  it('is held with the payment while it is disputed, and goes back when the dispute is lost', async () => {
    const { checkoutId } = await pay.begun(home, '2500');
    const paid = await pay.people.pay(checkoutId, { last4: '4242' });
    await pay.deliver();
    await pay.people.dispute(paid?.payment_id ?? '', 'needs_response');
    await pay.deliver();
    expect(await postings()).toEqual({ customer: -475, tax: 475, payments: -2_975, held: 2_975 });
    await pay.people.dispute(paid?.payment_id ?? '', 'lost');
    await pay.deliver();
    expect(await postings()).toEqual({ customer: 0, tax: 0, payments: 0, held: 0 });
  });

  it('adds up to the tax of the whole, however it is divided', () => {
    const payment = { amount_minor: 2_975n, tax_minor: 475n };
    let before = 0n;
    let sum = 0n;
    for (let after = 7n; before < 2_975n; after += 7n) {
      const end = after < 2_975n ? after : 2_975n;
      sum += taxBetween(payment, before, end);
      before = end;
    }
    expect([sum, taxWithin(payment, 0n)]).toEqual([475n, 0n]);
  });
});
