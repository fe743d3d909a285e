import { Stripe } from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestClock } from '../../kernel/clock.ts';
import { minuteMs, secondMs } from '../../kernel/units.ts';
import { endsByItself } from '../../testing/servers/ends-by-itself.ts';
import type { PaymentsConfig } from './open.ts';
import type { ChargeOrder, CheckoutOrder, Payments, SetupOrder } from './port.ts';
import type { SimulatedProvider } from './simulated/provider.ts';

/** A provider to pay with, and the means to disturb it. */
export interface PaymentsWorld {
  readonly config: PaymentsConfig;
  readonly clock: TestClock;
  open(): Promise<Payments>;
  /** The side of the provider that people see; nothing where it remembers nothing. */
  readonly people?: SimulatedProvider;
  breakDown(): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}
/** What its provider can be seen doing: whole payments, only that it takes our requests, or nothing at all. */
type Takes = 'payments' | 'requests' | 'nothing';

export const webhookSecret = 'whsec_0123456789abcdef0123456789abcdef';
let count = 0;
const write = (changes: Partial<CheckoutOrder> = {}): CheckoutOrder => {
  count += 1;
  return {
    reference: `0198c5a0-0000-7000-8000-${`${count}`.padStart(12, '0')}`,
    customerId: 'cus_1',
    amountMinor: 2_500n,
    currency: 'USD',
    title: 'Balance of Lab',
    expiresAt: new Date(Date.parse('2026-03-04T06:06:07.000Z')),
    paidUrl: 'https://gpuaas.test/billing?payment=1',
    leftUrl: 'https://gpuaas.test/billing',
    ...changes,
  };
};

const writeSetup = (changes: Partial<SetupOrder> = {}): SetupOrder => {
  const { reference, customerId, expiresAt } = write();
  return { reference, customerId, expiresAt, title: 'Payments of Lab', backUrl: 'https://gpuaas.test/', ...changes };
};
const writeCharge = (changes: Partial<ChargeOrder> = {}): ChargeOrder => {
  const { reference, customerId, amountMinor, currency } = write();
  return { ...{ reference, customerId, amountMinor, currency, methodId: 'pm_1', title: 'Top-up' }, ...changes };
};

/** What a way to be paid promises. */
export function paymentsConformance(name: string, takes: Takes, makeWorld: () => Promise<PaymentsWorld>): void {
  describe(`payments: ${name}`, () => {
    let world: PaymentsWorld;
    const opened: Payments[] = [];
    const open = async () => {
      const payments = await world.open();
      opened.push(payments);
      return payments;
    };
    beforeAll(async () => {
      world = await makeWorld();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((payments) => payments.close()));
    });
    afterAll(() => world?.close());

    if (takes === 'nothing') refusesAll(open);
    else {
      takesRequests(open, () => world);
      readsEvents(open, () => world);
    }
    if (takes === 'payments') takesPayments(open, () => world);

    it('refuses everything once it is closed', async () => {
      const payments = await world.open();
      await payments.close();
      await payments.close();
      await expect(payments.openCheckout(write())).rejects.toThrow(/closed/);
      await expect(payments.check()).rejects.toThrow(/closed/);
    });

    it('leaves nothing behind that would keep a process alive', async () => {
      await expect(
        endsByItself(import.meta.resolve('./open.ts'), 'openPayments', world.config),
      ).resolves.toBeUndefined();
    });
  });
}

function refusesAll(open: () => Promise<Payments>): void {
  it('takes no payments, believes no webhook, and says so', async () => {
    const payments = await open();
    await expect(payments.check()).resolves.toBeUndefined();
    expect(await payments.openCheckout(write())).toEqual({ refused: expect.stringMatching(/no payments/) });
    expect(await payments.refund({ reference: 'r', paymentId: 'p', amountMinor: 1n })).toHaveProperty('refused');
    expect(await payments.findCheckout('cs_1')).toBeUndefined();
    expect(payments.readEvent(Buffer.from('{}'), 't=1,v1=00')).toHaveProperty('refused');
    expect(await payments.openSetup(writeSetup())).toHaveProperty('refused');
    expect(await payments.methods('cus_1')).toEqual([]);
    expect(await payments.charge(writeCharge())).toHaveProperty('refused');
    expect(await payments.findCharge('pi_1')).toBeUndefined();
    await expect(payments.customer({ reference: 'o', name: 'Lab' })).rejects.toThrow(/no payments/);
  });
}

