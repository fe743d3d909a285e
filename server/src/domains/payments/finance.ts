import { adminPaymentList, adminPaymentRefund, paymentMachine, showMoney } from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { notFrom } from '../../kernel/machine.ts';
import { readPage } from '../../kernel/page.ts';
import { dayMs } from '../../kernel/units.ts';
import { type AccountRow, enter, findAccount, money } from '../billing/index.ts';
import type { Policies } from '../policy/index.ts';
import { paymentsChannel } from './facts.ts';
import { insertRefund, reserve } from './refunds-store.ts';
import { showForFinance } from './show.ts';
import { listAllPayments, lockPayment, type PaymentRow } from './store.ts';
import { taxBetween } from './tax.ts';

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

/** The ledger has the refund at once, so that nothing of it can be spent; the worker hands it to the provider. */
const refund = on(adminPaymentRefund, ({ db, ids, clock, policies }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const payment = await lockPayment(tx, params.payment_id);
    if (!payment) return tx.abandon(new Fault('payment_not_found', 'There is no such payment.'));
    const account = await findAccount(tx, payment.organization_id);
    if (!account) throw new Error(`the organization ${payment.organization_id} has no account`);
    const [amount, reason] = [BigInt(body.amount_minor), body.reason.trim()];
    const days = policies.number('allocation.refund_window_days', { organizationId: payment.organization_id });
    const fault = findRefusal(payment, account, { amount, currency: body.currency, days, now: clock.now() });
    if (fault) return tx.abandon(fault);
    const made = await keepRefund(tx, { ids, act }, payment, amount, reason);
    tx.wake(paymentsChannel, 'refund');
    return tx.commit(
      {
        ...{
          id: made.id,
          session_id: payment.id,
          organization_id: payment.organization_id,
          state: 'requested' as const,
        },
        amount: money(amount, payment.currency),
        balance: money(account.balance_minor - amount + made.tax, payment.currency),
        ...{ reason, created_at: made.createdAt.toISOString() },
      },
      {
        target: { type: 'payment_refund', id: made.id },
        organizationId: payment.organization_id,
        change: { payment_id: payment.id, amount: money(amount, payment.currency), reason },
        events: 'none',
      },
    );
  }),
);

async function keepRefund(
  tx: WriteTx,
  { ids, act }: { readonly ids: Ids; readonly act: Act },
  payment: PaymentRow,
  amount: bigint,
  reason: string,
): Promise<{ readonly id: string; readonly createdAt: Date; readonly tax: bigint }> {
  const [id, entryId] = [ids.next(), ids.next()];
  const { organization_id, currency, refunded_minor } = payment;
  const tax = taxBetween(payment, refunded_minor, refunded_minor + amount);
  const of = { id: entryId, organizationId: organization_id, kind: 'refund', amount: tax - amount, tax: -tax } as const;
  await enter(tx, { ...of, reason }, act);
  await reserve(tx, payment.id, amount);
  const createdAt = await insertRefund(tx, {
    ...{ id, session_id: payment.id, organization_id, currency, amount_minor: amount, tax_minor: tax, reason },
    ...{ requested_by: act.actorId, entry_id: entryId },
  });
  return { id, createdAt, tax };
}

function findRefusal(
  payment: PaymentRow,
  account: AccountRow,
  asked: { readonly amount: bigint; readonly currency: string; readonly days: number; readonly now: Date },
) {
  const { amount, currency, days, now } = asked;
  if (payment.state !== 'paid') return notFrom(paymentMachine, payment.state);
  if (payment.currency !== currency) {
    return new Fault('currency_mismatch', `The payment is in ${payment.currency}, not ${currency}.`);
  }
  const until = (payment.settled_at?.getTime() ?? 0) + days * dayMs;
  if (now.getTime() > until) {
    return new Fault(
      'refund_window_exceeded',
      `A payment can go back for ${days} days (allocation.refund_window_days). Give credit instead.`,
    );
  }
  const left = payment.credited_minor - payment.refunded_minor - payment.disputed_minor;
  if (amount > left) {
    const text = `${showMoney(left, currency)} of this payment has not gone back yet; ${showMoney(amount, currency)} is more than that.`;
    return new Fault('refund_exceeds_payment', text, { left: money(left, payment.currency) });
  }
  // Tax was never in the balance.
  const tax = taxBetween(payment, payment.refunded_minor, payment.refunded_minor + amount);
  if (amount - tax > account.balance_minor) {
    return new Fault(
      'insufficient_balance',
      `The balance is ${showMoney(account.balance_minor, currency)}: the rest of the payment was spent.`,
      { balance: money(account.balance_minor, currency) },
    );
  }
  return undefined;
}

export const financeRoutes = (parts: Parts): Mounted[] => [list, refund].map((bind) => bind(parts));
