import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { makeDisabledPayments } from '../../ports/payments/disabled.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { openPaymentWorld, type PaymentWorld } from './testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let pay: PaymentWorld;
let home: Tenant;
let finance: string;
let tenants = 0;
const newTenant = () => {
  tenants += 1;
  return world.found(`payer-${tenants}`);
};

beforeAll(async () => {
  world = await openWorld({ policies: { 'payments.max_open_sessions': 10 } });
  pay = await openPaymentWorld(world);
  home = await world.found('home');
  finance = await world.operator('finance');
});
afterAll(async () => {
  await pay?.close();
  await world?.close();
});

const entriesOf = async (tenant: Tenant) =>
  (
    await world.root.query(
      `select kind, amounts[1]::text as amount, accounts[2] as against from ledger_entries where organization_id = $1
       order by at, id`,
      [tenant.organizationId],
    )
  ).rows;
const eventsOf = async (tenant: Tenant, type: string) =>
  (
    await world.root.query(
      `select envelope->'payload' as payload from outbox_events where envelope->>'event_type' = $1
         and envelope->>'organization_id' = $2 order by envelope->>'occurred_at'`,
      [type, tenant.organizationId],
    )
  ).rows.map(({ payload }) => payload);
const verify = async (tenant: Tenant) =>
  (
    await world.call('GET', `/api/v1/organizations/${tenant.organizationId}/billing/ledger/verify`, {
      as: tenant.token,
    })
  ).body;
/** A payment that was made and has been heard of. */
async function paid(tenant: Tenant, amount = '2500') {
  const { id, checkoutId } = await pay.begun(tenant, amount);
  const row = await pay.people.pay(checkoutId, { last4: '4242' });
  // News of others may be under way too.
  expect(new Set(await pay.deliver())).toEqual(new Set([200]));
  return { id, checkoutId, paymentId: row?.payment_id ?? '' };
}

