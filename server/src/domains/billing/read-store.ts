import type { LedgerLine, UsageWindow } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../kernel/act.ts';
import type { LadderState } from './ladder/decide.ts';

/** Those of apps name a unit and a version, and are one kind for people. */
const meterOfDay = `case when d.meter like 'app:%' then 'app_units' else d.meter end`;
/**
 * Lines as people read them: usage by allocation and day, everything else by entry. Both sides are read from an index in the
 * order of the page, so a page deep in the past costs what the first one does.
 */
const linesSql = sql(
  'ledger-lines',
  `select l.*, (l.day::date - date 'epoch') as day_number, a.name as allocation_name, p.name as project_name,
     case when l.kind = 'usage' then n.simulated end as simulated from (
     (select d.id, 'usage' as kind, d.day::text as day, -d.amount_minor as amount_minor, d.currency, null::timestamptz as at,
        case when d.meter = 'gpu_time' then d.resource_id end as allocation_id, d.project_id, ${meterOfDay} as meter,
        case when d.meter like 'app:%' then d.resource_id end as app_instance_id, nullif(substring(d.meter from '^app:(.*)$'), '') as app_meter,
        d.sku, d.quantity_ms,
        d.windows, null::text as reason
      from usage_days d where d.organization_id = $1 and mine(d.organization_id)
        and ($2::int is null or (d.day, d.id) < (date 'epoch' + $2::int, $3::uuid))
      order by d.day desc, d.id desc limit $4)
     union all
     (select e.id, e.kind, ((e.at at time zone 'UTC')::date)::text, e.amounts[1], e.currency, e.at,
        case when e.kind in ('hold', 'hold_release') then substring(e.reason from '^Hold (?:for|of) allocation ([0-9a-f-]{36})')::uuid end,
        null, null, null, null, null, null, null, e.reason
      from ledger_entries e where e.organization_id = $1 and e.kind <> 'usage' and mine(e.organization_id)
        and ($2::int is null or ((e.at at time zone 'UTC')::date, e.id) < (date 'epoch' + $2::int, $3::uuid))
      order by (e.at at time zone 'UTC')::date desc, e.id desc limit $4)
   ) l left join allocations a on a.id = l.allocation_id and mine(a.organization_id)
     left join nodes n on n.id = a.node_id
     left join projects p on p.id = l.project_id and mine(p.organization_id)
   order by l.day desc, l.id desc limit $4`,
);
const lineSql = sql(
  'ledger-line-of-usage',
  `select d.resource_id, d.meter, d.day::text as day from usage_days d
   where d.organization_id = $1 and d.id = $2 and mine(d.organization_id)`,
);
const windowsSql = sql(
  'ledger-windows',
  `select u.id, u.from_at, u.to_at, u.quantity_ms, u.unit, u.rate_micro, u.price_id, u.amount_minor, u.charged_minor, u.currency,
     (extract(epoch from u.from_at) * 1000)::bigint as key
   from usage_windows u where u.resource_id = $1 and u.meter = $2 and mine(u.organization_id)
     and u.from_at >= $3::date::timestamp at time zone 'UTC' and u.from_at < ($3::date + 1)::timestamp at time zone 'UTC'
     and ($4::bigint is null or u.from_at >= timestamptz 'epoch' + ($4::bigint + 1) * interval '1 millisecond')
   order by u.from_at limit $5`,
);
/** A meter that lags holds the time back: everything proven before it is in the balance, whichever meter proved it. */
const chargedToSql = sql(
  'usage-charged-to',
  `select coalesce(
     (select m.accrued_to from usage_meters m where m.organization_id = $1 and m.accrued_to < m.evidence_to
       and mine(m.organization_id) order by m.accrued_to limit 1),
     (select m.accrued_to from usage_meters m where m.organization_id = $1 and mine(m.organization_id)
       order by m.accrued_to desc limit 1)) as charged_to`,
);
const chargedForSql = sql(
  'usage-charged-for',
  `select sum(m.charged_minor)::bigint as amount_minor, m.currency, min(m.accrued_to) as charged_to from usage_meters m
   where m.resource_id = $1 and mine(m.organization_id) group by m.currency`,
);
const accountsSql = sql(
  'billing-accounts',
  `select b.organization_id, o.name, o.slug, owner.name as owner_name, b.currency, b.balance_minor, b.held_minor, b.entries, l.state, l.releases_at,
     coalesce((select sum(d.amount_minor) from usage_days d where d.organization_id = b.organization_id
       and d.day > (select (act_time() at time zone 'UTC')::date - $4::int) and mine(d.organization_id)), 0)::bigint as charged
   from billing_accounts b join organizations o on o.id = b.organization_id
     join account_ladders l on l.organization_id = b.organization_id and mine(l.organization_id)
     left join lateral (
       select coalesce(n.display_name, i.username) as name from tenant_memberships m
         join user_posix_identities i on i.user_id = m.user_id left join user_names n on n.user_id = m.user_id
       where o.type = 'personal' and m.organization_id = o.id and mine(m.organization_id) and m.role = 'owner'
         and m.deleted_at is null
       order by m.created_at limit 1
     ) owner on true
   where mine(b.organization_id) and o.deleted_at is null and ($1::uuid is null or b.organization_id < $1)
     and ($6::text is null or l.state = $6)
     and ($2::text is null or o.name ilike '%' || $2 || '%' or o.slug ilike '%' || $2 || '%' or o.id::text = $3
       or owner.name ilike '%' || $2 || '%')
   order by b.organization_id desc limit $5`,
);
const grantedSql = sql(
  'ledger-granted',
  `select e.at, b.balance_minor from ledger_entries e join billing_accounts b on b.organization_id = e.organization_id
   where e.organization_id = $1 and e.id = $2 and mine(e.organization_id)`,
);

