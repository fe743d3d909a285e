import {
  balanceCredited,
  type DeclaredEvent,
  endedBy,
  paymentDisputed,
  paymentFailed,
  paymentMachine,
  paymentRefunded,
  reconcileFailed,
  waits,
} from '@gpuaas/contract';
import type { Act, WriteTx } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { PaymentFacts } from '../../ports/payments/port.ts';
import { enter, findAccount } from '../billing/index.ts';
import { noteFailure, noteSuccess } from './cards/store.ts';
import { type Decision, decide, isChange, type Missing } from './decide.ts';
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

interface How {
  readonly ids: Ids;
  readonly act: Act;
  readonly now: Date;
  /** Why it did not succeed, in the words of the provider. */
  readonly why?: string | undefined;
}

/**
 * Brings a locked payment to where the provider says it is: entries, state and the time of the next comparison, in this
 * transaction. `whole` facts are an answer to our question; a webhook says a part.
 */
export async function applyFacts(
  tx: WriteTx,
  how: How,
  payment: PaymentRow,
  facts: PaymentFacts,
  whole: boolean,
): Promise<Applied> {
  return applyDecision(tx, how, payment, decide(payment, facts, whole), facts, whole);
}

/** The same for a payment that the provider does not know. */
export const applyUnknown = (tx: WriteTx, how: How, payment: PaymentRow): Promise<Applied> => {
  const same = {
    credited: payment.credited_minor,
    refunded: payment.refunded_minor,
    disputed: payment.disputed_minor,
  };
  const mayFail = paymentMachine.may('fail', payment.state);
  const problem = `The provider does not know the checkout ${payment.checkout_id}.`;
  const decision: Decision = { entries: [], transition: mayFail ? 'fail' : undefined, problem, ...same };
  return applyDecision(tx, how, payment, decision, {}, true);
};

async function applyDecision(
  tx: WriteTx,
  { ids, act, now, why }: How,
  payment: PaymentRow,
  decision: Decision,
  facts: PaymentFacts,
  whole: boolean,
): Promise<Applied> {
  const state = decision.transition ? paymentMachine.next(payment.state, decision.transition) : payment.state;
  if (state === undefined) throw new Error(`a payment that is ${payment.state} cannot ${decision.transition}`);
  const creditEntryId = await enterAll(tx, { ids, act }, payment, decision);
  const isChanged = isChange(decision);
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
  await followAutomatic(tx, payment, decision, why);
  return {
    decision,
    isChanged,
    events: await eventsOf(tx, payment, decision, facts),
    change: { ...changeOf(payment, state, decision), ...(decision.transition === 'expire' && whyExpired(facts)) },
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

/** An automatic top-up counts its failures, and forgets them when one succeeds. */
async function followAutomatic(tx: WriteTx, payment: PaymentRow, { transition }: Decision, why: string | undefined) {
  if (payment.crossing === null) return;
  const { organization_id } = payment;
  if (transition === 'pay') await noteSuccess(tx, organization_id);
  if (transition !== 'expire') return;
  if (payment.url === '') await noteFailure(tx, organization_id, 'declined', why ?? 'The card was not charged.');
  else await noteFailure(tx, organization_id, 'not_confirmed', 'Nobody confirmed the payment in time.');
}

async function eventsOf(
  tx: WriteTx,
  payment: PaymentRow,
  { transition, entries, problem, disputed }: Decision,
  facts: PaymentFacts,
): Promise<Applied['events']> {
  const { organization_id, provider, id, currency } = payment;
  if (transition === 'fail') {
    const about = { organization_id, payment_id: id, provider, problem: problem ?? '' };
    return [reconcileFailed.of(organization_id, about)];
  }
  const about = (amount: bigint) => ({
    ...{ organization_id, payment_id: id, currency, provider, amount_minor: amount.toString() },
  });
  const events: DeclaredEvent[] = [];
  const balance_minor = ((await findAccount(tx, organization_id))?.balance_minor ?? 0n).toString();
  const find = (kind: Missing['kind']) => entries.find((entry) => entry.kind === kind);
  const [credit, refund] = [find('top_up'), find('refund')];
  if (credit) {
    const net = credit.amount - taxWithin(payment, credit.amount);
    events.push(balanceCredited.of(organization_id, { ...about(net), balance_minor }));
  }
  if (refund && transition !== 'lose') {
    events.push(paymentRefunded.of(organization_id, { ...about(-refund.amount), to: 'payer', balance_minor }));
  }
  const outcome = transition && disputeOutcomes[transition];
  if (outcome) {
    const amount = outcome === 'open' ? disputed : payment.disputed_minor || -(refund?.amount ?? 0n);
    events.push(paymentDisputed.of(organization_id, { ...about(amount), outcome, balance_minor }));
  }
  if (transition === 'expire' && facts.status === 'failed' && payment.crossing === null) {
    events.push(paymentFailed.of(organization_id, about(payment.amount_minor)));
  }
  return events.length === 0 ? 'none' : events;
}
const disputeOutcomes: Partial<Record<NonNullable<Decision['transition']>, 'open' | 'won' | 'lost'>> = {
  ...{ dispute: 'open', win: 'won', lose: 'lost' },
};

/** Why a payment that was open is over without money. */
const whyExpired = ({ status }: PaymentFacts) =>
  status === 'expired'
    ? endedBy(waits.payment.open)
    : { ended_by: status === 'failed' ? 'payment_failed' : 'payment_not_confirmed' };

const changeOf = (payment: PaymentRow, state: string, { entries, problem }: Decision): object => ({
  ...(state !== payment.state && { state: { from: payment.state, to: state } }),
  ...(entries.length > 0 && {
    entries: entries.map(({ kind, amount }) => ({ kind, amount_minor: amount.toString() })),
  }),
  ...(problem !== undefined && { problem }),
});