describe('a payment', () => {
  it('is begun with the provider, made there, and added to the balance once', async () => {
    const tenant = await newTenant();
    const begun = await pay.begin(tenant);
    expect(begun.status, begun.text).toBe(201);
    expect(begun.body).toMatchObject({
      ...{ state: 'open', provider: 'simulated', url: expect.stringContaining('/checkout/cs_sim_') },
      ...{ amount: { amount_minor: '2500', currency: 'USD' }, credited: { amount_minor: '0' }, settled_at: null },
    });
    const checkoutId = begun.body.url.split('/').at(-1);
    await pay.people.pay(checkoutId, { last4: '4242', fault: 'duplicate' });
    expect(await pay.deliver()).toEqual([200, 200]);
    expect(await pay.balance(tenant)).toBe(2_500n);
    expect(await pay.payment(tenant, begun.body.id)).toMatchObject({
      ...{ state: 'paid', credited: { amount_minor: '2500' }, url: null, settled_at: expect.any(String) },
    });
    expect(await entriesOf(tenant)).toEqual([{ kind: 'top_up', amount: '2500', against: 'payments' }]);
    expect(await eventsOf(tenant, 'payments.balance_credited')).toEqual([
      {
        ...{ organization_id: tenant.organizationId, payment_id: begun.body.id, provider: 'simulated' },
        ...{ amount_minor: '2500', balance_minor: '2500', currency: 'USD' },
      },
    ]);
    expect(await verify(tenant)).toMatchObject({ ok: true });
  });

  it.each([
    ['of less than the policy allows', '999', 'USD', 422, 'amount_out_of_bounds'],
    ['of more than the policy allows', '100001', 'USD', 422, 'amount_out_of_bounds'],
    ['in another currency', '2500', 'EUR', 409, 'currency_mismatch'],
    ['of nothing', '0', 'USD', 400, 'validation_error'],
    ['of less than nothing', '-2500', 'USD', 400, 'validation_error'],
    ['of a part of a minor unit', '25.5', 'USD', 400, 'validation_error'],
    ['of more than can be', '9'.repeat(30), 'USD', 400, 'validation_error'],
  ])('%s is refused', async (_, amount_minor, currency, status, code) => {
    const answer = await world.call('POST', `/api/v1/organizations/${home.organizationId}/payments/sessions`, {
      ...{ as: home.token, key: systemIds.next(), body: { amount_minor, currency } },
    });
    expect([answer.status, answer.body.code], answer.text).toEqual([status, code]);
  });

  it('is refused while too many wait to be made', async () => {
    const tenant = await newTenant();
    for (let n = 0; n < 10; n += 1) expect((await pay.begin(tenant)).status).toBe(201);
    const answer = await pay.begin(tenant);
    expect([answer.status, answer.body.code]).toEqual([409, 'too_many_payments']);
  });

  it('is begun by owners and administrators, and seen by nobody of another organization', async () => {
    const tenant = await newTenant();
    const { id } = await paid(tenant);
    const member = await world.join('member-of-payer', tenant, 'member');
    const path = `/api/v1/organizations/${tenant.organizationId}/payments/sessions`;
    const body = { amount_minor: '2500', currency: 'USD' };
    expect((await world.call('POST', path, { as: member, key: systemIds.next(), body })).status).toBe(403);
    expect((await world.call('GET', `${path}/${id}`, { as: home.token })).status).toBe(404);
    const own = `/api/v1/organizations/${home.organizationId}/payments/sessions/${id}`;
    expect((await world.call('GET', own, { as: home.token })).body.code).toBe('payment_not_found');
    const list = await world.call('GET', path, { as: tenant.token });
    expect(list.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('is refused where none are taken, and where the provider refuses it', async () => {
    const answers: unknown[] = [];
    const refusing = { ...makeDisabledPayments(), provider: 'stripe' as const, customer: async () => 'cus_1' };
    for (const payments of [makeDisabledPayments(), refusing]) {
      const other = await openWorld({ beside: world, payments });
      try {
        const answer = await other.call('POST', `/api/v1/organizations/${home.organizationId}/payments/sessions`, {
          ...{ as: home.token, key: systemIds.next(), body: { amount_minor: '2500', currency: 'USD' } },
        });
        answers.push([answer.status, answer.body.code]);
      } finally {
        await other.close();
      }
    }
    expect(answers).toEqual([
      [409, 'payments_disabled'],
      [409, 'payment_refused'],
    ]);
  });

  it('says what can be paid, and with whom', async () => {
    const path = `/api/v1/organizations/${home.organizationId}/payments/options`;
    expect((await world.call('GET', path, { as: home.token })).body).toEqual({
      provider: 'simulated',
      minimum: { amount_minor: '1000', currency: 'USD' },
      maximum: { amount_minor: '100000', currency: 'USD' },
      limits: {
        day: {
          ...{ limit: { amount_minor: '100000', currency: 'USD' }, left: { amount_minor: '100000', currency: 'USD' } },
          resets_at: expect.stringMatching(/T00:00:00.000Z$/),
        },
        month: {
          ...{ limit: { amount_minor: '300000', currency: 'USD' }, left: { amount_minor: '300000', currency: 'USD' } },
          resets_at: expect.stringMatching(/-01T00:00:00.000Z$/),
        },
        ...{ settled_payments: 0, grows_at: null },
      },
      tax_rate_basis_points: 0,
      refund_window_days: 30,
    });
  });
});

describe('news of payments', () => {
  it('that the bank sent no money are announced, and nothing is credited', async () => {
    const tenant = await newTenant();
    const { id, checkoutId } = await pay.begun(tenant);
    const body = JSON.stringify({
      ...{ id: `evt_${id}`, object: 'event', type: 'checkout.session.async_payment_failed', created: 1 },
      data: {
        object: {
          ...{ id: checkoutId, client_reference_id: id, status: 'complete', payment_status: 'unpaid' },
          ...{ amount_total: 2_500, currency: 'usd' },
        },
      },
    });
    expect((await pay.send(body, pay.sign(body))).status).toBe(200);
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'expired' });
    expect(await eventsOf(tenant, 'payments.failed')).toMatchObject([{ payment_id: id, amount_minor: '2500' }]);
    expect(await pay.balance(tenant)).toBe(0n);
  });

  it('that are lost are found by asking, and heard once when they come after all', async () => {
    const tenant = await newTenant();
    const { id, checkoutId } = await pay.begun(tenant);
    const row = await pay.people.pay(checkoutId, { last4: '4242', fault: 'lost' });
    expect(await pay.deliver()).toEqual([]);
    expect(await pay.balance(tenant)).toBe(0n);
    await pay.compare();
    expect(await pay.balance(tenant)).toBe(2_500n);
    const body = JSON.stringify({
      ...{ id: `evt_${id}`, object: 'event', type: 'checkout.session.completed', created: 1 },
      data: {
        object: {
          ...{ id: checkoutId, client_reference_id: id, payment_intent: row?.payment_id, status: 'complete' },
          ...{ payment_status: 'paid', amount_total: 2_500, currency: 'usd' },
        },
      },
    });
    expect((await pay.send(body, pay.sign(body))).status).toBe(200);
    expect(await pay.balance(tenant)).toBe(2_500n);
    expect(await eventsOf(tenant, 'payments.balance_credited')).toHaveLength(1);
  });

  it('that come in another order lead to the same end', async () => {
    const tenant = await newTenant();
    const { id, checkoutId } = await pay.begun(tenant);
    const row = await pay.people.pay(checkoutId, { last4: '4242', fault: 'lost' });
    await pay.people.refundHere(row?.payment_id ?? '', 700n);
    expect(await pay.deliver()).toEqual([200]);
    expect(await pay.balance(tenant)).toBe(0n);
    const { rows } = await world.root.query('select outcome from payment_events where payment_id = $1', [
      row?.payment_id,
    ]);
    expect(rows).toEqual([{ outcome: 'unmatched' }]);
    await pay.compare();
    expect(await pay.balance(tenant)).toBe(1_800n);
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'paid', refunded: { amount_minor: '700' } });
  });

  it('that come many at a time credit once', async () => {
    const tenant = await newTenant();
    const { checkoutId } = await pay.begun(tenant);
    await pay.people.pay(checkoutId, { last4: '4242' });
    const body = await pay.take();
    const answers = await Promise.all(Array.from({ length: 12 }, () => pay.send(body, pay.sign(body))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await pay.balance(tenant)).toBe(2_500n);
  });

  it('that nobody signed are refused and change nothing', async () => {
    const tenant = await newTenant();
    const { checkoutId } = await pay.begun(tenant);
    await pay.people.pay(checkoutId, { last4: '4242' });
    const body = await pay.take();
    for (const signature of [undefined, '', 't=1,v1=00', pay.sign(`${body} `), pay.sign(body, new Date(0))]) {
      const answer = await pay.send(body, signature);
      expect([answer.status, answer.body.code], answer.text).toEqual([400, 'stripe_signature_invalid']);
    }
    expect(await pay.balance(tenant)).toBe(0n);
  });

  it('may be of any kind: what is not about a payment is taken and left alone', async () => {
    const body = JSON.stringify({
      ...{ id: 'evt_invoice', object: 'event', type: 'invoice.paid', created: 1 },
      data: { object: {} },
    });
    expect((await pay.send(body, pay.sign(body))).status).toBe(200);
    const { rows } = await world.root.query(`select outcome from payment_events where event_id = 'evt_invoice'`);
    expect(rows).toEqual([{ outcome: 'ignored' }]);
  });
});