function takesRequests(open: () => Promise<Payments>, world: () => PaymentsWorld): void {
  it('opens a checkout for a customer, with a page of its own', async () => {
    const payments = await open();
    const customerId = await payments.customer({ reference: 'an-organization', name: 'Lab' });
    expect(customerId).toMatch(/^cus_/);
    const made = await payments.openCheckout(write({ customerId }));
    expect(made).toEqual({ checkoutId: expect.stringMatching(/^cs_/), url: expect.stringMatching(/^https?:\/\//) });
    const found = await payments.findCheckout('checkoutId' in made ? made.checkoutId : '');
    expect(found).toMatchObject({ status: 'open' });
  });

  it.each<[string, Partial<CheckoutOrder>]>([
    ['nothing', { amountMinor: 0n }],
    ['less than nothing', { amountMinor: -2_500n }],
    ['more than cards can pay', { amountMinor: 100_000_000n }],
    ['a currency that is none', { currency: 'usd' }],
    ['a checkout that is over', { expiresAt: new Date(0) }],
  ])('refuses %s for good', async (_, changes) => {
    const payments = await open();
    expect(await payments.openCheckout(write(changes))).toEqual({ refused: expect.any(String) });
  });

  it('opens a page on which a card is saved, and lists the cards of a customer with one default', async () => {
    const payments = await open();
    const customerId = await payments.customer({ reference: 'an-organization', name: 'Lab' });
    expect(await payments.openSetup(writeSetup({ customerId }))).toEqual({
      url: expect.stringMatching(/^https?:\/\//),
    });
    expect(await payments.openSetup(writeSetup({ customerId, expiresAt: new Date(0) }))).toHaveProperty('refused');
    const cards = await payments.methods(customerId);
    expect(cards.filter(({ isDefault }) => isDefault)).toHaveLength(Math.min(1, cards.length));
    expect(await payments.setDefaultMethod(customerId, 'pm_nowhere')).toHaveProperty('refused');
    expect(await payments.removeMethod(customerId, 'pm_nowhere')).toHaveProperty('refused');
  });

  it('charges nothing that cards cannot pay', async () => {
    const payments = await open();
    for (const changes of [{ amountMinor: 0n }, { amountMinor: 100_000_000n }, { currency: 'usd' }]) {
      expect(await payments.charge(writeCharge(changes))).toEqual({ refused: expect.any(String) });
    }
  });

  it('throws while the provider is away, and works when it is back', async () => {
    const payments = await open();
    await expect(payments.check()).resolves.toBeUndefined();
    const order = write();
    await world().breakDown();
    try {
      await expect(payments.openCheckout(order)).rejects.toThrow();
      await expect(payments.check()).rejects.toThrow();
    } finally {
      await world().recover();
    }
    await vi.waitFor(() => payments.check(), { timeout: 60_000, interval: 100 });
    expect(await payments.openCheckout(order)).toHaveProperty('url');
  });
}

/** Made by the library of Stripe, as its own documentation tells people to test. */
const headerOf = (body: string, at: Date, secret = webhookSecret): string =>
  Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret,
    timestamp: Math.floor(at.getTime() / secondMs),
  });
const paidBody = (changes: object = {}): string =>
  JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'checkout.session.completed',
    created: 1_772_600_000,
    data: {
      object: {
        id: 'cs_1',
        client_reference_id: 'our-name',
        payment_intent: 'pi_1',
        status: 'complete',
        payment_status: 'paid',
        amount_total: 2_500,
        currency: 'usd',
        ...changes,
      },
    },
  });

