import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

export interface InstanceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly allocation_id: string;
  readonly app_version_id: string;
  readonly app_reference: string;
  readonly app_version: string;
  readonly requested_by: string;
  readonly name: string;
  readonly state: 'requested' | 'launching' | 'running' | 'stopping' | 'stopped' | 'failed' | 'releasing' | 'released';
  readonly version: bigint;
  readonly owns_allocation: boolean;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly workload_id: string | null;
  readonly gone_workload_id: string | null;
  readonly attempts: number;
  readonly phase: string | null;
  readonly created_at: Date;
  readonly asked_at: Date;
  readonly moved_at: Date;
  readonly probed_at: Date;
  readonly ready_at: Date | null;
  readonly ended_at: Date | null;
  readonly failure_code: string | null;
  readonly failure_reason: string | null;
  readonly end_reason: string | null;
  readonly version_change: 'upgrading' | 'trying' | 'returning' | null;
  readonly previous_version: string | null;
  readonly simulated: boolean;
  readonly routes: readonly RouteRow[];
}
export interface RouteRow {
  readonly id: string;
  readonly endpoint_name: string;
  readonly label: string;
  readonly route_family: 'browser' | 'api';
  readonly client_auth_mode: 'browser_oidc' | 'api_bearer';
  readonly target_port: number;
}
const everything = `select i.id, i.organization_id, i.project_id, i.allocation_id, i.app_version_id, i.app_reference, i.app_version, i.requested_by,
     i.name, i.state, i.version, i.owns_allocation, i.parameters, i.workload_id, i.gone_workload_id, i.attempts, i.phase, i.created_at,
     i.asked_at, i.moved_at, i.probed_at, i.ready_at, i.ended_at, i.failure_code, i.failure_reason, i.end_reason, i.version_change, i.previous_version,
     coalesce(n.simulated, false) as simulated,
     coalesce((select jsonb_agg(jsonb_build_object('id', r.id, 'endpoint_name', r.endpoint_name, 'label', r.label,
         'route_family', r.route_family, 'client_auth_mode', r.client_auth_mode, 'target_port', r.target_port) order by r.endpoint_name)
       from app_routes r where r.app_instance_id = i.id and r.retired_at is null and mine(r.organization_id)), '[]'::jsonb) as routes
   from app_instances i
     join allocations a on a.id = i.allocation_id and mine(a.organization_id)
     left join nodes n on n.id = a.node_id`;
