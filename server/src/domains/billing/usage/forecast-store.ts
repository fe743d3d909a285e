import { sql } from '../../../kernel/act.ts';

/** A row for each day from the first that has usage, at most `$3` days back; days without usage cost nothing. */
export const daysSql = sql(
  'forecast-days',
  `select g.day::date::text as day, coalesce(sum(d.amount_minor), 0)::bigint as amount_minor
   from (select f.day from usage_days f where f.organization_id = $1 and mine(f.organization_id) order by f.day limit 1) f
     cross join lateral generate_series(greatest($2::date - $3::int, f.day), $2::date, interval '1 day') g (day)
     left join usage_days d on d.organization_id = $1 and d.day = g.day::date and d.day >= $2::date - $3::int
       and d.day <= $2::date and mine(d.organization_id)
   where f.day is not null group by 1 order by 1`,
);
export const monthSql = sql(
  'forecast-month',
  `select coalesce(sum(d.amount_minor), 0)::bigint as amount_minor from usage_days d
   where d.organization_id = $1 and d.day between date_trunc('month', $2::date)::date and $2::date and mine(d.organization_id)`,
);