describe('a dispute', () => {
  it('keeps the payment aside, and gives it free when it is won', async () => {
    const tenant = await newTenant();
    const { id, paymentId } = await paid(tenant);
    await pay.people.dispute(paymentId, 'needs_response');
    await pay.deliver();
    expect(await pay.balance(tenant)).toBe(0n);
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'disputed', disputed: { amount_minor: '2500' } });
    await pay.people.dispute(paymentId, 'won');
    await pay.deliver();
    expect(await pay.balance(tenant)).toBe(2_500n);
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'paid', disputed: { amount_minor: '0' } });
    expect(await verify(tenant)).toMatchObject({ ok: true });
  });

  it('takes the payment back when it is lost, even when nobody heard of it', async () => {
    const tenant = await newTenant();
    const { id, paymentId } = await paid(tenant);
    await pay.people.dispute(paymentId, 'needs_response', 'lost');
    await pay.people.dispute(paymentId, 'lost', 'lost');
    await pay.compare();
    expect(await pay.balance(tenant)).toBe(0n);
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'charged_back', refunded: { amount_minor: '2500' } });
  });
});

describe('a refund', () => {
  const refund = (id: string, amount_minor: string, currency = 'USD', to?: 'payer' | 'credit') =>
    world.call('POST', `/api/v1/admin/payments/sessions/${id}/refunds`, {
      ...{ as: finance, key: systemIds.next() },
      body: { amount_minor, currency, reason: 'asked for', ...(to && { to }) },
    });

  it('leaves the balance at once, goes to the provider, and is never more than was paid', async () => {
    const tenant = await newTenant();
    const { id, checkoutId } = await paid(tenant);
    const first = await refund(id, '1000');
    expect(first.status, first.text).toBe(202);
    expect(first.body).toMatchObject({ state: 'requested', balance: { amount_minor: '1500' } });
    expect(await pay.balance(tenant)).toBe(1_500n);
    await Promise.all([pay.sendRefunds(), pay.sendRefunds()]);
    await pay.deliver();
    expect((await pay.people.checkout(checkoutId))?.refunded).toBe('1000');
    expect(await pay.balance(tenant)).toBe(1_500n);
    const more = await refund(id, '1501');
    expect([more.status, more.body.code]).toEqual([422, 'refund_exceeds_payment']);
    expect(more.body.message).toBe('15.00 USD of this payment has not gone back yet; 15.01 USD is more than that.');
    const both = await Promise.all([refund(id, '1000'), refund(id, '1000')]);
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([202, 422]);
    expect((await entriesOf(tenant)).map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
      ...['top_up 2500', 'refund -1000', 'refund -1000'],
    ]);
    expect(await verify(tenant)).toMatchObject({ ok: true });
  });

  it('that the provider refuses comes back into the balance', async () => {
    const tenant = await newTenant();
    const { id, paymentId } = await paid(tenant);
    expect((await refund(id, '2500')).status).toBe(202);
    await pay.people.refundHere(paymentId, 2_000n, 'lost');
    await pay.sendRefunds();
    expect(await pay.balance(tenant)).toBe(2_500n);
    await pay.compare();
    expect(await pay.balance(tenant)).toBe(500n);
    expect(await verify(tenant)).toMatchObject({ ok: true });
  });

  it('becomes credit after the window: what was spent, in parts, never more than was paid', async () => {
    const tenant = await newTenant();
    const { id } = await paid(tenant);
    const change = async (text: string, values: unknown[]) => {
      const act = systemIds.next();
      await world.root.query('begin');
      await world.root.query(`select set_config('gpuaas.act', $1, true), set_config('gpuaas.audited', $1, true)`, [
        act,
      ]);
      await world.root.query(text, values);
      await world.root.query('commit');
    };
    await change(
      `update payment_sessions set settled_at = now() - interval '31 days', version = version + 1 where id = $1`,
      [id],
    );
    expect((await refund(id, '100')).body.code).toBe('refund_exceeds_payment');
    await change(
      `insert into usage_days (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by,
         quantity_ms, amount_minor, windows)
       values ($1, $2, '2026-01-01', $1, 'gpu_time', $3, 'x', 'USD', 'x', 1, 9000, 1)`,
      [systemIds.next(), tenant.organizationId, tenant.projectId],
    );
    expect(await refund(id, '1000')).toMatchObject({
      ...{ status: 202, body: { to: 'credit', state: 'credited', balance: { amount_minor: '3500' } } },
    });
    expect((await refund(id, '1500')).body.balance.amount_minor).toBe('5000');
    expect((await refund(id, '1')).body.code).toBe('refund_exceeds_payment');
    await pay.sendRefunds();
    expect(await pay.balance(tenant)).toBe(5_000n);
    expect((await entriesOf(tenant)).slice(1)).toEqual([
      { kind: 'grant', amount: '1000', against: 'grants' },
      { kind: 'grant', amount: '1500', against: 'grants' },
    ]);
    expect(await eventsOf(tenant, 'payments.refunded')).toMatchObject([
      { to: 'credit', amount_minor: '1000' },
      { to: 'credit', amount_minor: '1500', balance_minor: '5000' },
    ]);
  });

  it('and a dispute are announced, each once', async () => {
    const tenant = await newTenant();
    const { id, paymentId } = await paid(tenant);
    expect((await refund(id, '500')).body).toMatchObject({ to: 'payer', state: 'requested' });
    await pay.sendRefunds();
    await pay.deliver();
    await pay.people.dispute(paymentId, 'needs_response');
    await pay.people.dispute(paymentId, 'lost');
    await pay.deliver();
    await pay.compare();
    expect(await eventsOf(tenant, 'payments.refunded')).toMatchObject([{ to: 'payer', amount_minor: '500' }]);
    expect(await eventsOf(tenant, 'payments.disputed')).toMatchObject([
      { outcome: 'open', amount_minor: '2000' },
      { outcome: 'lost', amount_minor: '2000', balance_minor: '0' },
    ]);
  });

  it('is refused for money that was spent, in another currency, too late, or twice of a dispute', async () => {
    const tenant = await newTenant();
    const { id, paymentId } = await paid(tenant);
    expect((await refund(id, '100', 'EUR')).body.code).toBe('currency_mismatch');
    expect((await refund(systemIds.next(), '100')).body.code).toBe('payment_not_found');
    const other = await paid(tenant);
    await pay.people.dispute(other.paymentId, 'needs_response');
    await pay.deliver();
    expect((await refund(other.id, '100')).body.code).toBe('illegal_transition');
    const act = systemIds.next();
    const change = async (text: string) => {
      await world.root.query('begin');
      await world.root.query(`select set_config('gpuaas.act', $1, true), set_config('gpuaas.audited', $1, true)`, [
        act,
      ]);
      await world.root.query(text, [id]);
      await world.root.query('commit');
    };
    await change(
      `update payment_sessions set settled_at = now() - interval '31 days', version = version + 1 where id = $1`,
    );
    expect((await refund(id, '100', 'USD', 'payer')).body.code).toBe('refund_window_exceeded');
    await change(`update payment_sessions set settled_at = now(), version = version + 1 where id = $1`);
    await change(
      `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason, corrects)
       select gen_random_uuid(), organization_id, currency, 'correction', '{customer,revenue}', '{-2000,2000}', 'x', 'x', 'spent', id
       from payment_sessions where id = $1`,
    );
    expect((await refund(id, '600')).body).toMatchObject({
      code: 'insufficient_balance',
      message: '5.00 USD of the balance was paid and not spent; credit is not refunded.',
    });
    expect((await refund(id, '500')).status).toBe(202);
    expect(paymentId).not.toBe('');
  });
});