const find = sql(
  'app-instance-find',
  `${everything}
   where i.id = $1 and mine(i.organization_id)`,
);
const list = sql(
  'app-instance-list',
  `${everything}
   where i.organization_id = $1 and i.project_id = $2 and mine(i.organization_id)
     and ($3::text is null or i.state = $3) and ($4::uuid is null or i.allocation_id = $4) and ($5::uuid is null or i.id < $5)
   order by i.id desc limit $6`,
);
const ofVersion = sql(
  'app-instances-of-version',
  `select id, organization_id, project_id from app_instances
   where app_version_id = $1 and state in ('launching', 'running') and mine(organization_id) order by id`,
);
const owner = sql(
  'app-instance-owner',
  'select organization_id, project_id from app_instances where id = $1 and mine(organization_id)',
);
/** Locks the allocation before the instance, as results of tasks do. */
const holdCapacity = sql(
  'app-instance-hold-capacity',
  `select a.id from app_instances i join allocations a on a.id = i.allocation_id and mine(a.organization_id)
   where i.id = $1 and mine(i.organization_id) for share of a`,
);
const hold = sql(
  'app-instance-hold',
  'select id from app_instances where id = $1 and mine(organization_id) for update',
);
const holdAllocation = sql(
  'app-instance-hold-allocation',
  `select a.requested_by, exists (
       select from allocation_access_grants g
       where g.allocation_id = a.id and g.user_id = $4::uuid and g.revoked_at is null and g.expires_at > act_time() and mine(g.organization_id)
     ) as granted
   from allocations a where a.id = $1 and a.organization_id = $2 and a.project_id = $3 and mine(a.organization_id) for update of a`,
);
const countLive = sql(
  'app-instance-count-live',
  `select count(*)::int as instances from app_instances
   where allocation_id = $1 and state <> 'released' and mine(organization_id)`,
);
const insert = sql(
  'app-instance-insert',
  `insert into app_instances (id, organization_id, project_id, allocation_id, app_version_id, app_reference, app_version, requested_by,
     name, owns_allocation, parameters)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
const insertTimeline = sql(
  'app-instance-moment',
  `insert into app_instance_timeline (id, organization_id, app_instance_id, name, from_state, to_state, detail, correlation_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const timeline = sql(
  'app-instance-timeline',
  `select id, at, name, from_state, to_state, detail, correlation_id from app_instance_timeline
   where app_instance_id = $1 and mine(organization_id) and ($2::uuid is null or id > $2) order by id limit $3`,
);
const note = sql(
  'app-instance-note-phase',
  `update app_instances set phase = $2, moved_at = act_time(), version = version + 1
   where id = $1 and workload_id = $3 and state = 'launching' and mine(organization_id)`,
);
const probed = sql(
  'app-instance-probed',
  `update app_instances set probed_at = act_time(), version = version + 1 where id = $1 and mine(organization_id)`,
);
/** The container that its host says is gone; null when one has come back by a launch that was late. */
const gone = sql(
  'app-instance-gone',
  `update app_instances set gone_workload_id = $2, version = version + 1 where id = $1 and mine(organization_id)`,
);
/** Another reason for a failure that stands. */
const otherFailure = sql(
  'app-instance-other-failure',
  `update app_instances set failure_code = $2, failure_reason = $3, version = version + 1
   where id = $1 and state = 'failed' and mine(organization_id)`,
);
/**
 * The instance of a task and the container that the task is about. Of an earlier try, only the launch leads to its instance: a container that
 * comes late has to end.
 */
const ofTask = sql(
  'app-instance-of-task',
  `select i.id, t.envelope -> 'params' ->> 'workload_id' as workload_id from node_tasks t
     join app_instances i on i.allocation_id = t.allocation_id and mine(i.organization_id)
       and (i.workload_id = (t.envelope -> 'params' ->> 'workload_id')::uuid
         or (t.task_type = 'app.oci_launch' and i.id = (t.envelope -> 'params' -> 'labels' ->> 'instance_id')::uuid))
   where t.id = $1 and mine(t.organization_id)`,
);
const lastLogs = sql(
  'app-instance-last-logs',
  `select t.created_at as asked_at, t.state, t.finished_at, t.result -> 'output' as output from node_tasks t
   where t.allocation_id = $1 and t.task_type = 'app.oci_logs' and mine(t.organization_id)
     and t.envelope -> 'params' ->> 'workload_id' = $2
   order by t.id desc limit 20`,
);

export const findInstance = async (tx: ReadTx, id: string): Promise<InstanceRow | undefined> =>
  (await tx.rows<InstanceRow>(find, [id]))[0];
/** The same, and nobody else changes it until this act ends. */
export async function holdInstance(tx: WriteTx, id: string): Promise<InstanceRow | undefined> {
  await tx.rows(holdCapacity, [id]);
  await tx.rows(hold, [id]);
  return findInstance(tx, id);
}
export const listInstances = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly projectId: string },
  q: {
    readonly state: string | undefined;
    readonly allocation: string | undefined;
    readonly before: string | undefined;
    readonly limit: number;
  },
) =>
  tx.rows<InstanceRow>(list, [
    ...[of.organizationId, of.projectId, q.state ?? null, q.allocation ?? null, q.before ?? null, q.limit],
  ]);
/** The instances that have a container of this version, the oldest first. */
export const listRunningVersion = async (tx: ReadTx, versionId: string) =>
  (await tx.rows<{ id: string; organization_id: string; project_id: string }>(ofVersion, [versionId])).map((row) => ({
    ...{ organizationId: row.organization_id, projectId: row.project_id, instanceId: row.id },
  }));
