import { billingAccountMachine } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { makeAdvance } from '../../../kernel/machine.ts';
import type { LadderState, Standing, Step } from './decide.ts';

/**
 * Accounts with what they can spend and what they spend: all that can be due, one page at a time, or the one of `$3`. What runs
 * and what is stored is added up once for all of them; units of apps count with their mean since yesterday began.
 */
const standingsSql = sql(
  'billing-standings',
  `with burning as (
     select a.organization_id, count(*)::int as living,
       coalesce(sum(case k.billing_unit when 'node_hour' then a.unit_price_minor else a.unit_price_minor * a.gpu_count end)
         filter (where a.state = 'active'), 0)::bigint as per_hour,
       coalesce(sum(case k.billing_unit when 'node_hour' then a.unit_price_minor else a.unit_price_minor * a.gpu_count end)
         filter (where a.state = 'active' and a.stop_phase is distinct from 'stopped'), 0)::bigint as burning,
       count(*) filter (where a.state = 'active' and a.stop_phase is not null)::int as stopped
     from allocations a join skus k on k.slug = a.sku
     where a.state in ('requested', 'provisioning', 'active') and mine(a.organization_id)
       and ($3::uuid is null or a.organization_id = $3)
     group by a.organization_id
   ), storing as (
     select b.organization_id, sum(b.stored_bytes)::bigint as bytes, round(sum(b.stored_bytes) * p.rate_micro / 1073741824000000)::bigint as per_hour
     from storage_buckets b join billing_accounts c on c.organization_id = b.organization_id
       left join lateral (select q.rate_micro from storage_prices q where q.currency = c.currency and q.effective_from <= act_time()
         order by q.effective_from desc limit 1) p on true
     where b.stored_bytes > 0 and mine(b.organization_id) and ($3::uuid is null or b.organization_id = $3)
     group by b.organization_id, p.rate_micro
   )
   select b.organization_id, b.currency, (b.balance_minor + coalesce((
       select sum(h.amount_minor - h.released_minor) from allocation_holds h where h.organization_id = b.organization_id
         and h.released_minor < h.amount_minor and mine(h.organization_id)), 0))::bigint as spendable, (coalesce(r.per_hour, 0) + coalesce(s.per_hour, 0) + coalesce(u.per_hour, 0))::bigint as per_hour, coalesce(s.bytes, 0)::bigint as stored_bytes,
     coalesce(r.stopped, 0) as stopped, (coalesce(r.burning, 0) + coalesce(s.per_hour, 0) + coalesce(u.per_hour, 0))::bigint as burning, coalesce(r.living, 0) as living, b.entries > 0 as used, l.state, l.version, l.warned_steps, l.warned_balance, l.stops_at, l.stopped_at,
     l.releases_at, l.release_requested_at, act_time() as now
   from billing_accounts b join account_ladders l on l.organization_id = b.organization_id and mine(l.organization_id)
     left join burning r on r.organization_id = b.organization_id
     left join storing s on s.organization_id = b.organization_id
     left join lateral (
       select round(sum(d.amount_minor) * 3600 / extract(epoch from act_time()
         - (((act_time() at time zone 'UTC')::date - 1)::timestamp at time zone 'UTC')))::bigint as per_hour
       from usage_days d where d.organization_id = b.organization_id and d.day >= (act_time() at time zone 'UTC')::date - 1
         and d.meter like 'app:%' and mine(d.organization_id)
     ) u on true
   where ($3::uuid is not null or r.organization_id is not null or b.entries > 0 or l.state <> 'healthy')
     and mine(b.organization_id) and ($1::uuid is null or b.organization_id > $1) and ($3::uuid is null or b.organization_id = $3)
   order by b.organization_id limit $2`,
);
const lockSql = sql('billing-account-lock', 'select billing_account_lock($1)');
const lockLadderSql = sql(
  'account-ladder-lock',
  'select state, version from account_ladders where organization_id = $1 and mine(organization_id) for update',
);
const moveSql = sql(
  'account-ladder-move',
  `update account_ladders set state = $2, version = $3, changed_at = act_time(), warned_steps = $4, warned_balance = $5,
     stops_at = $6, stopped_at = $7, releases_at = $8, release_requested_at = $9
   where organization_id = $1 and mine(organization_id)`,
);
const keepSql = sql(
  'account-ladder-keep',
  `update account_ladders set version = version + 1, warned_steps = $2, warned_balance = $3, stops_at = $4,
     stopped_at = $5, releases_at = $6, release_requested_at = $7
   where organization_id = $1 and mine(organization_id)`,
);
const livingSql = sql(
  'billing-living',
  `select a.id, a.organization_id, a.project_id, a.version, n.simulated
   from allocations a left join nodes n on n.id = a.node_id
   where a.organization_id = $1 and a.state in ('requested', 'provisioning', 'active') and mine(a.organization_id)
   order by a.id limit $2`,
);
const countSql = sql(
  'account-ladder-count',
  `select l.state, count(*)::int as accounts,
     count(*) filter (where l.releases_at < act_time() - make_interval(secs => $1 / 1000.0)
       and (l.state = 'depleted' or l.stopped_at is not null) and exists (select from allocations a where a.organization_id = l.organization_id
         and a.state in ('requested', 'provisioning', 'active') and mine(a.organization_id)))::int as overdue
   from account_ladders l where mine(l.organization_id) group by l.state`,
);

