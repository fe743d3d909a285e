import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Payments } from '../../ports/payments/port.ts';
import { type Applied, applyFacts, applyUnknown } from './apply.ts';
import { atOnce } from './facts.ts';
import { listDue, lockPayment, type PaymentRow } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly payments: Payments;
}

/** Compares payments with what the provider says, and enters what is missing, extra or different. */
export function makeChecks(parts: Parts): Reconciler {
  const { db, ids, payments } = parts;
  const apart = makeApart('payment-checks', parts);
  const repaired = parts.metrics.counter(
    'gpuaas_payments_repaired_total',
    'Payments that were not what the provider says and were set right, by what was wrong.',
    ['kind'],
  );
  for (const kind of ['missing', 'extra', 'different'] as const) repaired.inc({ kind }, 0);
  return {
    name: 'payment-checks',
    async round(signal) {
      const due = await db.read(systemViewer('billing-worker', { correlationId: ids.next() }), (tx) =>
        listDue(tx, payments.provider, atOnce),
      );
      let checked = 0;
      for (const payment of due) {
        if (signal.aborted) break;
        await apart({ payment_id: payment.id }, async () => {
          const kind = await checkOne(parts, payment);
          if (kind) repaired.inc({ kind });
          checked += 1;
        });
      }
      return checked === atOnce ? 'more' : 'idle';
    },
  };
}

/**
 * Asks first, then writes, and only if the payment is still as it was before the question: what a webhook has brought in the
 * meantime is newer than the answer.
 */
async function checkOne(parts: Parts, seen: PaymentRow): Promise<'missing' | 'extra' | 'different' | undefined> {
  const { db, begin, ids, clock, log, payments } = parts;
  // A card that was charged while nobody was present has no checkout.
  const isCharge = seen.url === '' && seen.payment_id !== null;
  const facts = isCharge
    ? await payments.findCharge(seen.payment_id ?? '')
    : await payments.findCheckout(seen.checkout_id);
  const organizationId = seen.organization_id;
  const act = begin('payment.compare', { correlationId: ids.next(), organizationId });
  const written = await db.write(act, async (tx) => {
    const payment = await lockPayment(tx, seen.id);
    const target = { type: 'payment', id: seen.id };
    if (!payment || payment.version !== seen.version) {
      return tx.commit<Applied | undefined>(undefined, { target, organizationId, events: 'none' });
    }
    const how = { ids, act, now: clock.now() };
    const done = facts ? await applyFacts(tx, how, payment, facts, true) : await applyUnknown(tx, how, payment);
    return tx.commit<Applied | undefined>(done, { target, organizationId, change: done.change, events: done.events });
  });
  const { decision } = written.value ?? {};
  if (!decision) return undefined;
  if (decision.problem) {
    log.error({ payment_id: seen.id, problem: decision.problem }, 'a payment does not fit what its provider says');
    return undefined;
  }
  const [first] = decision.entries;
  if (!first) return undefined;
  const kind = first.kind === 'top_up' ? 'missing' : decision.credited === 0n ? 'extra' : 'different';
  log.warn(
    { payment_id: seen.id, kind, entries: decision.entries.map((entry) => entry.kind) },
    'a payment was set right',
  );
  return kind;
}