export const findInstanceOwner = async (tx: ReadTx, id: string) =>
  (await tx.rows<{ organization_id: string; project_id: string }>(owner, [id]))[0];
/** An allocation of the project, and whether it is the caller's own or they have a grant for it; it does not change until this act ends. */
export async function holdCapacityOf(
  tx: WriteTx,
  allocationId: string,
  of: { readonly organizationId: string; readonly projectId: string; readonly actorId: string },
): Promise<{ readonly isTheirs: boolean } | undefined> {
  const [row] = await tx.rows<{ requested_by: string; granted: boolean }>(holdAllocation, [
    ...[allocationId, of.organizationId, of.projectId, of.actorId],
  ]);
  return row && { isTheirs: row.requested_by === of.actorId || row.granted };
}
export const countInstances = async (tx: ReadTx, allocationId: string): Promise<number> =>
  (await tx.rows<{ instances: number }>(countLive, [allocationId]))[0]?.instances ?? 0;

export const insertInstance = (
  tx: WriteTx,
  one: Pick<
    InstanceRow,
    | 'id'
    | 'organization_id'
    | 'project_id'
    | 'allocation_id'
    | 'app_version_id'
    | 'app_reference'
    | 'app_version'
    | 'requested_by'
    | 'name'
    | 'owns_allocation'
    | 'parameters'
  >,
) =>
  tx.run(insert, [
    ...[one.id, one.organization_id, one.project_id, one.allocation_id, one.app_version_id, one.app_reference],
    ...[one.app_version, one.requested_by, one.name, one.owns_allocation, JSON.stringify(one.parameters)],
  ]);
export const insertMoment = (
  tx: WriteTx,
  moment: {
    readonly id: string;
    readonly organizationId: string;
    readonly instanceId: string;
    readonly name: string;
    readonly from?: string;
    readonly to?: string;
    readonly detail?: object;
    readonly correlationId: string;
  },
) =>
  tx.run(insertTimeline, [
    ...[moment.id, moment.organizationId, moment.instanceId, moment.name, moment.from ?? null, moment.to ?? null],
    ...[JSON.stringify(moment.detail ?? {}), moment.correlationId],
  ]);
export interface MomentRow {
  readonly id: string;
  readonly at: Date;
  readonly name: string;
  readonly from_state: string | null;
  readonly to_state: string | null;
  readonly detail: object;
  readonly correlation_id: string | null;
}
export const listMoments = (tx: ReadTx, instanceId: string, after: string | undefined, limit: number) =>
  tx.rows<MomentRow>(timeline, [instanceId, after ?? null, limit]);
/** The host has moved on with the launch of this container. */
export const notePhase = (tx: WriteTx, id: string, workloadId: string, phase: string) =>
  tx.run(note, [id, phase, workloadId]);
export const noteProbe = (tx: WriteTx, id: string) => tx.run(probed, [id]);
export const noteGone = (tx: WriteTx, id: string, workloadId: string | null) => tx.run(gone, [id, workloadId]);
export const noteOtherFailure = (
  tx: WriteTx,
  id: string,
  failure: { readonly code: string; readonly reason: string },
) => tx.run(otherFailure, [id, failure.code, failure.reason]);
export const findTaskInstance = async (tx: ReadTx, taskId: string) =>
  (await tx.rows<{ id: string; workload_id: string }>(ofTask, [taskId]))[0];
export interface LogsRow {
  readonly asked_at: Date;
  readonly state: string;
  readonly finished_at: Date | null;
  readonly output: {
    readonly simulated: boolean;
    readonly truncated: boolean;
    readonly lines: readonly {
      readonly at: string | null;
      readonly stream: 'stdout' | 'stderr';
      readonly text: string;
    }[];
  } | null;
}
export const listLogTasks = (tx: ReadTx, allocationId: string, workloadId: string) =>
  tx.rows<LogsRow>(lastLogs, [allocationId, workloadId]);
