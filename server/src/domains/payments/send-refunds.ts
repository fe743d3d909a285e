import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { isRefused, type Payments } from '../../ports/payments/port.ts';
import { enter } from '../billing/index.ts';
import { atOnce, longestReason } from './facts.ts';
import { listWaiting, lockWaiting, noteRefused, noteSent, type RefundRow, reserve } from './refunds-store.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly payments: Payments;
}

/**
 * Hands refunds to the provider. Our id goes along, so that one that was sent and not noted is sent again without harm. What the
 * provider refuses goes back into the balance.
 */
export function makeSendRefunds(parts: Parts): Reconciler {
  const { db, ids, payments } = parts;
  const apart = makeApart('payment-refunds', parts);
  return {
    name: 'payment-refunds',
    async round(signal) {
      const waiting = await db.read(systemViewer('billing-worker', { correlationId: ids.next() }), (tx) =>
        listWaiting(tx, payments.provider, atOnce),
      );
      let sent = 0;
      for (const refund of waiting) {
        if (signal.aborted) break;
        await apart({ refund_id: refund.id }, async () => {
          await send(parts, refund);
          sent += 1;
        });
      }
      return sent === atOnce ? 'more' : 'idle';
    },
  };
}

async function send({ db, begin, ids, log, payments }: Parts, refund: RefundRow): Promise<void> {
  const answer = await payments.refund({
    reference: refund.id,
    paymentId: refund.provider_payment_id,
    amountMinor: refund.amount_minor,
  });
  const organizationId = refund.organization_id;
  const act = begin('payment.send_refund', { correlationId: ids.next(), organizationId });
  if (isRefused(answer)) log.error({ refund_id: refund.id, why: answer.refused }, 'the provider refused a refund');
  await db.write(act, async (tx) => {
    const target = { type: 'payment_refund', id: refund.id };
    if (!(await lockWaiting(tx, refund.id))) return tx.commit(undefined, { target, organizationId, events: 'none' });
    if (isRefused(answer)) {
      const why = answer.refused.slice(0, longestReason);
      const [amount, tax] = [refund.amount_minor - refund.tax_minor, refund.tax_minor];
      const back = { kind: 'correction', amount, tax, corrects: refund.entry_id } as const;
      const reason = `The provider refused the refund: ${why}`.slice(0, longestReason);
      await enter(tx, { id: ids.next(), organizationId, ...back, reason }, act);
      await reserve(tx, refund.session_id, -refund.amount_minor);
      await noteRefused(tx, refund.id, why);
    } else {
      await noteSent(tx, refund.id, answer.refundId);
    }
    const change = isRefused(answer) ? { refused: answer.refused } : { provider_refund_id: answer.refundId };
    return tx.commit(undefined, { target, organizationId, change, events: 'none' });
  });
}
