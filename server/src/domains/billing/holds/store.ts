import { type Act, type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

/** Holds of launches, each an entry of the ledger and a row that says how much of it is still set aside. */
const placeSql = sql(
  'hold-place',
  `with given as materialized (
     select g.*, a.organization_id, a.project_id, a.requested_by, b.currency
     from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as g (allocation_id, entry_id, amount)
       join allocations a on a.id = g.allocation_id and mine(a.organization_id)
       join billing_accounts b on b.organization_id = a.organization_id
   ), kept as (
     insert into allocation_holds (allocation_id, organization_id, project_id, requested_by, entry_id, amount_minor)
     select g.allocation_id, g.organization_id, g.project_id, g.requested_by, g.entry_id, g.amount from given g
   )
   insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason)
   select g.entry_id, g.organization_id, g.currency, 'hold', '{customer,held}', array[-g.amount, g.amount], $4, $5,
     'Hold for allocation ' || g.allocation_id
   from given g`,
);
/**
 * Gives back what is no longer needed: everything when the allocation has ended, and in parts as usage is charged. A part is one
 * in `$2` of the hold, so that a ledger has few lines about it. One statement for all organizations; a hold that another
 * worker is at is left to it.
 */
const releaseSql = sql(
  'hold-release',
  `with due as materialized (
     select h.allocation_id, h.organization_id, h.released_minor, b.currency, t.target
     from allocation_holds h join allocations a on a.id = h.allocation_id and mine(a.organization_id)
       join billing_accounts b on b.organization_id = h.organization_id
       left join usage_meters m on m.resource_id = h.allocation_id and m.meter = 'gpu_time' and mine(m.organization_id)
       cross join lateral (select case when a.ended_at is not null then h.amount_minor
         else h.amount_minor * (least(coalesce(m.charged_minor, 0), h.amount_minor) * $2::int / h.amount_minor) / $2::int end
         as target) t
     where h.released_minor < h.amount_minor and t.target > h.released_minor and mine(h.organization_id)
     order by h.allocation_id limit $1 for no key update of h skip locked
   ), given as (
     update allocation_holds h set released_minor = d.target from due d where h.allocation_id = d.allocation_id
   ), entered as (
     insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason)
     select id_at(statement_timestamp()), d.organization_id, d.currency, 'hold_release', '{customer,held}',
       array[d.target - d.released_minor, d.released_minor - d.target], $3, $4,
       'Hold of allocation ' || d.allocation_id || ' released'
     from due d
   )
   select count(*)::int as holds from due`,
);

export interface NewHold {
  readonly allocationId: string;
  readonly entryId: string;
  readonly amount: bigint;
}
export const placeHolds = (tx: WriteTx, holds: readonly NewHold[], by: Pick<Act, 'actorId' | 'correlationId'>) =>
  tx.run(placeSql, [
    holds.map(({ allocationId }) => allocationId),
    holds.map(({ entryId }) => entryId),
    holds.map(({ amount }) => amount),
    ...[by.actorId, by.correlationId],
  ]);
export const releaseHolds = async (
  tx: WriteTx,
  how: { readonly limit: number; readonly parts: number },
  by: Pick<Act, 'actorId' | 'correlationId'>,
): Promise<number> =>
  (await tx.rows<{ holds: number }>(releaseSql, [how.limit, how.parts, by.actorId, by.correlationId]))[0]?.holds ?? 0;

const capsSql = sql(
  'billing-caps-reached',
  `select a.id, a.organization_id, a.project_id, a.version, n.simulated
   from allocations a left join nodes n on n.id = a.node_id
     left join usage_meters m on m.resource_id = a.id and m.meter = 'gpu_time' and mine(m.organization_id)
   where a.max_spend_minor is not null and a.state = 'active' and mine(a.organization_id)
     and (m.charged_minor >= a.max_spend_minor or a.expires_at < act_time() - make_interval(secs => $1 / 1000.0))
     and a.id <> all ($2::uuid[])
   order by a.id limit $3`,
);
export interface CappedRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly version: bigint;
  readonly simulated: boolean | null;
}
/** Active allocations whose cap is spent, or whose deadline has passed by a while. */
export const listCapped = (tx: ReadTx, lateMs: number, asked: readonly string[], limit: number) =>
  tx.rows<CappedRow>(capsSql, [lateMs, asked, limit]);
