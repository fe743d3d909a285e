import { balanceCredited, paymentMachine, reconcileFailed } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { PaymentFacts } from '../../ports/payments/port.ts';
import { enter, findAccount } from '../billing/index.ts';
import { type Decision, decide, isNews, type Missing } from './decide.ts';
import { checkForMs, firstCheckMs, openCheckMs, slowestCheckMs, unfitCheckMs } from './facts.ts';
import { hasEarlyEvents, movePayment, type PaymentRow } from './store.ts';
import { taxBetween, taxWithin } from './tax.ts';

/** What was done about a payment: the events that follow, and what to say about it. */
export interface Applied {
  readonly decision: Decision;
  readonly isChanged: boolean;
  readonly events: Parameters<WriteTx['commit']>[1]['events'];
  readonly change: object;
}

/**
 * Brings a locked payment to where the provider says it is: entries, state and the time of the next comparison, in this
 * transaction. `whole` facts are an answer to our question; a webhook says a part.
 */
export async function applyFacts(
  tx: WriteTx,
  { ids, act, now }: { readonly ids: Ids; readonly act: Act; readonly now: Date },
  payment: PaymentRow,
  facts: PaymentFacts,
  whole: boolean,
): Promise<Applied> {
  return applyDecision(tx, { ids, act, now }, payment, decide(payment, facts, whole), facts, whole);
}

/** The same for a payment that the provider does not know. */
export const applyUnknown = (
  tx: WriteTx,
  parts: { readonly ids: Ids; readonly act: Act; readonly now: Date },
  payment: PaymentRow,
): Promise<Applied> => {
  const same = {
    credited: payment.credited_minor,
    refunded: payment.refunded_minor,
    disputed: payment.disputed_minor,
  };
  const mayFail = paymentMachine.may('fail', payment.state);
  const problem = `The provider does not know the checkout ${payment.checkout_id}.`;
  const decision: Decision = { entries: [], transition: mayFail ? 'fail' : undefined, problem, ...same };
  return applyDecision(tx, parts, payment, decision, {}, true);
};

async function applyDecision(
  tx: WriteTx,
  { ids, act, now }: { readonly ids: Ids; readonly act: Act; readonly now: Date },
  payment: PaymentRow,
  decision: Decision,
  facts: PaymentFacts,
  whole: boolean,
): Promise<Applied> {
  const state = decision.transition ? paymentMachine.next(payment.state, decision.transition) : payment.state;
  if (state === undefined) throw new Error(`a payment that is ${payment.state} cannot ${decision.transition}`);
  const creditEntryId = await enterAll(tx, { ids, act }, payment, decision);
  const isChanged = isNews(decision);
  if (isChanged || whole) {
    const paymentId = payment.payment_id ?? facts.paymentId ?? null;
    // A part of the news may have come before the news of the payment itself: the provider is asked for all of it.
    const hasMore =
      decision.transition === 'pay' &&
      (facts.dispute !== undefined ||
        (!whole && paymentId !== null && (await hasEarlyEvents(tx, payment.provider, paymentId))));
    await movePayment(
      tx,
      payment.id,
      {
        state,
        payment_id: paymentId,
        credited_minor: decision.credited,
        refunded_minor: decision.refunded,
        disputed_minor: decision.disputed,
        credit_entry_id: creditEntryId ?? null,
        problem: state === 'failed_reconcile' ? (decision.problem ?? payment.problem) : null,
      },
      { isCheck: whole, nextInMs: hasMore ? 0 : nextCheckMs(state, now.getTime() - payment.created_at.getTime()) },
    );
  }
  return {
    decision,
    isChanged,
    events: await eventsOf(tx, payment, decision),
    change: changeOf(payment, state, decision),
  };
}

/** How long until a payment is compared again; never again when its provider can say nothing new. */
function nextCheckMs(state: PaymentRow['state'], ageMs: number): number | undefined {
  switch (state) {
    case 'open':
      return openCheckMs;
    case 'failed_reconcile':
      return unfitCheckMs;
    case 'disputed':
      return slowestCheckMs;
    case 'paid':
      return ageMs > checkForMs ? undefined : Math.min(slowestCheckMs, Math.max(firstCheckMs, ageMs));
    default:
      return undefined;
  }
}

/** Makes the entries that are missing; answers the id of the credit, when that is one of them. */
async function enterAll(
  tx: WriteTx,
  { ids, act }: { readonly ids: Ids; readonly act: Act },
  payment: PaymentRow,
  { entries, credited, refunded }: Decision,
): Promise<string | undefined> {
  let creditEntryId: string | undefined;
  const taxes = taxesOf(payment, entries, { credited, refunded });
  for (const [at, { kind, amount, reason }] of entries.entries()) {
    const id = ids.next();
    if (kind === 'top_up') creditEntryId = id;
    const corrects = kind === 'correction' ? (payment.credit_entry_id ?? undefined) : undefined;
    const tax = taxes[at] ?? 0n;
    const of = { id, organizationId: payment.organization_id, kind, amount: amount - tax, tax, reason, corrects };
    await enter(tx, of, act);
  }
  return creditEntryId;
}

/** What of each entry is tax. A dispute holds what was paid, tax and all, until the bank has decided. */
function taxesOf(
  payment: PaymentRow,
  entries: readonly Missing[],
  after: { readonly credited: bigint; readonly refunded: bigint },
): bigint[] {
  let back = payment.refunded_minor;
  return entries.map(({ kind, amount }) => {
    if (kind === 'top_up' || kind === 'correction') {
      return taxBetween(payment, payment.credited_minor, after.credited);
    }
    if (kind !== 'refund') return 0n;
    const tax = -taxBetween(payment, back, back - amount);
    back -= amount;
    return tax;
  });
}

async function eventsOf(tx: WriteTx, payment: PaymentRow, decision: Decision): Promise<Applied['events']> {
  const { organization_id, provider, id, currency } = payment;
  if (decision.transition === 'fail') {
    const about = { organization_id, payment_id: id, provider, problem: decision.problem ?? '' };
    return [reconcileFailed.of(organization_id, about)];
  }
  const credit = decision.entries.find(({ kind }) => kind === 'top_up');
  if (!credit) return 'none';
  const balance = (await findAccount(tx, organization_id))?.balance_minor ?? 0n;
  return [
    balanceCredited.of(organization_id, {
      ...{ organization_id, payment_id: id, currency, provider },
      amount_minor: (credit.amount - taxWithin(payment, credit.amount)).toString(),
      balance_minor: balance.toString(),
    }),
  ];
}

const changeOf = (payment: PaymentRow, state: string, { entries, problem }: Decision): object => ({
  ...(state !== payment.state && { state: { from: payment.state, to: state } }),
  ...(entries.length > 0 && {
    entries: entries.map(({ kind, amount }) => ({ kind, amount_minor: amount.toString() })),
  }),
  ...(problem !== undefined && { problem }),
});
