import type { BeginAct, Database } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { isRefused, type Payments, type ProviderEvent } from '../../ports/payments/port.ts';
import { applyFacts } from './apply.ts';
import { decide, isChange } from './decide.ts';
import { paymentsChannel } from './facts.ts';
import { lockByFacts, takeEvent, wasEventSeen } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly payments: Payments;
}
export interface Webhook {
  readonly body: Buffer;
  readonly signature: string | undefined;
  readonly correlationId: string;
}
type Outcome = 'applied' | 'nothing_new' | 'unmatched' | 'ignored' | 'repeated';
/** Takes a webhook: nothing when it was taken, now or before, and a fault when the provider has not signed it. */
export type TakeWebhook = (webhook: Webhook) => Promise<Fault<'stripe_signature_invalid'> | undefined>;

/** One transaction and no question to anybody, so that the provider hears soon that it need not send it again. */
export function makeTakeWebhook(parts: Parts): TakeWebhook {
  const { payments, log } = parts;
  const taken = parts.metrics.counter(
    'gpuaas_payments_webhooks_total',
    'Webhooks of the payment provider, by what came of them; refused ones were not signed by it.',
    ['outcome'],
  );
  return async ({ body, signature, correlationId }) => {
    const event = payments.readEvent(body, signature);
    if (isRefused(event)) {
      taken.inc({ outcome: 'refused' });
      log.warn({ why: event.refused, correlation_id: correlationId }, 'a webhook was refused');
      return new Fault('stripe_signature_invalid', `The webhook is not taken: ${event.refused}.`);
    }
    taken.inc({ outcome: await takeOnce(parts, event, correlationId) });
    return undefined;
  };
}

async function takeOnce(
  { db, begin, ids, clock, payments }: Parts,
  event: ProviderEvent,
  correlationId: string,
): Promise<Outcome> {
  const { provider } = payments;
  const named = { ...event, provider };
  const act = begin('payment.hear', { correlationId });
  // Most repetitions are seen here, without a write; the key of the table sees those that come at the same time.
  if (await db.read(act, (tx) => wasEventSeen(tx, provider, event.id))) return 'repeated';
  const written = await db.write(act, async (tx) => {
    const { facts } = event;
    const payment = facts && (await lockByFacts(tx, provider, facts));
    const target = { type: 'payment_event', id: event.id };
    const paymentId = facts?.paymentId;
    if (!facts || !payment) {
      const outcome = facts ? 'unmatched' : 'ignored';
      await takeEvent(tx, named, { payment: undefined, paymentId, outcome });
      return tx.commit<Outcome>(outcome, { target, change: { type: event.type, outcome }, events: 'none' });
    }
    const outcome = isChange(decide(payment, facts, false)) ? 'applied' : 'nothing_new';
    if (!(await takeEvent(tx, named, { payment, paymentId, outcome }))) {
      return tx.commit<Outcome>('repeated', { target, change: { outcome: 'repeated' }, events: 'none' });
    }
    const done = await applyFacts(tx, { ids, act, now: clock.now() }, payment, facts, false);
    tx.wake(paymentsChannel, 'heard');
    return tx.commit<Outcome>(outcome, {
      target,
      organizationId: payment.organization_id,
      change: { type: event.type, payment_id: payment.id, ...done.change },
      events: done.events,
    });
  });
  return written.value;
}
