import { adminPaymentList, adminPaymentRefund, paymentMachine, paymentRefunded, showMoney } from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { notFrom } from '../../kernel/machine.ts';
import { readPage } from '../../kernel/page.ts';
import { dayMs } from '../../kernel/units.ts';
import {
  enter,
  findAccount,
  isBeyondCorrections,
  lockAccount,
  money,
  readRefundable,
  readUnreturned,
} from '../billing/index.ts';
import type { Policies } from '../policy/index.ts';
import { longestReason, paymentsChannel } from './facts.ts';
import { insertRefund, noteCredit, reserve } from './refunds-store.ts';
import { showForFinance } from './show.ts';
import { listAllPayments, lockPayment, type PaymentRow } from './store.ts';
import { taxBetween, taxWithin } from './tax.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
}
const on = handlers<Parts>();

const list = on(adminPaymentList, ({ db, clock }, who, { query }) =>
  readPage({
    name: 'all-payments',
    query,
    read: (before, limit) => db.read(who, (tx) => listAllPayments(tx, query, before, limit)),
    keyOf: (row) => row.id,
    show: (row) => showForFinance(row, clock.now()),
  }),
);

/**
 * The ledger has the refund at once, so that nothing of it can be spent; the worker hands it to the provider. A payment that is too
 * old for that becomes credit: what was spent of it goes back to the balance.
 */
const refund = on(adminPaymentRefund, ({ db, ids, clock, policies }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const found = await lockPayment(tx, params.payment_id);
    if (!found) return tx.abandon(new Fault('payment_not_found', 'There is no such payment.'));
    const organizationId = found.organization_id;
    await lockAccount(tx, organizationId);
    const account = await findAccount(tx, organizationId);
    if (!account) throw new Error(`the organization ${organizationId} has no account`);
    const [amount, reason] = [BigInt(body.amount_minor), body.reason.trim()];
    const days = policies.number('allocation.refund_window_days', { organizationId });
    const isLate = clock.now().getTime() > (found.settled_at?.getTime() ?? 0) + days * dayMs;
    const to = body.to ?? (isLate ? 'credit' : 'payer');
    const asked = { amount, currency: body.currency, days, isLate };
    const fault =
      findCommonRefusal(found, asked) ??
      (to === 'payer'
        ? findRefusal(found, await readRefundable(tx, account), asked)
        : await findCreditRefusal(tx, { policies, act }, found, amount));
    if (fault) return tx.abandon(fault);
    const keep = to === 'payer' ? keepRefund : keepCredit;
    const made = await keep(tx, { ids, act }, found, amount, reason);
    if (to === 'payer') tx.wake(paymentsChannel, 'refund');
    const balance = account.balance_minor + made.change;
    const of = { organization_id: organizationId, currency: found.currency };
    return tx.commit(
      {
        ...{ id: made.id, session_id: found.id, organization_id: organizationId, to },
        state: to === 'payer' ? ('requested' as const) : ('credited' as const),
        amount: money(amount, found.currency),
        balance: money(balance, found.currency),
        ...{ reason, created_at: made.createdAt.toISOString() },
      },
      {
        target: { type: 'payment_refund', id: made.id },
        organizationId,
        change: { payment_id: found.id, amount: money(amount, found.currency), to, reason },
        events: [
          paymentRefunded.of(organizationId, {
            ...{ ...of, payment_id: found.id, provider: found.provider, to },
            ...{ amount_minor: amount.toString(), balance_minor: balance.toString() },
          }),
        ],
      },
    );
  }),
);

interface Kept {
  readonly id: string;
  readonly createdAt: Date;
  /** What it did to the balance. */
  readonly change: bigint;
}
type By = { readonly ids: Ids; readonly act: Act };

/** Tax stays where it is: what was used was taxed. */
async function keepCredit(
  tx: WriteTx,
  { ids, act }: By,
  payment: PaymentRow,
  amount: bigint,
  reason: string,
): Promise<Kept> {
  const [id, entryId] = [ids.next(), ids.next()];
  const { organization_id, currency } = payment;
  const text = `Refund of a payment as credit: ${reason}`.slice(0, longestReason);
  await enter(tx, { id: entryId, organizationId: organization_id, kind: 'grant', amount, reason: text }, act);
  await noteCredit(tx, payment.id, amount);
  const createdAt = await insertRefund(tx, {
    ...{ id, session_id: payment.id, organization_id, currency, amount_minor: amount, tax_minor: 0n, reason },
    ...{ requested_by: act.actorId, entry_id: entryId, paid_to: 'credit' },
  });
  return { id, createdAt, change: amount };
}