function readsEvents(open: () => Promise<Payments>, world: () => PaymentsWorld): void {
  const at = (ms: number) => new Date(world().clock.now().getTime() + ms);

  it('reads a signed event, whatever stands beside its signature', async () => {
    const payments = await open();
    const body = paidBody();
    const header = headerOf(body, at(0));
    const [time = '', signature = ''] = header.split(',');
    const rotated = `${time},v1=${'0'.repeat(64)},${signature},v0=x`;
    for (const each of [header, rotated, headerOf(body, at(-299 * secondMs)), headerOf(body, at(299 * secondMs))]) {
      expect(payments.readEvent(Buffer.from(body), each)).toEqual({
        id: 'evt_1',
        type: 'checkout.session.completed',
        at: new Date(1_772_600_000 * secondMs),
        facts: {
          ...{ checkoutId: 'cs_1', reference: 'our-name', paymentId: 'pi_1' },
          ...{ status: 'paid', amountMinor: 2_500n, currency: 'USD' },
        },
      });
    }
  });

  it('reads what went back, and what is disputed', async () => {
    const payments = await open();
    const read = (type: string, object: object) => {
      const body = JSON.stringify({ id: 'evt_2', object: 'event', type, created: 1, data: { object } });
      return payments.readEvent(Buffer.from(body), headerOf(body, at(0)));
    };
    expect(read('charge.refunded', { payment_intent: 'pi_1', amount_refunded: 700, currency: 'eur' })).toMatchObject({
      facts: { paymentId: 'pi_1', refundedMinor: 700n, currency: 'EUR' },
    });
    const dispute = { payment_intent: { id: 'pi_1' }, amount: 900, currency: 'usd' };
    const seen = ['needs_response', 'won', 'lost', 'warning_closed'].map((status) =>
      read('charge.dispute.created', { ...dispute, status }),
    );
    expect(seen).toMatchObject(
      ['open', 'won', 'lost', 'won'].map((outcome) => ({
        facts: { paymentId: 'pi_1', dispute: { amountMinor: 900n, outcome } },
      })),
    );
    expect(read('invoice.created', {})).toMatchObject({ type: 'invoice.created', facts: undefined });
  });

  it.each<[string, (body: string) => [string, string | undefined]]>([
    ['without a signature', (body) => [body, undefined]],
    ['with an empty signature', (body) => [body, '']],
    ['with a signature of another secret', (body) => [body, headerOf(body, at(0), 'whsec_another')]],
    ['whose body was changed', (body) => [body.replace('2500', '9500'), headerOf(body, at(0))]],
    ['with a body that is longer by a blank', (body) => [`${body} `, headerOf(body, at(0))]],
    ['whose time was changed', (body) => [body, headerOf(body, at(0)).replace(/^t=\d/, 't=9')]],
    ['that was signed five minutes and a second ago', (body) => [body, headerOf(body, at(-5 * minuteMs - secondMs))]],
    ['from the future', (body) => [body, headerOf(body, at(5 * minuteMs + 2 * secondMs))]],
    ['with two times', (body) => [body, `t=1,${headerOf(body, at(0))}`]],
    ['with half a signature', (body) => [body, headerOf(body, at(0)).slice(0, -32)]],
    ['with the signature under another name', (body) => [body, headerOf(body, at(0)).replace('v1=', 'v0=')]],
    ['that is signed and no JSON', () => ['{', headerOf('{', at(0))]],
    ['that is signed and no event', () => ['{"id":1}', headerOf('{"id":1}', at(0))]],
    [
      'that is signed and about half a checkout',
      () => {
        const body = paidBody({ amount_total: -1 });
        return [body, headerOf(body, at(0))];
      },
    ],
  ])('refuses a webhook %s', async (_, make) => {
    const payments = await open();
    const [body, header] = make(paidBody());
    expect(payments.readEvent(Buffer.from(body), header)).toEqual({ refused: expect.any(String) });
  });
}

