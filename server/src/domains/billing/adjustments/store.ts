import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

/**
 * A line as people read it: what of it can be corrected, and which entry of the ledger a correction names. A line of usage stands for
 * many windows; its last one is named.
 */
const lineSql = sql(
  'adjustment-line',
  `select l.kind, l.amount_minor, l.entry_id from (
     select 'usage' as kind, -d.amount_minor as amount_minor, (select u.id from usage_windows u
         where u.resource_id = d.resource_id and u.meter = d.meter and u.organization_id = d.organization_id
           and u.from_at >= d.day::timestamp at time zone 'UTC' and u.from_at < (d.day + 1)::timestamp at time zone 'UTC'
           and mine(u.organization_id) order by u.from_at desc limit 1) as entry_id
     from usage_days d where d.organization_id = $1 and d.id = $2 and mine(d.organization_id)
     union all
     select e.kind, e.amounts[1], e.id from ledger_entries e
     where e.organization_id = $1 and e.id = $2 and e.kind <> 'usage' and mine(e.organization_id)) l`,
);
/** What corrections of a line do or would do, and what of a grant has expired. Those that wait count, so that two of them cannot give back the same. */
const correctedSql = sql(
  'adjustment-corrected',
  `select (coalesce((select sum(a.amount_minor) from billing_adjustments a
       where a.line_id = $1 and a.id <> $2 and (a.decision = 'entered' or (a.decision is null and a.expires_at > act_time()))
         and mine(a.organization_id)), 0)
     - coalesce((select g.expired_minor from credit_grants g where g.id = $1 and mine(g.organization_id)), 0))::bigint as amount`,
);
/**
 * What was charged for usage and not given back. Corrections give usage back, and so do refunds as credit; both count, with those that
 * wait, so that the same usage is not given back twice.
 */
const unreturnedSql = sql(
  'usage-unreturned',
  `select (coalesce((select sum(d.amount_minor) from usage_days d where d.organization_id = $1 and mine(d.organization_id)), 0)
     - coalesce((select sum(r.amount_minor) from payment_refunds r where r.organization_id = $1 and r.paid_to = 'credit'
       and mine(r.organization_id)), 0)
     - coalesce((select sum(a.amount_minor) from billing_adjustments a where a.organization_id = $1 and a.line_kind = 'usage'
       and a.id is distinct from $2::uuid
       and (a.decision = 'entered' or (a.decision is null and a.expires_at > act_time()))
       and mine(a.organization_id)), 0))::bigint as amount`,
);
/** What one person gave or took alone in an account within a day: many small corrections and refunds as credit are one large one. */
const aloneSql = sql(
  'adjustment-alone',
  `select (coalesce((select sum(abs(a.amount_minor)) from billing_adjustments a
       where a.organization_id = $1 and a.requested_by = $2 and not a.needs_approval and a.decision = 'entered' and a.line_kind <> 'credit'
         and a.created_at > act_time() - interval '1 day' and mine(a.organization_id)), 0)
     + coalesce((select sum(r.amount_minor) from payment_refunds r
       where r.organization_id = $1 and r.requested_by = $2 and r.paid_to = 'credit'
         and r.created_at > act_time() - interval '1 day' and mine(r.organization_id)), 0))::bigint as amount`,
);
/** The same in all accounts of one currency together. */
const aloneInAllSql = sql(
  'adjustment-alone-in-all',
  `select (coalesce((select sum(abs(a.amount_minor)) from billing_adjustments a
       where a.requested_by = $1 and a.currency = $2 and not a.needs_approval and a.decision = 'entered' and a.line_kind <> 'credit'
         and a.created_at > act_time() - interval '1 day' and mine(a.organization_id)), 0)
     + coalesce((select sum(r.amount_minor) from payment_refunds r
       where r.requested_by = $1 and r.currency = $2 and r.paid_to = 'credit'
         and r.created_at > act_time() - interval '1 day' and mine(r.organization_id)), 0))::bigint as amount`,
);
const insertSql = sql(
  'adjustment-insert',
  `insert into billing_adjustments (id, organization_id, currency, amount_minor, line_id, line_kind, corrects, reason,
     needs_approval, requested_by, expires_at, credit_expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, act_time() + make_interval(hours => $11), $12)`,
);
const decideSql = sql(
  'adjustment-decide',
  `update billing_adjustments set decision = $2, decided_by = $3, decided_at = act_time(), note = $4, entry_id = $5
   where id = $1 and decision is null and mine(organization_id)`,
);
const columns = `a.id, a.organization_id, o.name as organization_name, a.currency, a.amount_minor, a.line_id, a.line_kind,
     a.corrects, a.reason, a.needs_approval, a.requested_by, a.created_at, a.expires_at, a.decision, a.decided_by, a.decided_at,
     a.note, a.entry_id, a.credit_expires_at, act_time() as now, a.decision is null and a.expires_at <= act_time() as expired
   from billing_adjustments a join organizations o on o.id = a.organization_id`;
