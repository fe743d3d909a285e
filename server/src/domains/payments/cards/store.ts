import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { Treated } from '../../invoicing/index.ts';

const customerSql = sql(
  'payment-customer-find',
  `select c.customer_id from payment_customers c
   where c.organization_id = $1 and c.provider = $2 and mine(c.organization_id)`,
);
/** With the payment that is under way, and with what automatic payments add in this month (UTC). */
const columns = `t.organization_id, t.currency, t.enabled, t.threshold_minor, t.amount_minor, t.monthly_limit_minor, t.crossing,
     t.failures, t.last_failure, t.failed_as, t.next_attempt_at, t.turned_off, t.set_by, t.back_url, t.version, act_time() as now,
     (date_trunc('month', act_time() at time zone 'UTC') + interval '1 month') at time zone 'UTC' as month_ends,
     (select coalesce(sum(p.amount_minor - p.tax_minor), 0)::bigint from payment_sessions p
       where p.organization_id = t.organization_id and p.crossing is not null and p.state <> 'expired'
         and p.created_at >= date_trunc('month', act_time() at time zone 'UTC') at time zone 'UTC'
         and mine(p.organization_id)) as added_minor,
     (select u.id from payment_sessions u where u.organization_id = t.organization_id and u.crossing is not null
       and u.state = 'open' and mine(u.organization_id)) as under_way,
     (select max(a.attempt) from payment_sessions a where a.organization_id = t.organization_id and a.crossing = t.crossing
       and mine(a.organization_id)) as attempts,
     exists (select from payment_sessions a where a.organization_id = t.organization_id and a.crossing = t.crossing
       and a.state not in ('open', 'expired') and mine(a.organization_id)) as paid`;
const findSql = sql(
  'auto-top-up-find',
  `select ${columns} from auto_top_ups t where t.organization_id = $1 and mine(t.organization_id)`,
);
const lockSql = sql(
  'auto-top-up-lock',
  `select ${columns} from auto_top_ups t where t.organization_id = $1 and mine(t.organization_id) for update of t`,
);
/**
 * A new setting begins a new crossing. It forgets what failed before only where that is over: otherwise saving it again and again would
 * charge a card that declines without a wait. A new limit of the month has the wait decided anew, for that limit may have been the cause.
 */
const setSql = sql(
  'auto-top-up-set',
  `insert into auto_top_ups as t (organization_id, currency, enabled, threshold_minor, amount_minor, monthly_limit_minor, set_by,
     back_url)
   select b.organization_id, b.currency, $2, $3, $4, $5, $6, $7 from billing_accounts b
   where b.organization_id = $1 and mine(b.organization_id)
   on conflict (organization_id) do update set enabled = excluded.enabled, threshold_minor = excluded.threshold_minor,
     amount_minor = excluded.amount_minor, monthly_limit_minor = excluded.monthly_limit_minor, set_by = excluded.set_by,
     back_url = excluded.back_url, crossing = t.crossing + 1, turned_off = null,
     failures = case when $8 then 0 else t.failures end, last_failure = case when $8 then null else t.last_failure end,
     failed_as = case when $8 then null else t.failed_as end,
     next_attempt_at = case when $8 or t.monthly_limit_minor <> excluded.monthly_limit_minor then null else t.next_attempt_at end,
     version = t.version + 1, updated_at = act_time()`,
);
const lastMethodSql = sql(
  'auto-top-up-last-method',
  `select p.method_id from payment_sessions p where p.organization_id = $1 and p.crossing is not null and mine(p.organization_id)
   order by p.id desc limit 1`,
);
/** Accounts that may be due: the balance after holds is never more than what the decision compares, so none is missed. */
const dueSql = sql(
  'auto-top-up-due',
  `select t.organization_id from auto_top_ups t
     join billing_accounts b on b.organization_id = t.organization_id and mine(b.organization_id)
     left join payment_sessions u on u.organization_id = t.organization_id and u.crossing is not null and u.state = 'open'
       and mine(u.organization_id)
   where mine(t.organization_id) and case
     when u.id is not null then u.payment_id is null and u.url = ''
     when not t.enabled then false
     when t.failures > 0 and t.next_attempt_at is null then true
     when b.balance_minor <= t.threshold_minor then t.next_attempt_at is null or t.next_attempt_at <= act_time()
     else exists (select from payment_sessions a where a.organization_id = t.organization_id and a.crossing = t.crossing
       and mine(a.organization_id)) end
   order by t.organization_id limit $1`,
);
const nextCrossingSql = sql(
  'auto-top-up-next-crossing',
  'update auto_top_ups set crossing = crossing + 1 where organization_id = $1 and mine(organization_id)',
);
const waitSql = sql(
  'auto-top-up-wait',
  `update auto_top_ups set next_attempt_at = $2, last_failure = coalesce($3, last_failure)
   where organization_id = $1 and mine(organization_id)`,
);
const turnOffSql = sql(
  'auto-top-up-turn-off',
  `update auto_top_ups set enabled = false, turned_off = 'failures', next_attempt_at = null, version = version + 1,
     updated_at = act_time() where organization_id = $1 and mine(organization_id)`,
);
const failSql = sql(
  'auto-top-up-fail',
  `update auto_top_ups set failures = failures + 1, failed_as = $2, last_failure = $3, next_attempt_at = null
   where organization_id = $1 and mine(organization_id)`,
);
const succeedSql = sql(
  'auto-top-up-succeed',
  `update auto_top_ups set failures = 0, failed_as = null, last_failure = null, next_attempt_at = null
   where organization_id = $1 and mine(organization_id)`,
);
const beginSql = sql(
  'auto-top-up-begin',
  `insert into payment_sessions (id, organization_id, currency, amount_minor, provider, checkout_id, url, requested_by,
     expires_at, check_at, tax_minor, tax_treatment, crossing, attempt, method_id)
   values ($1, $2, $3, $4, $5, 'auto_' || $1::uuid::text, '', $6, act_time() + $7 * interval '1 ms', null, $8, $9, $10, $11, $12)`,
);
/** The payment goes on as a checkout: a person has to confirm it there. */
const onPageSql = sql(
  'auto-top-up-on-page',
  `update payment_sessions set checkout_id = $2, url = $3, expires_at = $4, check_at = act_time() + $5 * interval '1 ms',
     version = version + 1 where id = $1 and mine(organization_id)`,
);