/** What was released for lack of money: the last release of the time that is looked at, with those close before it. */
const releasedSql = sql(
  'billing-last-release',
  `with last as (
     select max(a.releasing_at) as at from allocations a
     where a.organization_id = $1 and a.release_reason = 'balance_depleted' and mine(a.organization_id)
       and a.releasing_at > act_time() - make_interval(secs => $2 / 1000.0)
   ), found as (
     select a.id, a.name, a.project_id, p.name as project_name, a.sku, a.gpu_count, a.releasing_at as released_at, a.currency,
       coalesce((select sum(m.charged_minor) from usage_meters m where m.resource_id = a.id and mine(m.organization_id)),
         0)::bigint as charged_minor
     from last l
       join allocations a on a.organization_id = $1 and a.release_reason = 'balance_depleted' and mine(a.organization_id)
         and a.releasing_at > l.at - make_interval(secs => $3 / 1000.0)
       join projects p on p.id = a.project_id and mine(p.organization_id)
   )
   select f.id, f.name, f.project_id, f.project_name, f.sku, f.gpu_count, f.released_at, f.charged_minor, f.currency,
     min(f.released_at) over () as from_at, max(f.released_at) over () as to_at, count(*) over ()::int as released,
     (sum(f.charged_minor) over ())::bigint as total_minor
   from found f order by f.charged_minor desc, f.id limit $4`,
);

export interface ReleasedRow {
  readonly id: string;
  readonly name: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly sku: string;
  readonly gpu_count: number;
  readonly released_at: Date;
  readonly charged_minor: bigint;
  readonly currency: string;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly released: number;
  readonly total_minor: bigint;
}
export interface StandingRow {
  readonly organization_id: string;
  readonly currency: string;
  readonly spendable: bigint;
  readonly per_hour: bigint;
  readonly living: number;
  /** Files of all projects, and those in the trash. */
  readonly stored_bytes: bigint;
  /** Of the hourly cost, what is being spent now: stopped machines cost nothing. */
  readonly burning: bigint;
  /** Machines that are stopped for lack of money, or on the way there or back. */
  readonly stopped: number;
  readonly used: boolean;
  readonly state: LadderState;
  readonly version: bigint;
  readonly warned_steps: number;
  readonly warned_balance: boolean;
  readonly stops_at: Date | null;
  readonly stopped_at: Date | null;
  readonly releases_at: Date | null;
  readonly release_requested_at: Date | null;
  readonly now: Date;
}
export interface LivingRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly version: bigint;
  readonly simulated: boolean | null;
}
export const standingOf = (row: StandingRow): Standing => ({
  now: row.now,
  spendable: row.spendable,
  perHour: row.per_hour,
  living: row.living,
  used: row.used,
  state: row.state,
  warnedSteps: row.warned_steps,
  warnedBalance: row.warned_balance,
  stopsAt: row.stops_at,
  stoppedAt: row.stopped_at,
  releasesAt: row.releases_at,
  releaseRequestedAt: row.release_requested_at,
});

/** Holds the account until the transaction ends: entries of its ledger and other decisions about its balance wait. */
export const lockAccount = (tx: ReadTx, organizationId: string) => tx.rows(lockSql, [organizationId]);
export const listStandings = (tx: ReadTx, after: string | undefined, limit: number) =>
  tx.rows<StandingRow>(standingsSql, [after ?? null, limit, null]);
export const findStanding = async (tx: ReadTx, organizationId: string): Promise<StandingRow | undefined> =>
  (await tx.rows<StandingRow>(standingsSql, [null, 1, organizationId]))[0];
export const listLiving = (tx: ReadTx, organizationId: string, limit: number) =>
  tx.rows<LivingRow>(livingSql, [organizationId, limit]);
export const listReleased = (
  tx: ReadTx,
  organizationId: string,
  of: { readonly toldMs: number; readonly togetherMs: number; readonly limit: number },
) => tx.rows<ReleasedRow>(releasedSql, [organizationId, of.toldMs, of.togetherMs, of.limit]);
export const countLadders = (tx: ReadTx, overdueMs: number) =>
  tx.rows<{ state: LadderState; accounts: number; overdue: number }>(countSql, [overdueMs]);

const advance = makeAdvance(billingAccountMachine, { lock: lockLadderSql, move: moveSql });
export async function storeStep(tx: WriteTx, row: StandingRow, step: Step): Promise<void> {
  const isEnding = step.state === 'depleted' || step.stoppedAt !== null;
  const asked = !isEnding ? null : step.release ? row.now : row.release_requested_at;
  const facts = [step.warnedSteps, step.warnedBalance, step.stopsAt, step.stoppedAt, step.releasesAt, asked];
  if (step.transition === undefined) {
    await tx.run(keepSql, [row.organization_id, ...facts]);
    return;
  }
  const moved = await advance(tx, row.organization_id, step.transition, Number(row.version), facts);
  if (!moved || moved instanceof Error) throw new Error(`account ${row.organization_id} moved although it was held`);
}
