import { autoTopUpActionRequired } from '@gpuaas/contract';
import type { BeginAct, Database } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { type Charged, isRefused, type PaymentFacts, type Refused } from '../../../ports/payments/port.ts';
import { applyFacts } from '../apply.ts';
import { longestReason, openCheckMs } from '../facts.ts';
import { lockPayment, type PaymentRow } from '../store.ts';
import { putOnPage } from './store.ts';

/** The page on which a person confirms what a bank would not charge alone. */
interface ConfirmPage {
  readonly checkoutId: string;
  readonly url: string;
  readonly expiresAt: Date;
}

/** Enters what became of a charge, unless a webhook was faster. Deciding twice on the same facts changes nothing. */
export async function settleCharge(
  parts: { readonly db: Database; readonly begin: BeginAct; readonly ids: Ids; readonly clock: Clock },
  begun: PaymentRow,
  answer: Charged | Refused | ConfirmPage,
): Promise<void> {
  const { db, ids, clock } = parts;
  const organizationId = begun.organization_id;
  const act = parts.begin('auto_top_up.settle', { correlationId: ids.next(), organizationId });
  const target = { type: 'payment', id: begun.id };
  await db.write(act, async (tx) => {
    const payment = await lockPayment(tx, begun.id);
    if (payment?.state !== 'open' || payment.payment_id !== null || payment.url !== '') {
      return tx.commit(undefined, { target, organizationId, change: { outcome: 'known' }, events: 'none' });
    }
    if ('url' in answer) {
      await putOnPage(tx, payment.id, answer, openCheckMs);
      const { id, amount_minor, currency, provider } = payment;
      const about = { organization_id: organizationId, payment_id: id, amount_minor: amount_minor.toString() };
      return tx.commit(undefined, {
        ...{ target, organizationId, change: { outcome: 'unconfirmed' } },
        events: [
          autoTopUpActionRequired.of(organizationId, {
            ...{ ...about, currency, provider, expires_at: answer.expiresAt.toISOString() },
          }),
        ],
      });
    }
    const why = isRefused(answer) ? answer.refused.slice(0, longestReason) : undefined;
    const how = { ids, act, now: clock.now(), why };
    const applied = await applyFacts(tx, how, payment, factsOf(payment, answer), !isRefused(answer));
    return tx.commit(undefined, { target, organizationId, change: applied.change, events: applied.events });
  });
}

const factsOf = ({ amount_minor, currency }: PaymentRow, answer: Charged | Refused): PaymentFacts =>
  isRefused(answer)
    ? { status: 'expired' }
    : answer.status === 'paid'
      ? { paymentId: answer.paymentId, status: 'paid', amountMinor: amount_minor, currency }
      : { paymentId: answer.paymentId, status: 'open', currency };
