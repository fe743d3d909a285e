import { type ReadTx, sql } from '../../kernel/act.ts';

export type Due =
  | 'allocation_ended'
  | 'revoked'
  | 'launch'
  | 'stalled'
  | 'move'
  | 'roll_back'
  | 'idle'
  | 'retry'
  | 'probe'
  | 'end';
/**
 * What has lost its allocation or its trust comes first, then what has been due for the longest. A container of what has failed or was stopped
 * is ended again and again until its host has confirmed that it is gone, and only then is it tried again or another version launched: two would want the same volumes.
 */
const due = sql(
  'app-instances-due',
  `select d.id, d.version, d.due from (
     select i.id, i.version, i.moved_at, i.probed_at, case
       when a.state in ('releasing', 'release_failed', 'released', 'failed') then 'allocation_ended'
       when i.state in ('launching', 'running') and t.state = 'revoked' and t.revocation_effect = 'stop' then 'revoked'
       when i.state = 'requested' and a.state = 'active' then 'launch'
       when i.state = 'launching' and i.moved_at + (case when i.phase = 'starting'
           then greatest($2, coalesce((v.manifest #>> '{lifecycle,start_timeout_seconds}')::int, 0)) else $2 end) * interval '1 second' <= $1
         then 'stalled'
       when i.version_change in ('upgrading', 'returning') and i.state in ('stopped', 'failed')
         and i.workload_id is not distinct from i.gone_workload_id then 'move'
       when i.version_change = 'trying' and i.state = 'failed' and i.workload_id = i.gone_workload_id then 'roll_back'
       when i.state = 'failed' and i.ready_at is null and i.workload_id is not null
         and i.asked_at + $3 * interval '1 second' > $1 and i.moved_at + $5 * interval '1 second' <= $1
         and i.failure_code = any ($6) and i.workload_id = i.gone_workload_id then 'retry'
       when i.state = 'running' and i.ready_at + (v.manifest #>> '{lifecycle,idle_stop_minutes}')::int * interval '1 minute' <= $1
         and exists (select from app_routes r where r.app_instance_id = i.id and r.retired_at is null and mine(r.organization_id))
         and not exists (select from app_use u where u.organization_id = i.organization_id and u.project_id = i.project_id
           and u.app_instance_id = i.id and mine(u.organization_id) and u.last_at > $1 - $8 * interval '1 second'
             - (v.manifest #>> '{lifecycle,idle_stop_minutes}')::int * interval '1 minute') then 'idle'
       when i.state in ('launching', 'running') and i.probed_at + $4 * interval '1 second' <= $1 then 'probe'
       when i.state in ('stopping', 'releasing') and i.probed_at + $4 * interval '1 second' <= $1 then 'end'
       when i.state in ('failed', 'stopped') and i.workload_id is not null and i.workload_id is distinct from i.gone_workload_id
         and i.probed_at + $4 * interval '1 second' <= $1 then 'end'
     end as due
     from app_instances i
       join allocations a on a.id = i.allocation_id and mine(a.organization_id)
       join app_versions v on v.id = i.app_version_id and mine(v.organization_id)
       join app_version_trust t on t.id = v.id and mine(t.organization_id)
     where i.state <> 'released' and mine(i.organization_id)
   ) d where d.due is not null
   order by d.due not in ('allocation_ended', 'revoked'),
     case when d.due in ('probe', 'end') then d.probed_at + $4 * interval '1 second'
       when d.due = 'stalled' then d.moved_at + $2 * interval '1 second'
       when d.due = 'retry' then d.moved_at + $5 * interval '1 second' else d.moved_at end, d.id
   limit $7`,
);
const counts = sql(
  'app-instance-counts',
  `select state, count(*)::int as instances, coalesce(max(extract(epoch from $1 - moved_at)), 0)::float8 as oldest
   from app_instances where state <> 'released' and mine(organization_id) group by state`,
);
export const listDue = (
  tx: ReadTx,
  of: {
    readonly now: Date;
    readonly stallSeconds: number;
    readonly recoverySeconds: number;
    readonly probeSeconds: number;
    readonly retrySeconds: number;
    readonly retried: readonly string[];
    readonly limit: number;
    /** What was used within this time may not have been reported yet. */
    readonly useReportedSeconds: number;
  },
) =>
  tx.rows<{ id: string; version: bigint; due: Due }>(due, [
    ...[
      of.now,
      of.stallSeconds,
      of.recoverySeconds,
      of.probeSeconds,
      of.retrySeconds,
      of.retried,
      of.limit,
      of.useReportedSeconds,
    ],
  ]);
export const countInstances = (tx: ReadTx, now: Date) =>
  tx.rows<{ state: string; instances: number; oldest: number }>(counts, [now]);
