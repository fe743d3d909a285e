import { sql } from '../../kernel/act.ts';

export const lockSql = sql('maas-job-lock', 'select state, version from maas_jobs where id = $1 for update');
export const moveSql = sql(
  'maas-job-move',
  `update maas_jobs set state = $2, version = $3, problem = $4, phase = coalesce($5, phase), wait_token = null,
     updated_at = act_time(), ended_at = case when $2 in ('succeeded', 'failed') then act_time() end
   where id = $1`,
);