async function keepRefund(
  tx: WriteTx,
  { ids, act }: By,
  payment: PaymentRow,
  amount: bigint,
  reason: string,
): Promise<Kept> {
  const [id, entryId] = [ids.next(), ids.next()];
  const { organization_id, currency, refunded_minor } = payment;
  const tax = taxBetween(payment, refunded_minor, refunded_minor + amount);
  const of = { id: entryId, organizationId: organization_id, kind: 'refund', amount: tax - amount, tax: -tax } as const;
  await enter(tx, { ...of, reason }, act);
  await reserve(tx, payment.id, amount);
  const createdAt = await insertRefund(tx, {
    ...{ id, session_id: payment.id, organization_id, currency, amount_minor: amount, tax_minor: tax, reason },
    ...{ requested_by: act.actorId, entry_id: entryId, paid_to: 'payer' },
  });
  return { id, createdAt, change: tax - amount };
}

interface Asked {
  readonly amount: bigint;
  readonly currency: string;
  readonly days: number;
  readonly isLate: boolean;
}
function findCommonRefusal(payment: PaymentRow, { currency }: Asked) {
  if (payment.state !== 'paid') return notFrom(paymentMachine, payment.state);
  if (payment.currency !== currency) {
    return new Fault('currency_mismatch', `The payment is in ${payment.currency}, not ${currency}.`);
  }
  return undefined;
}
const leftOf = (payment: PaymentRow): bigint =>
  payment.credited_minor - payment.refunded_minor - payment.disputed_minor - payment.credited_back_minor;
function tooMuch(left: bigint, amount: bigint, currency: string) {
  const text = `${showMoney(left, currency)} of this payment has not gone back yet; ${showMoney(amount, currency)} is more than that.`;
  return new Fault('refund_exceeds_payment', text, { left: money(left, currency) });
}

function findRefusal(payment: PaymentRow, refundable: bigint, { amount, currency, days, isLate }: Asked) {
  if (isLate) {
    return new Fault(
      'refund_window_exceeded',
      `A payment can go back for ${days} days (allocation.refund_window_days). Give credit instead: leave out "to", or say credit.`,
    );
  }
  if (amount > leftOf(payment)) return tooMuch(leftOf(payment), amount, currency);
  // Tax was never in the balance.
  const tax = taxBetween(payment, payment.refunded_minor, payment.refunded_minor + amount);
  if (amount - tax > refundable) {
    const left = refundable > 0n ? refundable : 0n;
    return new Fault(
      'insufficient_balance',
      `${showMoney(left, currency)} of the balance was paid and not spent; credit is not refunded.`,
      { balance: money(left, currency) },
    );
  }
  return undefined;
}

/**
 * Credit gives back what was spent: the rest of a payment still is in the balance. What one person gives back alone in a day is bounded
 * as corrections are; otherwise credit would be the way around the second person.
 */
async function findCreditRefusal(
  tx: WriteTx,
  { policies, act }: { readonly policies: Policies; readonly act: Act },
  payment: PaymentRow,
  amount: bigint,
) {
  const { currency, organization_id: organizationId } = payment;
  const gone = payment.refunded_minor + payment.disputed_minor;
  const net = payment.credited_minor - gone - taxWithin(payment, payment.credited_minor - gone);
  const left = net - payment.credited_back_minor;
  if (amount > left) return tooMuch(left, amount, currency);
  const spent = await readUnreturned(tx, organizationId);
  if (amount <= spent) {
    const beyond = await isBeyondCorrections(tx, policies, { organizationId, actorId: act.actorId, amount, currency });
    return beyond && aloneFault(beyond, currency);
  }
  const text = `${showMoney(spent, currency)} was spent and not given back; the rest is still in the balance. ${showMoney(amount, currency)} is more than that.`;
  return new Fault('refund_exceeds_payment', text, { left: money(spent, currency) });
}

const aloneFault = (
  { policy, limit }: NonNullable<Awaited<ReturnType<typeof isBeyondCorrections>>>,
  currency: string,
) =>
  new Fault(
    'second_person_required',
    `One person gives back at most ${showMoney(limit, currency)} ${policy === 'billing.adjustment_limit_minor' ? 'of an account' : 'of all accounts'} in a day (${policy}). Correct the line of usage instead (gpuaas ops billing adjust): another person of finance approves it.`,
  );

export const financeRoutes = (parts: Parts): Mounted[] => [list, refund].map((bind) => bind(parts));
