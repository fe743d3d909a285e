import { billingAccountMachine } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { makeAdvance } from '../../../kernel/machine.ts';
import type { LadderState, Standing, Step } from './decide.ts';

/**
 * Accounts with what they can spend and what they spend: all that can be due, one page at a time, or the one of `$3`. What runs
 * is added up once for all of them.
 */
const standingsSql = sql(
  'billing-standings',
  `with burning as (
     select a.organization_id, count(*)::int as living,
       coalesce(sum(case k.billing_unit when 'node_hour' then a.unit_price_minor else a.unit_price_minor * a.gpu_count end)
         filter (where a.state = 'active'), 0)::bigint as per_hour
     from allocations a join skus k on k.slug = a.sku
     where a.state in ('requested', 'provisioning', 'active') and mine(a.organization_id)
       and ($3::uuid is null or a.organization_id = $3)
     group by a.organization_id
   )
   select b.organization_id, b.currency, (b.balance_minor + coalesce((
       select sum(h.amount_minor - h.released_minor) from allocation_holds h where h.organization_id = b.organization_id
         and h.released_minor < h.amount_minor and mine(h.organization_id)), 0))::bigint as spendable, coalesce(r.per_hour, 0)::bigint as per_hour,
     coalesce(r.living, 0) as living, b.entries > 0 as used, l.state, l.version, l.warned_steps, l.warned_balance, l.releases_at,
     l.release_requested_at, act_time() as now
   from billing_accounts b join account_ladders l on l.organization_id = b.organization_id and mine(l.organization_id)
     left join burning r on r.organization_id = b.organization_id
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
     releases_at = $6, release_requested_at = $7
   where organization_id = $1 and mine(organization_id)`,
);
const keepSql = sql(
  'account-ladder-keep',
  `update account_ladders set version = version + 1, warned_steps = $2, warned_balance = $3, releases_at = $4,
     release_requested_at = $5
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
       and l.state = 'depleted' and exists (select from allocations a where a.organization_id = l.organization_id
         and a.state in ('requested', 'provisioning', 'active') and mine(a.organization_id)))::int as overdue
   from account_ladders l where mine(l.organization_id) group by l.state`,
);

export interface StandingRow {
  readonly organization_id: string;
  readonly currency: string;
  readonly spendable: bigint;
  readonly per_hour: bigint;
  readonly living: number;
  readonly used: boolean;
  readonly state: LadderState;
  readonly version: bigint;
  readonly warned_steps: number;
  readonly warned_balance: boolean;
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
export const countLadders = (tx: ReadTx, overdueMs: number) =>
  tx.rows<{ state: LadderState; accounts: number; overdue: number }>(countSql, [overdueMs]);

const advance = makeAdvance(billingAccountMachine, { lock: lockLadderSql, move: moveSql });
export async function storeStep(tx: WriteTx, row: StandingRow, step: Step): Promise<void> {
  const asked = step.state !== 'depleted' ? null : step.release ? row.now : row.release_requested_at;
  const facts = [step.warnedSteps, step.warnedBalance, step.releasesAt, asked];
  if (step.transition === undefined) {
    await tx.run(keepSql, [row.organization_id, ...facts]);
    return;
  }
  const moved = await advance(tx, row.organization_id, step.transition, Number(row.version), facts);
  if (!moved || moved instanceof Error) throw new Error(`account ${row.organization_id} moved although it was held`);
}
