import { sql } from '../../../kernel/act.ts';

export const revenueSql = sql(
  'usage-revenue',
  `select d.day::text as day, d.sku, d.currency, sum(d.amount_minor)::bigint as amount_minor,
     sum(d.quantity_ms)::bigint as quantity_ms, count(distinct d.organization_id)::int as organizations
   from usage_days d where d.day between $1::date and $2::date and mine(d.organization_id)
   group by d.day, d.sku, d.currency order by d.day, d.sku, d.currency limit $3`,
);
export const totalsSql = sql(
  'usage-revenue-totals',
  `select d.sku, d.currency, sum(d.amount_minor)::bigint as amount_minor, sum(d.quantity_ms)::bigint as quantity_ms,
     (sum(sum(d.amount_minor)) over (partition by d.currency))::bigint as total_minor
   from usage_days d where d.day between $1::date and $2::date and mine(d.organization_id)
   group by d.sku, d.currency order by d.currency, 3 desc, d.sku`,
);
