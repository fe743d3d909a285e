import { autoTopUpFailed, type DeclaredEvent } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { hourMs, minuteMs } from '../../../kernel/units.ts';
import { isRefused, type Payments } from '../../../ports/payments/port.ts';
import { findStanding, lockAccount } from '../../billing/index.ts';
import { dayOf, decideTax, readParties, taxOn } from '../../invoicing/index.ts';
import type { Policies } from '../../policy/index.ts';
import { atOnce, chargeAgainForMs } from '../facts.ts';
import { limitedUntil, readLimits } from '../limits.ts';
import { lockPayment, type PaymentRow } from '../store.ts';
import { decideTopUp, type TopUpStep } from './decide.ts';
import { settleCharge } from './settle.ts';
import {
  type AutoTopUpRow,
  beginAutomatic,
  beginNextCrossing,
  findCustomer,
  listDueTopUps,
  lockAutoTopUp,
  noteFailure,
  turnOff,
  waitUntil,
} from './store.ts';

type Counter = ReturnType<Metrics['counter']>;

export interface TopUpParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly policies: Policies;
  readonly payments: Payments;
}

/**
 * Pays automatically for accounts whose balance fell to their threshold. First the attempt is kept, by a key that two workers cannot
 * both take; then the card is charged, under the id of the attempt; then the answer is entered. A worker that dies in between finds
 * the attempt again and charges under the same id, which its provider charges once.
 */
export function makeAutoTopUps(parts: TopUpParts): Reconciler {
  const { db, ids } = parts;
  const apart = makeApart('auto-top-ups', parts);
  const outcomes = parts.metrics.counter(
    'gpuaas_auto_top_ups_total',
    'Automatic top-ups, by what came of an attempt.',
    ['outcome'],
  );
  for (const outcome of ['paid', 'pending', 'unconfirmed', 'declined', 'limited', 'turned_off'] as const) {
    outcomes.inc({ outcome }, 0);
  }
  return {
    name: 'auto-top-ups',
    async round(signal) {
      const due = await db.read(systemViewer('billing-worker', { correlationId: ids.next() }), (tx) =>
        listDueTopUps(tx, atOnce),
      );
      for (const organizationId of due) {
        if (signal.aborted) break;
        await apart({ organization_id: organizationId }, () => topUp(parts, organizationId, outcomes));
      }
      return 'idle';
    },
  };
}

async function topUp(parts: TopUpParts, organizationId: string, outcomes: Counter): Promise<void> {
  const { db, ids, payments, begin } = parts;
  const viewer = systemViewer('billing-worker', { correlationId: ids.next() });
  const customerId = await db.read(viewer, (tx) => findCustomer(tx, organizationId, payments.provider));
  const methods = customerId === undefined ? [] : await payments.methods(customerId);
  const methodId = methods.find(({ isDefault }) => isDefault)?.id;
  const act = begin('auto_top_up.begin', { correlationId: ids.next(), organizationId });
  const written = await db.write(act, async (tx) => {
    const { events, ...claimed } = await claim(tx, parts, organizationId, methodId);
    const { step } = claimed;
    // Held money may keep an account above its threshold: that is looked at in every round and leaves no trace.
    if (step === 'nothing') return tx.abandon(new Fault('resource_not_found', 'No top-up is due.'));
    return tx.commit(claimed, {
      ...{ target: { type: 'auto_top_up', id: organizationId }, organizationId },
      change: { step },
      events,
    });
  });
  if (written instanceof Fault) return;
  const { payment, step, backUrl } = written.value;
  if (step === 'limited' || step === 'turn_off') outcomes.inc({ outcome: step === 'limited' ? step : 'turned_off' });
  if (payment && customerId !== undefined) {
    outcomes.inc({ outcome: await charge(parts, payment, { customerId, backUrl }) });
  }
}

interface Claimed {
  /** The attempt that is to be charged now. */
  readonly payment: PaymentRow | undefined;
  readonly step: TopUpStep['kind'] | 'charge';
  readonly backUrl: string;
  readonly events: 'none' | DeclaredEvent[];
}

