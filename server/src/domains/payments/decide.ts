import { showMoney } from '@gpuaas/contract';
import type { PaymentFacts } from '../../ports/payments/port.ts';

/** What we have about a payment, as far as it can differ from what the provider says. */
export interface Standing {
  readonly currency: string;
  readonly state: 'open' | 'paid' | 'expired' | 'disputed' | 'charged_back' | 'failed_reconcile';
  readonly payment_id: string | null;
  readonly credited_minor: bigint;
  readonly refunded_minor: bigint;
  readonly disputed_minor: bigint;
  readonly credit_entry_id: string | null;
}
/** An entry that is missing in the ledger. A correction sets the credit right. */
export interface Missing {
  readonly kind: 'top_up' | 'correction' | 'refund' | 'hold' | 'hold_release';
  readonly amount: bigint;
  readonly reason?: string;
}
type Transition = 'pay' | 'expire' | 'reopen' | 'dispute' | 'win' | 'lose' | 'fail';
export interface Decision {
  readonly entries: readonly Missing[];
  readonly transition: Transition | undefined;
  readonly credited: bigint;
  readonly refunded: bigint;
  readonly disputed: bigint;
  /** Why no entry can set it right. */
  readonly problem: string | undefined;
}

/** Whether something has to be done about it. */
export const isChange = ({ entries, transition }: Decision): boolean => entries.length > 0 || transition !== undefined;

/**
 * What has to change so that we have what the provider says. A webhook says a part; an answer to our question is `whole`, and only
 * then something that it does not say is not so. Deciding twice on the same facts changes nothing the second time.
 */
export function decide(now: Standing, facts: PaymentFacts, whole: boolean): Decision {
  const same = { credited: now.credited_minor, refunded: now.refunded_minor, disputed: now.disputed_minor };
  const show = (amount: bigint) => showMoney(amount, now.currency);
  const problem = (text: string): Decision => ({
    ...{ entries: [], problem: text, ...same },
    transition: ['open', 'expired', 'paid'].includes(now.state) ? 'fail' : undefined,
  });
  if (now.state === 'charged_back') return { entries: [], transition: undefined, problem: undefined, ...same };
  if (facts.currency !== undefined && facts.currency !== now.currency) {
    return problem(`The provider says ${facts.currency}, the payment is in ${now.currency}.`);
  }
  if (facts.paymentId !== undefined && now.payment_id !== null && facts.paymentId !== now.payment_id) {
    return problem(`The provider names the payment ${facts.paymentId}, we know ${now.payment_id}.`);
  }
  const paid = decidePaid(now, facts, whole);
  if (paid === undefined) return problem('The provider says that it was paid, and not how much.');
  const gone = decideGone(now, facts, paid.credited);
  if (gone.refunded + gone.disputed > paid.credited) {
    return problem(
      `${show(gone.refunded + gone.disputed)} went back or is disputed, and ${show(paid.credited)} was paid.`,
    );
  }
  return {
    ...{ entries: [...paid.entries, ...gone.entries], problem: undefined },
    ...{ credited: paid.credited, refunded: gone.refunded, disputed: gone.disputed },
    transition: gone.transition ?? transitionOf(now, paid.credited, facts, whole),
  };
}

/** What was paid, against what is in the ledger. Only a whole answer takes away what was entered. */
function decidePaid(now: Standing, facts: PaymentFacts, whole: boolean) {
  if (facts.status === 'paid' && facts.amountMinor === undefined) return undefined;
  const had = now.credited_minor;
  const isSaid = facts.status === 'paid' || (whole && facts.status !== undefined);
  const credited = !isSaid ? had : facts.status === 'paid' ? (facts.amountMinor ?? 0n) : 0n;
  if (credited === had) return { credited, entries: [] as Missing[] };
  const entry: Missing =
    now.credit_entry_id === null
      ? { kind: 'top_up', amount: credited }
      : { kind: 'correction', amount: credited - had, reason: 'The provider says that another amount was paid.' };
  return { credited, entries: [entry] };
}

/** What of it went back, and what of it is disputed. A lost dispute is money that went back. */
function decideGone(now: Standing, facts: PaymentFacts, credited: bigint) {
  const entries: Missing[] = [];
  let [refunded, disputed] = [now.refunded_minor, now.disputed_minor];
  let transition: Transition | undefined;
  if (facts.refundedMinor !== undefined && facts.refundedMinor > refunded) {
    entries.push({ kind: 'refund', amount: refunded - facts.refundedMinor, reason: 'Refunded at the provider.' });
    refunded = facts.refundedMinor;
  }
  const left = credited - refunded;
  // More went back than was paid: the caller finds that out from the sums.
  if (left < 0n) return { entries, refunded, disputed, transition };
  const { dispute } = facts;
  const amount = dispute === undefined || dispute.amountMinor > left ? left : dispute.amountMinor;
  // A payment that is not known as paid yet becomes that first; the comparison after it finds the dispute.
  if (dispute?.outcome === 'open' && now.state === 'paid' && amount > 0n) {
    entries.push({ kind: 'hold', amount: -amount, reason: 'The payment is disputed.' });
    disputed = amount;
    transition = 'dispute';
  } else if (dispute?.outcome === 'won' && now.state === 'disputed') {
    if (disputed > 0n) entries.push({ kind: 'hold_release', amount: disputed, reason: 'The dispute was won.' });
    disputed = 0n;
    transition = 'win';
  } else if (dispute?.outcome === 'lost' && (now.state === 'disputed' || now.state === 'paid')) {
    const lost = now.state === 'disputed' ? disputed : amount;
    if (disputed > 0n) entries.push({ kind: 'hold_release', amount: disputed, reason: 'The dispute is over.' });
    if (lost > 0n) entries.push({ kind: 'refund', amount: -lost, reason: 'The dispute was lost.' });
    refunded += lost;
    disputed = 0n;
    transition = 'lose';
  }
  return { entries, refunded, disputed, transition };
}

function transitionOf(now: Standing, credited: bigint, facts: PaymentFacts, whole: boolean): Transition | undefined {
  const { state } = now;
  if (state === 'disputed') return undefined;
  if (credited > 0n) return state !== 'paid' && (whole || facts.status === 'paid') ? 'pay' : undefined;
  if (facts.status === 'expired' || facts.status === 'failed' || (whole && state === 'paid'))
    return state === 'expired' ? undefined : 'expire';
  return whole && state === 'failed_reconcile' && facts.status === 'open' ? 'reopen' : undefined;
}
