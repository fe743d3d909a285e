import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { StopPhase } from './decide.ts';

/**
 * Active allocations whose machine is not as the balance of their organization wants it, a page behind `$1`. A machine that did not
 * start after all tries stays stopped with the failure `start_failed`, and is not due.
 */
const dueSql = sql(
  'allocation-stops-due',
  `select d.id from (
     select a.id from account_ladders l join allocations a on a.organization_id = l.organization_id and mine(a.organization_id)
     where l.stopped_at is not null and mine(l.organization_id) and a.state = 'active'
       and (a.stop_phase is distinct from 'stopped' or a.failure_code is not distinct from 'start_failed')
     union
     select a.id from allocations a join account_ladders l on l.organization_id = a.organization_id and mine(l.organization_id)
     where a.stop_phase is not null and a.state = 'active' and mine(a.organization_id)
       and (a.stop_phase <> 'stopped' or (l.stopped_at is null and not (a.failure_code is not distinct from 'start_failed')))
   ) d where $1::uuid is null or d.id > $1 order by d.id limit $2`,
);
/**
 * What is decided by, once the allocation is held. A start that no node fetched has not failed: it never began. One that was fetched
 * and not answered in time has.
 */
const standingSql = sql(
  'allocation-stop-standing',
  `select a.stop_phase, l.stopped_at is not null as to_stop, act_time() as now, t.task_type, t.state as task_state, t.ended_at as task_ended_at,
     case when a.failure_code is not distinct from 'start_failed' then a.failure_reason end as gave_up,
     (select count(*)::int from node_tasks k
       where k.allocation_id = a.id and k.generation = a.generation and mine(k.organization_id) and k.task_type = 'allocation.start'
         and (k.state = 'failed' or (k.state in ('expired', 'cancelled') and k.dispatched_at is not null))
         and not exists (select from node_tasks s
           where s.allocation_id = a.id and s.generation = a.generation and mine(s.organization_id) and s.id > k.id
             and (s.task_type = 'allocation.stop' or (s.task_type = 'allocation.start' and s.state = 'succeeded')))) as failed_starts
   from allocations a join account_ladders l on l.organization_id = a.organization_id and mine(l.organization_id)
     left join lateral (select k.task_type, k.state, coalesce(k.finished_at, k.created_at) as ended_at from node_tasks k
       where k.allocation_id = a.id and k.generation = a.generation and mine(k.organization_id)
         and k.task_type in ('allocation.stop', 'allocation.start') order by k.id desc limit 1) t on true
   where a.id = $1 and mine(a.organization_id)`,
);
/** With a reason ($3) it stays stopped for that; the time since which it does not start goes on. */
const setSql = sql(
  'allocation-stop-set',
  `update allocations a set version = a.version + 1, updated_at = act_time(), stop_phase = $2::text,
     stop_since = case when $2::text is null then null when $3::text is null then act_time() else a.stop_since end,
     failure_code = case when $3::text is not null then 'start_failed' when a.failure_code is not distinct from 'start_failed' then null else a.failure_code end,
     failure_reason = case when $3::text is not null then $3 when a.failure_code is not distinct from 'start_failed' then null else a.failure_reason end,
     idle_since = null, idle_warned_at = null
   where a.id = $1 and a.state = 'active' and mine(a.organization_id)`,
);
/** A machine that was given up has not started, for the one who is to mend it. */
const countSql = sql(
  'allocation-stops-count',
  `select p.phase, count(*) filter (where a.stop_phase = p.phase)::int as machines,
     coalesce(max(extract(epoch from act_time() - a.stop_since)), 0)::float8 as oldest_seconds
   from allocations a join unnest('{stopping,stopped,starting}'::text[]) p (phase)
     on p.phase = a.stop_phase or (p.phase = 'starting' and a.failure_code is not distinct from 'start_failed')
   where a.stop_phase is not null and a.state = 'active' and mine(a.organization_id) group by p.phase`,
);

export interface StopRow {
  readonly stop_phase: StopPhase | null;
  readonly to_stop: boolean;
  readonly now: Date;
  readonly task_type: 'allocation.stop' | 'allocation.start' | null;
  readonly task_state: string | null;
  readonly task_ended_at: Date | null;
  readonly failed_starts: number;
  /** Why it stays stopped although it is to run. */
  readonly gave_up: string | null;
}
export const listStopsDue = (tx: ReadTx, after: string | undefined, limit: number) =>
  tx.rows<{ id: string }>(dueSql, [after ?? null, limit]);
export const findStop = async (tx: ReadTx, id: string): Promise<StopRow | undefined> =>
  (await tx.rows<StopRow>(standingSql, [id]))[0];
export const setStopPhase = (tx: WriteTx, id: string, phase: StopPhase | null, gaveUpFor: string | null) =>
  tx.run(setSql, [id, phase, gaveUpFor]);
export const countStops = (tx: ReadTx) =>
  tx.rows<{ phase: StopPhase | null; machines: number; oldest_seconds: number }>(countSql);