export interface AutoTopUpRow {
  readonly organization_id: string;
  readonly currency: string;
  readonly enabled: boolean;
  readonly threshold_minor: bigint;
  readonly amount_minor: bigint;
  readonly monthly_limit_minor: bigint;
  readonly crossing: bigint;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly failed_as: 'declined' | 'not_confirmed' | 'no_card' | null;
  readonly next_attempt_at: Date | null;
  readonly turned_off: 'failures' | null;
  readonly set_by: string;
  readonly back_url: string;
  readonly version: bigint;
  readonly now: Date;
  readonly month_ends: Date;
  /** What automatic payments added in this month, and what is on its way. */
  readonly added_minor: bigint;
  readonly under_way: string | null;
  /** Attempts of this crossing, and whether one of them was paid. */
  readonly attempts: number | null;
  readonly paid: boolean;
}
export const findCustomer = async (tx: ReadTx, organizationId: string, provider: string): Promise<string | undefined> =>
  (await tx.rows<{ customer_id: string }>(customerSql, [organizationId, provider]))[0]?.customer_id;
export const findAutoTopUp = async (tx: ReadTx, organizationId: string): Promise<AutoTopUpRow | undefined> =>
  (await tx.rows<AutoTopUpRow>(findSql, [organizationId]))[0];
export const lockAutoTopUp = async (tx: WriteTx, organizationId: string): Promise<AutoTopUpRow | undefined> =>
  (await tx.rows<AutoTopUpRow>(lockSql, [organizationId]))[0];
export const setAutoTopUp = (
  tx: WriteTx,
  organizationId: string,
  to: {
    readonly enabled: boolean;
    readonly threshold: bigint;
    readonly amount: bigint;
    readonly monthlyLimit: bigint;
    readonly setBy: string;
    readonly backUrl: string;
    /** Whether the failures so far are over. */
    readonly anew: boolean;
  },
) =>
  tx.run(setSql, [
    ...[organizationId, to.enabled, to.threshold, to.amount, to.monthlyLimit, to.setBy, to.backUrl, to.anew],
  ]);
/** The card that the last attempt charged, or tried to. */
export const findLastMethod = async (tx: ReadTx, organizationId: string): Promise<string | undefined> =>
  (await tx.rows<{ method_id: string | null }>(lastMethodSql, [organizationId]))[0]?.method_id ?? undefined;
export const listDueTopUps = async (tx: ReadTx, limit: number): Promise<string[]> =>
  (await tx.rows<{ organization_id: string }>(dueSql, [limit])).map((row) => row.organization_id);
export const beginNextCrossing = (tx: WriteTx, organizationId: string) => tx.run(nextCrossingSql, [organizationId]);
export const waitUntil = (tx: WriteTx, organizationId: string, until: Date, why?: string) =>
  tx.run(waitSql, [organizationId, until, why ?? null]);
export const turnOff = (tx: WriteTx, organizationId: string) => tx.run(turnOffSql, [organizationId]);
/** Notes a failure. What follows from it the worker decides, which knows the policies. */
export const noteFailure = (
  tx: WriteTx,
  organizationId: string,
  as: NonNullable<AutoTopUpRow['failed_as']>,
  why: string,
) => tx.run(failSql, [organizationId, as, why]);
export const noteSuccess = (tx: WriteTx, organizationId: string) => tx.run(succeedSql, [organizationId]);
export const beginAutomatic = (
  tx: WriteTx,
  made: {
    readonly id: string;
    readonly organizationId: string;
    readonly currency: string;
    readonly amount: bigint;
    readonly tax: bigint;
    readonly treated: Treated;
    readonly provider: string;
    readonly requestedBy: string;
    readonly lastsMs: number;
    readonly crossing: bigint;
    readonly attempt: number;
    readonly methodId: string;
  },
) =>
  tx.run(beginSql, [
    ...[made.id, made.organizationId, made.currency, made.amount, made.provider, made.requestedBy, made.lastsMs],
    ...[made.tax, made.treated, made.crossing, made.attempt, made.methodId],
  ]);
export const putOnPage = (
  tx: WriteTx,
  id: string,
  page: { readonly checkoutId: string; readonly url: string; readonly expiresAt: Date },
  checkInMs: number,
) => tx.run(onPageSql, [id, page.checkoutId, page.url, page.expiresAt, checkInMs]);