const getSql = sql('adjustment-get', `select ${columns} where a.id = $1 and mine(a.organization_id)`);
const lockSql = sql('adjustment-lock', `select ${columns} where a.id = $1 and mine(a.organization_id) for update of a`);
const listSql = sql(
  'adjustment-list',
  `select ${columns} where ($1::uuid is null or a.id < $1) and ($2::uuid is null or a.organization_id = $2)
     and mine(a.organization_id) and ($3::text is null or $3 = coalesce(a.decision,
       case when a.expires_at <= act_time() then 'expired' else 'waiting' end))
   order by a.id desc limit $4`,
);

export interface AdjustmentRow {
  readonly id: string;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  /** None for credit. */
  readonly line_id: string | null;
  readonly line_kind: 'usage' | 'grant' | 'credit';
  readonly corrects: string | null;
  readonly reason: string;
  readonly needs_approval: boolean;
  readonly requested_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly decision: 'entered' | 'rejected' | null;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
  readonly note: string | null;
  readonly entry_id: string | null;
  /** When credit ends; null for corrections, and where a policy says it. */
  readonly credit_expires_at: Date | null;
  readonly now: Date;
  readonly expired: boolean;
}
export interface LineRow {
  readonly kind: string;
  readonly amount_minor: bigint;
  readonly entry_id: string | null;
}
export const findLine = async (tx: ReadTx, organizationId: string, lineId: string): Promise<LineRow | undefined> =>
  (await tx.rows<LineRow>(lineSql, [organizationId, lineId]))[0];
export const readCorrected = async (tx: ReadTx, lineId: string, exceptId: string): Promise<bigint> =>
  (await tx.rows<{ amount: bigint }>(correctedSql, [lineId, exceptId]))[0]?.amount ?? 0n;
/** Never less than nothing. A correction that is decided now does not count against itself. */
export const readUnreturned = async (tx: ReadTx, organizationId: string, exceptId?: string): Promise<bigint> => {
  const left = (await tx.rows<{ amount: bigint }>(unreturnedSql, [organizationId, exceptId ?? null]))[0]?.amount ?? 0n;
  return left > 0n ? left : 0n;
};
export const readAlone = async (tx: ReadTx, organizationId: string, actorId: string): Promise<bigint> =>
  (await tx.rows<{ amount: bigint }>(aloneSql, [organizationId, actorId]))[0]?.amount ?? 0n;
export const readAloneInAll = async (tx: ReadTx, actorId: string, currency: string): Promise<bigint> =>
  (await tx.rows<{ amount: bigint }>(aloneInAllSql, [actorId, currency]))[0]?.amount ?? 0n;
export const insertAdjustment = (
  tx: WriteTx,
  made: Pick<AdjustmentRow, 'id' | 'organization_id' | 'currency' | 'amount_minor' | 'line_id' | 'line_kind'> &
    Pick<AdjustmentRow, 'corrects' | 'reason' | 'needs_approval' | 'requested_by' | 'credit_expires_at'>,
  hours: number,
) =>
  tx.run(insertSql, [
    ...[made.id, made.organization_id, made.currency, made.amount_minor, made.line_id, made.line_kind, made.corrects],
    ...[made.reason, made.needs_approval, made.requested_by, hours, made.credit_expires_at],
  ]);
/** False when it was decided before. */
export const decideAdjustment = async (
  tx: WriteTx,
  id: string,
  to: {
    readonly decision: 'entered' | 'rejected';
    readonly by: string;
    readonly note?: string | undefined;
    readonly entryId?: string | undefined;
  },
): Promise<boolean> => (await tx.run(decideSql, [id, to.decision, to.by, to.note ?? null, to.entryId ?? null])) === 1;
export const findAdjustment = async (tx: ReadTx, id: string): Promise<AdjustmentRow | undefined> =>
  (await tx.rows<AdjustmentRow>(getSql, [id]))[0];
export const lockAdjustment = async (tx: WriteTx, id: string): Promise<AdjustmentRow | undefined> =>
  (await tx.rows<AdjustmentRow>(lockSql, [id]))[0];
export const listAdjustments = (
  tx: ReadTx,
  of: { readonly organization_id?: string; readonly state?: string },
  before: string | undefined,
  limit: number,
) => tx.rows<AdjustmentRow>(listSql, [before ?? null, of.organization_id ?? null, of.state ?? null, limit]);
