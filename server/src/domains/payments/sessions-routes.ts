import {
  type PaymentOptions,
  paymentOptionsGet,
  paymentSessionCreate,
  paymentSessionGet,
  paymentSessionList,
  showMoney,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { minuteMs } from '../../kernel/units.ts';
import { isRefused, type Payments } from '../../ports/payments/port.ts';
import { findAccount, lockAccount, money } from '../billing/index.ts';
import { dayOf, decideTax, readParties, taxOn } from '../invoicing/index.ts';
import type { Policies } from '../policy/index.ts';
import { openCheckMs } from './facts.ts';
import { limitFault, readLimits, showLimits } from './limits.ts';
import { showPayment } from './show.ts';
import { findPayment, insertPayment, keepCustomer, listPayments, readStart } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
  readonly payments: Payments;
  /** Where callers reach this installation: the provider sends the browser back there. */
  readonly publicUrl: string;
}
const on = handlers<Parts>();
const absent = () => new Fault('organization_not_found', 'There is no such object.');

/** The smallest and the largest amount of one payment. */
export const boundsOf = (policies: Policies, organizationId: string) => ({
  least: BigInt(policies.number('billing.minimum_deposit_minor', { organizationId })),
  most: BigInt(policies.number('billing.maximum_deposit_minor', { organizationId })),
});

const options = on(paymentOptionsGet, async ({ db, clock, policies, payments }, who, { params }) => {
  const [account, parties, limits] = await db.read(who, (tx) =>
    Promise.all([
      findAccount(tx, params.organization_id),
      readParties(tx, params.organization_id),
      readLimits(tx, policies, params.organization_id),
    ]),
  );
  if (!account) return absent();
  const { least, most } = boundsOf(policies, params.organization_id);
  return {
    provider: payments.provider,
    minimum: money(least, account.currency),
    maximum: money(most, account.currency),
    limits: showLimits(limits, account.currency),
    tax_rate_basis_points: decideTax(parties.sides, dayOf(clock.now())).rateBasisPoints,
    refund_window_days: policies.number('allocation.refund_window_days', { organizationId: params.organization_id }),
  } satisfies PaymentOptions;
});

/**
 * The provider is asked first and the payment kept afterwards. Should we die in between, nobody has the address of that page, and
 * it ends by itself.
 */
const create = on(paymentSessionCreate, async (parts, act, { params, body }) => {
  const { db, ids, clock, policies, payments, publicUrl } = parts;
  const organizationId = params.organization_id;
  const { provider } = payments;
  if (provider === 'disabled') {
    return new Fault('payments_disabled', 'This installation takes no payments. Ask its operators for credit.');
  }
  const [start, { sides }, limits] = await db.read(act, (tx) =>
    Promise.all([
      readStart(tx, organizationId, provider),
      readParties(tx, organizationId),
      readLimits(tx, policies, organizationId),
    ]),
  );
  if (!start) return absent();
  const net = BigInt(body.amount_minor);
  const refusal =
    findRefusal(policies, { organizationId, amount: net, currency: body.currency, start }) ??
    limitFault(limits, net, start.currency);
  if (refusal) return refusal;
  const treated = decideTax(sides, dayOf(clock.now()));
  const tax = taxOn(net, treated.rateBasisPoints);
  const amount = net + tax;
  const id = ids.next();
  const customerId = start.customer_id ?? (await payments.customer({ reference: organizationId, name: start.name }));
  const minutes = policies.number('payments.session_minutes', { organizationId });
  const expiresAt = new Date(clock.now().getTime() + minutes * minuteMs);
  const back = `${publicUrl}/billing?payment=${id}`;
  const checkout = await payments.openCheckout({
    ...{ reference: id, customerId, amountMinor: amount, currency: start.currency, expiresAt },
    ...{ title: `Balance of ${start.name}`, paidUrl: back, leftUrl: back },
  });
  if (isRefused(checkout)) return new Fault('payment_refused', `The payment provider says: ${checkout.refused}.`);
  return db.write(act, async (tx) => {
    // Payments that are begun at once wait for each other here, so that together they stay within the limits.
    await lockAccount(tx, organizationId);
    const full = limitFault(await readLimits(tx, policies, organizationId), net, start.currency);
    if (full) return tx.abandon(full);
    if (start.customer_id === null) await keepCustomer(tx, organizationId, provider, customerId);
    const row = await insertPayment(
      tx,
      {
        ...{ id, organization_id: organizationId, currency: start.currency, amount_minor: amount, provider },
        ...{ checkout_id: checkout.checkoutId, url: checkout.url, requested_by: act.actorId, expires_at: expiresAt },
        ...{ tax_minor: tax, treated },
      },
      openCheckMs,
    );
    return tx.commit(showPayment(row, clock.now()), {
      target: { type: 'payment', id },
      organizationId,
      change: { amount: money(amount, start.currency), provider },
      events: 'none',
    });
  });
});

function findRefusal(
  policies: Policies,
  asked: {
    readonly organizationId: string;
    readonly amount: bigint;
    readonly currency: string;
    readonly start: { readonly currency: string; readonly open: number };
  },
) {
  const { organizationId, amount, start } = asked;
  if (start.currency !== asked.currency) {
    return new Fault('currency_mismatch', `The account is in ${start.currency}, not ${asked.currency}.`);
  }
  const { least, most } = boundsOf(policies, organizationId);
  if (amount < least || amount > most) {
    const show = (each: bigint) => showMoney(each, start.currency);
    const bounds = { minimum: money(least, start.currency), maximum: money(most, start.currency) };
    const text = `One payment is from ${show(least)} to ${show(most)}; this is ${show(amount)}.`;
    return new Fault('amount_out_of_bounds', text, bounds);
  }
  const mostOpen = policies.number('payments.max_open_sessions', { organizationId });
  if (start.open >= mostOpen) {
    return new Fault('too_many_payments', `${start.open} payments wait to be made. Use one of them, or wait.`);
  }
  return undefined;
}

const list = on(paymentSessionList, async ({ db, clock }, who, { params, query }) =>
  readPage({
    name: 'payments',
    query,
    read: (before, limit) => db.read(who, (tx) => listPayments(tx, params.organization_id, before, limit)),
    keyOf: (row) => row.id,
    show: (row) => showPayment(row, clock.now()),
  }),
);

const get = on(paymentSessionGet, async ({ db, clock }, who, { params }) => {
  const row = await db.read(who, (tx) => findPayment(tx, params.organization_id, params.session_id));
  return row ? showPayment(row, clock.now()) : new Fault('payment_not_found', 'There is no such payment.');
});

export const sessionRoutes = (parts: Parts): Mounted[] => [options, create, list, get].map((bind) => bind(parts));