/** Decides under the lock of the account, so that a payment that arrives meanwhile is seen. */
async function claim(
  tx: WriteTx,
  parts: TopUpParts,
  organizationId: string,
  methodId: string | undefined,
): Promise<Claimed> {
  const { policies } = parts;
  await lockAccount(tx, organizationId);
  const row = await lockAutoTopUp(tx, organizationId);
  const nothing: Claimed = { payment: undefined, step: 'nothing', backUrl: row?.back_url ?? '', events: 'none' };
  if (!row) return nothing;
  if (row.under_way !== null) {
    const payment = await lockPayment(tx, row.under_way);
    const isUncharged = payment?.payment_id === null && payment.url === '';
    return isUncharged ? { ...nothing, payment, step: 'charge' } : nothing;
  }
  const [standing, limits] = [await findStanding(tx, organizationId), await readLimits(tx, policies, organizationId)];
  const step = decideTopUp(
    row,
    {
      ...{ spendable: standing?.spendable ?? 0n, methodId },
      limitedUntil: limitedUntil(limits, row.amount_minor),
    },
    {
      maxFailures: policies.number('payments.auto_top_up_max_failures', { organizationId }),
      retryMs: policies.number('payments.auto_top_up_retry_minutes', { organizationId }) * minuteMs,
    },
  );
  const payment = step.kind === 'begin' ? await beginAttempt(tx, parts, row, step) : undefined;
  return { ...nothing, payment, step: step.kind, events: await follow(tx, row, step) };
}

/** Stores what a step decided, and makes its events. */
async function follow(tx: WriteTx, row: AutoTopUpRow, step: TopUpStep): Promise<Claimed['events']> {
  const organizationId = row.organization_id;
  const failed = (
    reason: Parameters<typeof autoTopUpFailed.of>[1]['reason'],
    next: Date | undefined,
  ): DeclaredEvent[] => [
    autoTopUpFailed.of(organizationId, {
      ...{ organization_id: organizationId, amount_minor: row.amount_minor.toString(), currency: row.currency, reason },
      ...{ failures: row.failures, turned_off: next === undefined, next_attempt_at: next?.toISOString() ?? null },
    }),
  ];
  switch (step.kind) {
    case 'next_crossing':
      await beginNextCrossing(tx, organizationId);
      return 'none';
    case 'wait':
      await waitUntil(tx, organizationId, step.until);
      return failed(row.failed_as ?? 'declined', step.until);
    case 'turn_off':
      await turnOff(tx, organizationId);
      return failed(row.failed_as ?? 'declined', undefined);
    case 'limited':
      await waitUntil(tx, organizationId, step.until, limitTexts[step.by]);
      return failed(step.by, step.until);
    case 'no_card':
      await noteFailure(tx, organizationId, 'no_card', 'There is no saved card to charge.');
      return 'none';
    default:
      return 'none';
  }
}
const limitTexts = {
  monthly_limit: 'Another payment would be more than the limit of the month.',
  deposit_limit: 'Another payment would be more than a new payer may add in a day or month.',
} as const;

async function beginAttempt(
  tx: WriteTx,
  { ids, clock, payments }: TopUpParts,
  row: AutoTopUpRow,
  step: TopUpStep & { readonly kind: 'begin' },
): Promise<PaymentRow | undefined> {
  const { sides } = await readParties(tx, row.organization_id);
  const treated = decideTax(sides, dayOf(clock.now()));
  const tax = taxOn(row.amount_minor, treated.rateBasisPoints);
  const id = ids.next();
  await beginAutomatic(tx, {
    ...{
      id,
      organizationId: row.organization_id,
      currency: row.currency,
      amount: row.amount_minor + tax,
      tax,
      treated,
    },
    ...{ provider: payments.provider, requestedBy: row.set_by, lastsMs: chargeAgainForMs, crossing: row.crossing },
    ...{ attempt: step.attempt, methodId: step.methodId },
  });
  return lockPayment(tx, id);
}

type Outcome = 'paid' | 'pending' | 'unconfirmed' | 'declined';

async function charge(
  parts: TopUpParts,
  payment: PaymentRow,
  { customerId, backUrl }: { readonly customerId: string; readonly backUrl: string },
): Promise<Outcome> {
  const { payments, policies, clock } = parts;
  const { id: reference, organization_id: organizationId, amount_minor: amountMinor, currency } = payment;
  const title = 'Automatic top-up';
  if (clock.now() > payment.expires_at) {
    await settleCharge(parts, payment, { refused: 'The attempt was interrupted for too long to be repeated.' });
    return 'declined';
  }
  const methodId = payment.method_id ?? '';
  const answer = await payments.charge({ reference, customerId, methodId, amountMinor, currency, title });
  if ('unconfirmed' in answer) {
    const hours = policies.number('payments.auto_top_up_confirm_hours', { organizationId });
    const expiresAt = new Date(clock.now().getTime() + hours * hourMs);
    const back = `${backUrl}?payment=${reference}`;
    const page = await payments.openCheckout({
      ...{ reference: `${reference}-confirm`, customerId, amountMinor, currency, title, expiresAt },
      ...{ paidUrl: back, leftUrl: back },
    });
    await settleCharge(parts, payment, isRefused(page) ? page : { ...page, expiresAt });
    return isRefused(page) ? 'declined' : 'unconfirmed';
  }
  await settleCharge(parts, payment, answer);
  return isRefused(answer) ? 'declined' : answer.status;
}
