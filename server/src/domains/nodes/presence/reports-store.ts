import { sql } from '../../../kernel/act.ts';
import type { Unaudited } from '../../../ports/database/port.ts';

/** What nodes last said. That is no act either: it leaves no audit row, and the words of many nodes are one statement. */
export interface NodeReports {
  /** Keeps the newest word of each node and answers the state of each that is known. */
  record(reports: readonly NodeReport[]): Promise<Map<string, string>>;
}
export interface NodeReport {
  readonly nodeId: string;
  readonly reportedAt: Date;
  readonly bootId: string;
  readonly agentVersion: string;
  readonly clockSkewMs: number;
  readonly conditions: readonly object[];
  readonly leases: readonly object[];
  readonly runningTasks: readonly string[];
  readonly gpuUtilization: readonly number[] | undefined;
}

/** Nodes that are unknown are left out: their last word would have nowhere to lie. */
const record = sql(
  'node-reports-record',
  `with said as (
     select * from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::bigint[], $6::jsonb[], $7::jsonb[],
       $8::jsonb[], $9::text[])
       as s (node_id, reported_at, boot_id, agent_version, clock_skew_ms, conditions, leases, running_tasks, gpu)
   ), known as (select n.id, n.state from nodes n join said s on s.node_id = n.id where n.state <> 'deleted'
   ), written as (
     insert into node_reports as r (node_id, reported_at, boot_id, agent_version, clock_skew_ms, conditions, leases,
       running_tasks, gpu_utilization)
     select s.node_id, s.reported_at, s.boot_id, s.agent_version, s.clock_skew_ms, s.conditions, s.leases,
       s.running_tasks, s.gpu::integer[]
     from said s join known k on k.id = s.node_id
     order by s.node_id
     on conflict (node_id) do update set reported_at = excluded.reported_at, boot_id = excluded.boot_id,
       agent_version = excluded.agent_version, clock_skew_ms = excluded.clock_skew_ms,
       conditions = excluded.conditions, leases = excluded.leases, running_tasks = excluded.running_tasks,
       gpu_utilization = excluded.gpu_utilization
     where r.reported_at <= excluded.reported_at
   )
   select id, state from known`,
);

export const makeNodeReports = (unaudited: Unaudited): NodeReports => ({
  async record(reports) {
    const column = (of: (report: (typeof reports)[number]) => unknown) => reports.map(of);
    const values = [
      column(({ nodeId }) => nodeId),
      column(({ reportedAt }) => reportedAt),
      column(({ bootId }) => bootId),
      column(({ agentVersion }) => agentVersion),
      column(({ clockSkewMs }) => clockSkewMs),
      column(({ conditions }) => JSON.stringify(conditions)),
      column(({ leases }) => JSON.stringify(leases)),
      column(({ runningTasks }) => JSON.stringify(runningTasks)),
      column(({ gpuUtilization }) => (gpuUtilization ? `{${gpuUtilization.join(',')}}` : null)),
    ];
    const known = await unaudited.rows<{ id: string; state: string }>(record, values);
    return new Map(known.map(({ id, state }) => [id, state]));
  },
});