describe('the comparison with the provider', () => {
  it('takes out what is extra and corrects what is different', async () => {
    const tenant = await newTenant();
    const { id, checkoutId } = await paid(tenant);
    const say = (text: string) =>
      world.root.query(`update gpuaas_payments.checkout set ${text} where id = $1`, [checkoutId]);
    await say('amount = 2000');
    await pay.compare();
    expect(await pay.balance(tenant)).toBe(2_000n);
    await say('paid_at = null, expires_at = now()');
    await pay.compare();
    expect(await pay.balance(tenant)).toBe(0n);
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'expired', credited: { amount_minor: '0' } });
    expect((await entriesOf(tenant)).map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
      ...['top_up 2500', 'correction -500', 'correction -2000'],
    ]);
    expect(await verify(tenant)).toMatchObject({ ok: true });
  });

  it('says which payments do not fit, once, until they do', async () => {
    const tenant = await newTenant();
    const { id, checkoutId } = await paid(tenant);
    const say = (text: string) =>
      world.root.query(`update gpuaas_payments.checkout set ${text} where id = $1`, [checkoutId]);
    await say(`currency = 'EUR'`);
    await pay.compare();
    await pay.compare();
    expect(await eventsOf(tenant, 'payments.reconcile_failed')).toMatchObject([
      { payment_id: id, problem: expect.stringContaining('EUR') },
    ]);
    const found = await world.call('GET', '/api/v1/admin/payments/sessions?state=failed_reconcile', { as: finance });
    expect(found.body.data).toMatchObject([
      { id, state: 'failed_reconcile', problem: expect.stringContaining('EUR'), organization_name: expect.any(String) },
    ]);
    await say(`currency = 'USD'`);
    await pay.compare();
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'paid' });
    expect(await pay.balance(tenant)).toBe(2_500n);
  });

  it('does not touch a payment that has changed since it asked', async () => {
    const tenant = await newTenant();
    const { id, checkoutId } = await pay.begun(tenant);
    const slow = {
      provider: 'simulated' as const,
      // Answers what was so before the payment was made and heard of.
      findCheckout: async () => {
        await pay.people.pay(checkoutId, { last4: '4242' });
        await pay.deliver();
        return { status: 'expired' as const, checkoutId };
      },
    };
    await pay.compare(slow as never);
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'paid' });
    expect(await pay.balance(tenant)).toBe(2_500n);
  });

  it('leaves everything as it is while the provider cannot be asked', async () => {
    const tenant = await newTenant();
    const { id } = await pay.begun(tenant);
    const away = {
      provider: 'simulated' as const,
      findCheckout: async () => {
        throw new Error('away');
      },
    };
    await pay.compare(away as never);
    expect(await pay.payment(tenant, id)).toMatchObject({ state: 'open' });
  });
});
