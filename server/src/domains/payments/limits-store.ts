import { type ReadTx, sql } from '../../kernel/act.ts';

/** Payments that can still be made count as if they were. Days and months are those of UTC. */
const depositsSql = sql(
  'payment-deposits',
  `with now as (select act_time() at time zone 'UTC' as at)
   select coalesce(sum(p.amount_minor - p.tax_minor) filter (
       where p.created_at >= date_trunc('day', n.at) at time zone 'UTC'), 0)::bigint as today,
     coalesce(sum(p.amount_minor - p.tax_minor), 0)::bigint as this_month,
     (date_trunc('day', n.at) + interval '1 day') at time zone 'UTC' as day_ends,
     (date_trunc('month', n.at) + interval '1 month') at time zone 'UTC' as month_ends,
     c.settled, c.settled_minor,
     (select min(s.settled_at) + make_interval(days => $2) from payment_sessions s where s.organization_id = $1
        and s.state = 'paid' and s.refunded_minor = 0 and s.settled_at > act_time() - make_interval(days => $2)
        and mine(s.organization_id)) as grows_at
   from now n cross join (
       select count(*)::int as settled, coalesce(sum(v.net), 0)::bigint as settled_minor from (
         select greatest(0, least(s.amount_minor, s.credited_minor) - s.tax_minor) as net from payment_sessions s
         where s.organization_id = $1 and s.state = 'paid' and s.refunded_minor = 0
           and s.settled_at <= act_time() - make_interval(days => $2) and mine(s.organization_id)
         limit $3) v) c
     left join payment_sessions p on p.organization_id = $1 and mine(p.organization_id)
     and p.created_at >= date_trunc('month', n.at) at time zone 'UTC'
     and (p.state in ('paid', 'disputed', 'charged_back', 'failed_reconcile')
       or (p.state = 'open' and p.expires_at > act_time()))
   group by n.at, c.settled, c.settled_minor`,
);

export interface DepositsRow {
  readonly today: bigint;
  readonly this_month: bigint;
  readonly day_ends: Date;
  readonly month_ends: Date;
  readonly settled: number;
  /** What the settled payments added to the balance, before tax. */
  readonly settled_minor: bigint;
  readonly grows_at: Date | null;
}
export async function readDeposits(
  tx: ReadTx,
  organizationId: string,
  of: { readonly settleDays: number; readonly mostSettled: number },
): Promise<DepositsRow> {
  const [row] = await tx.rows<DepositsRow>(depositsSql, [organizationId, of.settleDays, of.mostSettled]);
  if (!row) throw new Error(`nothing is known about the deposits of ${organizationId}`);
  return row;
}