export interface LineRow {
  readonly id: string;
  readonly kind: LedgerLine['kind'];
  readonly day: string;
  readonly day_number: number;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly at: Date | null;
  readonly allocation_id: string | null;
  readonly allocation_name: string | null;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly meter: LedgerLine['meter'];
  readonly app_instance_id: string | null;
  readonly app_meter: string | null;
  readonly sku: string | null;
  readonly quantity_ms: bigint | null;
  readonly windows: number | null;
  readonly reason: string | null;
  readonly simulated: boolean | null;
}
export interface WindowRow {
  readonly id: string;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly quantity_ms: bigint;
  readonly unit: UsageWindow['unit'];
  readonly rate_micro: bigint;
  readonly price_id: string | null;
  readonly amount_minor: bigint;
  readonly charged_minor: bigint;
  readonly currency: string;
  readonly key: bigint;
}
export interface BillingAccountRow {
  readonly organization_id: string;
  readonly name: string;
  readonly slug: string;
  readonly owner_name: string | null;
  readonly currency: string;
  readonly balance_minor: bigint;
  readonly held_minor: bigint;
  readonly entries: bigint;
  readonly charged: bigint;
  readonly state: LadderState;
  readonly releases_at: Date | null;
}

export const listLines = (
  tx: ReadTx,
  organizationId: string,
  /** Days since 1970, and the id of a line. */
  before: { readonly day: string; readonly id: string } | undefined,
  limit: number,
) => tx.rows<LineRow>(linesSql, [organizationId, before?.day ?? null, before?.id ?? null, limit]);
export const findLine = async (tx: ReadTx, organizationId: string, id: string) =>
  (await tx.rows<{ resource_id: string; meter: string; day: string }>(lineSql, [organizationId, id]))[0];
export const listWindows = (
  tx: ReadTx,
  line: { readonly resource_id: string; readonly meter: string; readonly day: string },
  after: string | undefined,
  limit: number,
) => tx.rows<WindowRow>(windowsSql, [line.resource_id, line.meter, line.day, after ?? null, limit]);
export const readChargedTo = async (tx: ReadTx, organizationId: string): Promise<Date | null> =>
  (await tx.rows<{ charged_to: Date | null }>(chargedToSql, [organizationId]))[0]?.charged_to ?? null;
/** What was charged for an allocation so far; nothing before its first evidence. */
export const findChargedFor = async (tx: ReadTx, allocationId: string) =>
  (await tx.rows<{ amount_minor: bigint; currency: string; charged_to: Date }>(chargedForSql, [allocationId]))[0];
export const listAccounts = (
  tx: ReadTx,
  { q, state }: { readonly q?: string; readonly state?: LadderState },
  before: string | undefined,
  of: { readonly days: number; readonly limit: number },
) =>
  tx.rows<BillingAccountRow>(accountsSql, [
    ...[before ?? null, q === undefined ? null : escaped(q), q?.toLowerCase() ?? null, of.days, of.limit],
    state ?? null,
  ]);
export const findGranted = async (tx: ReadTx, organizationId: string, id: string) =>
  (await tx.rows<{ at: Date; balance_minor: bigint }>(grantedSql, [organizationId, id]))[0];

/** A search for a percent sign finds percent signs. */
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
