import { type AutoTopUp, autoTopUpGet, autoTopUpSet, type Input, showMoney } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Payments } from '../../../ports/payments/port.ts';
import { type AccountRow, findAccount, lockAccount, money } from '../../billing/index.ts';
import type { Policies } from '../../policy/index.ts';
import { mostThresholdPayments, paymentsChannel } from '../facts.ts';
import { boundsOf } from '../sessions-routes.ts';
import { showPayment } from '../show.ts';
import { findPayment } from '../store.ts';
import { type AutoTopUpRow, findAutoTopUp, findCustomer, findLastMethod, setAutoTopUp } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly policies: Policies;
  readonly payments: Payments;
  readonly publicUrl: string;
}
const on = handlers<Parts>();
const absent = () => new Fault('organization_not_found', 'There is no such object.');

/** What an organization that has set nothing would begin with. */
async function read(
  tx: ReadTx,
  { policies, clock }: Parts,
  { organization_id, currency }: AccountRow,
): Promise<AutoTopUp> {
  const row = await findAutoTopUp(tx, organization_id);
  const { least } = boundsOf(policies, organization_id);
  const under = row?.under_way ? await findPayment(tx, organization_id, row.under_way) : undefined;
  return {
    enabled: row?.enabled ?? false,
    threshold: money(row?.threshold_minor ?? 0n, currency),
    amount: money(row?.amount_minor ?? least, currency),
    monthly_limit: money(row?.monthly_limit_minor ?? least, currency),
    added_this_month: money(row?.added_minor ?? 0n, currency),
    failures: row?.failures ?? 0,
    last_failure: row?.last_failure ?? null,
    turned_off: row?.turned_off ?? null,
    next_attempt_at: row?.next_attempt_at?.toISOString() ?? null,
    pending: under ? { payment_id: under.id, url: showPayment(under, clock.now()).url } : null,
    version: Number(row?.version ?? 0n),
  };
}

const get = on(autoTopUpGet, (parts, who, { params }) =>
  parts.db.read(who, async (tx) => {
    const account = await findAccount(tx, params.organization_id);
    return account ? read(tx, parts, account) : absent();
  }),
);

interface AutoTopUpSettings {
  readonly threshold: bigint;
  readonly amount: bigint;
  readonly monthlyLimit: bigint;
}
type Body = Input<typeof autoTopUpSet>['body'];
/** What is left out stays as it was. */
function settingsOf(
  policies: Policies,
  organizationId: string,
  body: Body,
  before: AutoTopUpRow | undefined,
): AutoTopUpSettings {
  const { least } = boundsOf(policies, organizationId);
  const pick = (given: string | undefined, had: bigint | undefined, otherwise: bigint) =>
    given === undefined ? (had ?? otherwise) : BigInt(given);
  const amount = pick(body.amount_minor, before?.amount_minor, least);
  return {
    threshold: pick(body.threshold_minor, before?.threshold_minor, 0n),
    amount,
    monthlyLimit: pick(body.monthly_limit_minor, before?.monthly_limit_minor, amount),
  };
}
const hasAmounts = ({ threshold_minor, amount_minor, monthly_limit_minor }: Body): boolean =>
  [threshold_minor, amount_minor, monthly_limit_minor].some((each) => each !== undefined);
function findRefusal(
  policies: Policies,
  { organization_id, currency }: AccountRow,
  settings: AutoTopUpSettings,
  body: Body,
) {
  if (hasAmounts(body) ? body.currency !== currency : (body.currency ?? currency) !== currency) {
    return new Fault('currency_mismatch', `The account is in ${currency}, not ${body.currency ?? 'in no currency'}.`);
  }
  const show = (amount: bigint) => showMoney(amount, currency);
  const { least, most } = boundsOf(policies, organization_id);
  if (settings.amount < least || settings.amount > most) {
    const text = `One payment is from ${show(least)} to ${show(most)}; this is ${show(settings.amount)}.`;
    return new Fault('amount_out_of_bounds', text, { minimum: money(least, currency), maximum: money(most, currency) });
  }
  const highest = settings.amount * BigInt(mostThresholdPayments);
  // A setting that is older than this bound can still be turned off.
  if (settings.threshold > highest && (body.enabled || hasAmounts(body))) {
    const text = `The threshold, ${show(settings.threshold)}, is more than ${mostThresholdPayments} payments of ${show(settings.amount)}: at most ${show(highest)}.`;
    return new Fault('amount_out_of_bounds', text, { maximum: money(highest, currency) });
  }
  if (settings.monthlyLimit < settings.amount) {
    const text = `The limit of a month, ${show(settings.monthlyLimit)}, is less than one payment of ${show(settings.amount)}.`;
    return new Fault('amount_out_of_bounds', text, { minimum: money(settings.amount, currency) });
  }
  return undefined;
}

/** Whether what failed before says nothing about the next attempt: nothing did, it was off meanwhile, or another card is charged now. */
async function isAnew(tx: ReadTx, before: AutoTopUpRow | undefined, methodId: string | undefined): Promise<boolean> {
  if (!before?.enabled || before.failures === 0) return true;
  return methodId !== undefined && methodId !== (await findLastMethod(tx, before.organization_id));
}

const set = on(autoTopUpSet, async (parts, act, { params, body }) => {
  const { db, policies, payments } = parts;
  const organizationId = params.organization_id;
  if (body.enabled && payments.provider === 'disabled') {
    return new Fault('payments_disabled', 'This installation takes no payments. Ask its operators for credit.');
  }
  const customerId = await db.read(act, (tx) => findCustomer(tx, organizationId, payments.provider));
  const cards = body.enabled && customerId !== undefined ? await payments.methods(customerId) : [];
  if (body.enabled && cards.length === 0) {
    const text =
      'There is no saved card to charge. Save one first (Billing in the console, or gpuaas billing card-add).';
    return new Fault('payment_method_not_found', text);
  }
  return db.write(act, async (tx) => {
    const account = await findAccount(tx, organizationId);
    if (!account) return tx.abandon(absent());
    await lockAccount(tx, organizationId);
    const before = await findAutoTopUp(tx, organizationId);
    if (body.version !== undefined && BigInt(body.version) !== (before?.version ?? 0n)) {
      return tx.abandon(new Fault('version_conflict', 'The setting was changed meanwhile. Read it again.'));
    }
    const settings = settingsOf(policies, organizationId, body, before);
    const refusal = findRefusal(policies, account, settings, body);
    if (refusal) return tx.abandon(refusal);
    const backUrl = `${parts.publicUrl}/billing`;
    const anew = await isAnew(tx, before, cards.find(({ isDefault }) => isDefault)?.id);
    await setAutoTopUp(tx, organizationId, { ...settings, enabled: body.enabled, setBy: act.actorId, backUrl, anew });
    if (body.enabled) tx.wake(paymentsChannel, 'auto-top-up');
    return tx.commit(await read(tx, parts, account), {
      target: { type: 'auto_top_up', id: organizationId },
      organizationId,
      change: { ...body, was_enabled: before?.enabled ?? false },
      events: 'none',
    });
  });
});

export const autoTopUpRoutes = (parts: Parts): Mounted[] => [get, set].map((bind) => bind(parts));