function takesPayments(open: () => Promise<Payments>, world: () => PaymentsWorld): void {
  const pay = async (payments: Payments, order = write()) => {
    const made = await payments.openCheckout(order);
    if (!('checkoutId' in made)) throw new Error(made.refused);
    const paid = await world().people?.pay(made.checkoutId, { last4: '4242' });
    return { ...made, paymentId: paid?.payment_id ?? '' };
  };

  it('opens one checkout for one reference, however often it is asked', async () => {
    const payments = await open();
    const order = write();
    const many = await Promise.all(Array.from({ length: 8 }, () => payments.openCheckout(order)));
    expect(new Set(many.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it('knows what was paid, what expired and what it never opened', async () => {
    const payments = await open();
    const { checkoutId, paymentId } = await pay(payments);
    expect(await payments.findCheckout(checkoutId)).toMatchObject({
      ...{ status: 'paid', amountMinor: 2_500n, currency: 'USD', paymentId, refundedMinor: 0n },
    });
    const short = write({ expiresAt: new Date(world().clock.now().getTime() + secondMs) });
    const left = await payments.openCheckout(short);
    await world().clock.advance(2 * secondMs);
    const leftId = 'checkoutId' in left ? left.checkoutId : '';
    expect(await payments.findCheckout(leftId)).toMatchObject({ status: 'expired' });
    expect(await world().people?.pay(leftId, { last4: '4242' })).toBeUndefined();
    expect(await payments.findCheckout('cs_nowhere')).toBeUndefined();
  });

  it('sends back what was paid, once for each reference and never more', async () => {
    const payments = await open();
    const { checkoutId, paymentId } = await pay(payments);
    const order = { reference: `r-${paymentId}`, paymentId, amountMinor: 1_000n };
    const first = await payments.refund(order);
    expect(first).toEqual({ refundId: expect.any(String) });
    expect(await payments.refund(order)).toEqual(first);
    expect(await payments.findCheckout(checkoutId)).toMatchObject({ refundedMinor: 1_000n });
    expect(await payments.refund({ ...order, reference: `s-${paymentId}`, amountMinor: 1_501n })).toHaveProperty(
      'refused',
    );
    expect(await payments.refund({ ...order, reference: `t-${paymentId}`, amountMinor: 0n })).toHaveProperty('refused');
    expect(await payments.refund({ ...order, reference: 'u', paymentId: 'pi_nowhere' })).toHaveProperty('refused');
  });

  it('tells of a dispute and of its end', async () => {
    const payments = await open();
    const { checkoutId, paymentId } = await pay(payments);
    await world().people?.dispute(paymentId, 'needs_response');
    expect(await payments.findCheckout(checkoutId)).toMatchObject({
      dispute: { amountMinor: 2_500n, outcome: 'open' },
    });
    await world().people?.dispute(paymentId, 'lost');
    expect(await payments.findCheckout(checkoutId)).toMatchObject({
      dispute: { amountMinor: 2_500n, outcome: 'lost' },
    });
  });

  const customer = async (payments: Payments, last4: string) => {
    const customerId = await payments.customer({ reference: `card-${last4}-${count}`, name: 'Lab' });
    const made = await payments.openSetup(writeSetup({ customerId }));
    await world().people?.finishSetup('url' in made ? (made.url.split('/').at(-1) ?? '') : '', last4);
    const [card] = await payments.methods(customerId);
    return { customerId, methodId: card?.id ?? '' };
  };

  it('charges a saved card once for each reference, and knows of it afterwards', async () => {
    const payments = await open();
    const order = writeCharge(await customer(payments, '4242'));
    const many = await Promise.all(Array.from({ length: 8 }, () => payments.charge(order)));
    expect(new Set(many.map((each) => JSON.stringify(each))).size).toBe(1);
    const [first] = many;
    const paymentId = first && 'paymentId' in first ? first.paymentId : '';
    expect(first).toEqual({ paymentId, status: 'paid' });
    expect(await payments.findCharge(paymentId)).toMatchObject({
      ...{ status: 'paid', amountMinor: 2_500n, currency: 'USD', reference: order.reference, refundedMinor: 0n },
    });
    expect(await payments.refund({ reference: `x-${paymentId}`, paymentId, amountMinor: 500n })).toHaveProperty(
      'refundId',
    );
    expect(await payments.findCharge(paymentId)).toMatchObject({ refundedMinor: 500n });
    expect(await payments.findCharge('pi_nowhere')).toBeUndefined();
  });

  it('says when a card is declined, when its bank wants a person, and when the card is gone', async () => {
    const payments = await open();
    const declined = await customer(payments, '0341');
    const order = writeCharge(declined);
    expect(await payments.charge(order)).toEqual({ refused: expect.stringMatching(/declined/) });
    expect(await payments.charge(order)).toHaveProperty('refused');
    expect(await payments.charge(writeCharge(await customer(payments, '3184')))).toHaveProperty('unconfirmed');
    await payments.removeMethod(declined.customerId, declined.methodId);
    expect(await payments.methods(declined.customerId)).toEqual([]);
    expect(await payments.charge(writeCharge(declined))).toHaveProperty('refused');
  });
}
