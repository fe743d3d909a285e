import { sql } from '../../kernel/act.ts';

export const lockSql = sql('node-lock', 'select state, version from nodes where id = $1 for update');
export const moveSql = sql(
  'node-move',
  `update nodes set state = $2, version = $3, state_reason = $4, updated_at = act_time(),
     drain_deadline_at = case when $2 = 'draining' then $5::timestamptz end
   where id = $1`,
);
