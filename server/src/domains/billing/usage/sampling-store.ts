import { sql } from '../../../kernel/act.ts';

export const sampleSql = sql(
  'usage-idle-sample',
  'select usage_idle_sample($1::int, $2::bigint, $3::bigint) as allocations',
);
