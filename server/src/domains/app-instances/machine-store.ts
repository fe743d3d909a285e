import { sql } from '../../kernel/act.ts';

export const lockInstance = sql(
  'app-instance-lock',
  'select state, version from app_instances where id = $1 and mine(organization_id) for update',
);
/** A launch of another version is one that is tried out until it has been ready. Failure and phase belong to the state that they are written with; the container stays until another one is ordered. */
export const moveInstance = sql(
  'app-instance-move',
  `update app_instances set state = $2, version = $3,
     workload_id = coalesce($4, workload_id), attempts = coalesce($5, attempts), phase = $6,
     failure_code = $7, failure_reason = $8, end_reason = case when $2 = 'launching' then null else coalesce($9, end_reason) end,
     asked_at = case when $10 then act_time() else asked_at end, moved_at = act_time(), probed_at = act_time(),
     version_change = case when $2 = 'running' then null when $2 = 'launching' and version_change = 'upgrading' then 'trying'
       when $2 = 'launching' and version_change = 'returning' then null else version_change end,
     ready_at = case when $2 = 'running' then act_time() when $2 = 'launching' then null else ready_at end,
     ended_at = case when $2 = 'released' then act_time() end
   where id = $1 and mine(organization_id)`,
);
