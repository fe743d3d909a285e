import { type BillingIdle, billingIdleGet } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, sql } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { idleRows, wholePercent } from '../facts.ts';
import { findAccount } from '../ledger-store.ts';
import { money } from '../money.ts';
import { periodOf } from '../period.ts';

const on = handlers<{ readonly db: Database; readonly clock: Clock }>();

/**
 * What was charged for idle time, by allocation and day: the charge of the day, times the share of its charged time in which all
 * GPUs were reported as idle. Time without a report is never called idle.
 */
const idleSql = sql(
  'usage-idle',
  `with days as (
     select d.resource_id, d.amount_minor, d.quantity_ms / case m.unit when 'gpu_hour' then m.gpus else 1 end as charged_ms,
       coalesce(i.idle_ms, 0) as idle_ms, coalesce(i.observed_ms, 0) as observed_ms
     from usage_days d join usage_meters m on m.resource_id = d.resource_id and m.meter = d.meter and mine(m.organization_id)
       left join usage_idle_days i on i.resource_id = d.resource_id and i.day = d.day and mine(i.organization_id)
     where d.organization_id = $1 and d.meter = 'gpu_time' and d.day between $2::date and $3::date and mine(d.organization_id)
   ), grouped as (
     select d.resource_id, sum(round(d.amount_minor * least(1, d.idle_ms::numeric / nullif(d.charged_ms, 0))))::bigint
         as amount_minor, sum(least(d.idle_ms, d.charged_ms))::bigint as idle_ms,
       sum(least(d.observed_ms, d.charged_ms))::bigint as observed_ms, sum(d.charged_ms)::bigint as charged_ms
     from days d group by d.resource_id
   )
   select g.resource_id as allocation_id, a.name, coalesce(g.amount_minor, 0) as amount_minor, g.idle_ms, g.observed_ms,
     sum(g.amount_minor) over ()::bigint as total_minor, sum(g.observed_ms) over ()::bigint as observed_total,
     sum(g.charged_ms) over ()::bigint as charged_total
   from grouped g left join allocations a on a.id = g.resource_id and mine(a.organization_id)
   order by 3 desc, 1 limit $4`,
);
interface IdleRow {
  readonly allocation_id: string;
  readonly name: string | null;
  readonly amount_minor: bigint;
  readonly idle_ms: bigint;
  readonly observed_ms: bigint;
  readonly total_minor: bigint | null;
  readonly observed_total: bigint;
  readonly charged_total: bigint;
}
const readIdle = (tx: ReadTx, organizationId: string, period: { readonly from: string; readonly to: string }) =>
  tx.rows<IdleRow>(idleSql, [organizationId, period.from, period.to, idleRows]);

const idle = on(billingIdleGet, async ({ db, clock }, who, { params, query }) => {
  const period = periodOf(query, clock.now());
  if (period instanceof Fault) return period;
  const { account, rows } = await db.read(who, async (tx) => ({
    account: await findAccount(tx, params.organization_id),
    rows: await readIdle(tx, params.organization_id, period),
  }));
  if (!account) return new Fault('organization_not_found', 'There is no such object.');
  const [first] = rows;
  const isKnown = first !== undefined && first.observed_total > 0n;
  return {
    ...period,
    state: isKnown ? 'available' : 'unavailable',
    amount: isKnown ? money(first.total_minor ?? 0n, account.currency) : null,
    observed_percent: isKnown ? Number((first.observed_total * wholePercent) / (first.charged_total || 1n)) : 0,
    rows: rows
      .filter(({ amount_minor }) => amount_minor > 0n)
      .map((row) => ({
        ...{ allocation_id: row.allocation_id, name: row.name, amount: money(row.amount_minor, account.currency) },
        ...{ idle_ms: row.idle_ms.toString(), observed_ms: row.observed_ms.toString() },
      })),
  } satisfies BillingIdle;
});

export const idleRoutes = (parts: { readonly db: Database; readonly clock: Clock }): Mounted[] => [idle(parts)];
