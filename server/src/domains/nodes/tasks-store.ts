import type { NodeTask, NodeTaskResult, NodeTaskType } from '@gpuaas/contract/node';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const insertSql = sql(
  'node-task-insert',
  `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, envelope, saga_token,
     correlation_id, issued_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
/** For each of these nodes its oldest task that nobody works on. One statement serves all who were woken together. */
const dispatchSql = sql(
  'node-task-dispatch-move',
  `update node_tasks t set state = 'dispatched', version = t.version + 1, dispatched_at = act_time()
   where mine(t.organization_id) and t.id in (
     select next.id from unnest($1::uuid[]) as n (id) cross join lateral (
       select c.id from node_tasks c left join node_reports r on r.node_id = c.node_id
       where c.node_id = n.id and mine(c.organization_id) and c.expires_at > act_time() and (c.state = 'queued' or (
         c.state = 'dispatched' and c.dispatched_at < $2 and not coalesce(r.running_tasks ? c.id::text, false)))
       order by c.id limit 1 for update of c skip locked) as next)
   returning t.id, t.node_id, t.envelope, t.correlation_id, t.issued_at`,
);
const pendingSql = sql(
  'node-task-pending',
  `select distinct c.node_id from node_tasks c left join node_reports r on r.node_id = c.node_id
   where c.node_id = any ($1::uuid[]) and mine(c.organization_id) and c.expires_at > act_time() and (c.state = 'queued'
     or (c.state = 'dispatched' and c.dispatched_at < $2 and not coalesce(r.running_tasks ? c.id::text, false)))`,
);
const lockSql = sql(
  'node-task-lock',
  `select t.id, t.node_id, t.organization_id, t.allocation_id, t.task_type, t.generation, t.state, t.result,
     t.saga_token, t.correlation_id, t.expires_at, n.result_key, a.generation as lease_generation
   from node_tasks t join nodes n on n.id = t.node_id left join allocations a on a.id = t.allocation_id
   where t.id = $1 and t.node_id = $2 and mine(t.organization_id) for update of t`,
);
const settleSql = sql(
  'node-task-settle-move',
  `update node_tasks set state = $2, version = version + 1, result = $3, failure_code = $4, finished_at = act_time()
   where id = $1 and mine(organization_id)`,
);
const expireSql = sql(
  'node-task-expire-move',
  `update node_tasks set state = 'expired', version = version + 1, finished_at = act_time(), failure_code = 'expired'
   where mine(organization_id) and id in (
     select id from node_tasks where state in ('queued', 'dispatched') and expires_at <= $1 and mine(organization_id)
     order by expires_at limit $2 for update skip locked)
   returning id, node_id, saga_token`,
);
const expiredSql = sql(
  'node-task-expired',
  `select exists (select from node_tasks
     where state in ('queued', 'dispatched') and expires_at <= $1 and mine(organization_id)) as due`,
);
const cancelSql = sql(
  'node-task-cancel-move',
  `update node_tasks set state = 'cancelled', version = version + 1, finished_at = act_time(), failure_code = 'cancelled'
   where allocation_id = $1 and generation <= $2 and state in ('queued', 'dispatched') and mine(organization_id)
   returning id`,
);
const cancelNodeSql = sql(
  'node-task-cancel-node-move',
  `update node_tasks set state = 'cancelled', version = version + 1, finished_at = act_time(), failure_code = 'cancelled'
   where node_id = $1 and state in ('queued', 'dispatched') and mine(organization_id)
   returning id`,
);
const unansweredSql = sql(
  'node-task-unanswered',
  `select id, state, saga_token, result from node_tasks
   where saga_token is not null and saga_answered_at is null and finished_at is not null
     and mine(organization_id)
   order by finished_at limit $1`,
);
const answeredSql = sql(
  'node-task-answered',
  `update node_tasks set saga_answered_at = act_time(), version = version + 1
   where id = any ($1::uuid[]) and saga_answered_at is null and mine(organization_id)`,
);
const backlogSql = sql(
  'node-task-backlog',
  `select count(*) as waiting, coalesce(extract(epoch from $1::timestamptz - min(issued_at)), 0)::float8 as oldest
   from node_tasks where state = 'queued' and mine(organization_id)`,
);

export interface NewTask {
  readonly envelope: NodeTask;
  readonly allocation: { readonly id: string; readonly organizationId: string } | undefined;
  readonly sagaToken: string | undefined;
  readonly correlationId: string;
}
export interface DispatchedRow {
  readonly id: string;
  readonly node_id: string;
  readonly envelope: NodeTask;
  readonly correlation_id: string;
  readonly issued_at: Date;
}
export interface TaskRow {
  readonly id: string;
  readonly node_id: string;
  readonly organization_id: string | null;
  readonly allocation_id: string | null;
  readonly task_type: NodeTaskType;
  readonly generation: bigint;
  readonly state: 'queued' | 'dispatched' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  readonly result: NodeTaskResult | null;
  readonly saga_token: string | null;
  readonly correlation_id: string;
  readonly expires_at: Date;
  readonly result_key: string | null;
  readonly lease_generation: bigint | null;
}
export interface EndedRow {
  readonly id: string;
  readonly state: TaskRow['state'];
  readonly saga_token: string;
  readonly result: NodeTaskResult | null;
}

export const insertTask = (tx: WriteTx, { envelope, allocation, sagaToken, correlationId }: NewTask) =>
  tx.run(insertSql, [
    envelope.task_id,
    envelope.node_id,
    allocation?.organizationId ?? null,
    allocation?.id ?? null,
    envelope.task_type,
    envelope.generation,
    JSON.stringify(envelope),
    sagaToken ?? null,
    correlationId,
    envelope.issued_at,
    envelope.expires_at,
  ]);
/** `abandonedBefore`: what was handed out earlier than this, and is not reported as running, is handed out again. */
export const dispatchTasks = (tx: WriteTx, nodeIds: readonly string[], abandonedBefore: Date) =>
  tx.rows<DispatchedRow>(dispatchSql, [nodeIds, abandonedBefore]);
export const pendingNodes = async (tx: ReadTx, nodeIds: readonly string[], abandonedBefore: Date): Promise<string[]> =>
  (await tx.rows<{ node_id: string }>(pendingSql, [nodeIds, abandonedBefore])).map(({ node_id }) => node_id);
export const lockTask = async (tx: WriteTx, id: string, nodeId: string) =>
  (await tx.rows<TaskRow>(lockSql, [id, nodeId]))[0];
export const settleTask = (
  tx: WriteTx,
  id: string,
  end: { readonly state: 'succeeded' | 'failed'; readonly result: object; readonly failureCode: string | undefined },
) => tx.run(settleSql, [id, end.state, JSON.stringify(end.result), end.failureCode ?? null]);
export const isAnyExpired = async (tx: ReadTx, now: Date): Promise<boolean> =>
  (await tx.rows<{ due: boolean }>(expiredSql, [now]))[0]?.due ?? false;
export const expireTasks = (tx: WriteTx, now: Date, limit: number) =>
  tx.rows<{ id: string; node_id: string; saga_token: string | null }>(expireSql, [now, limit]);
export const cancelTasks = async (tx: WriteTx, allocationId: string, generation: number): Promise<string[]> =>
  (await tx.rows<{ id: string }>(cancelSql, [allocationId, generation])).map(({ id }) => id);
export const cancelNodeTasks = async (tx: WriteTx, nodeId: string): Promise<string[]> =>
  (await tx.rows<{ id: string }>(cancelNodeSql, [nodeId])).map(({ id }) => id);
export const listUnanswered = (tx: ReadTx, limit: number) => tx.rows<EndedRow>(unansweredSql, [limit]);
export const markAnswered = (tx: WriteTx, ids: readonly string[]) => tx.run(answeredSql, [ids]);
export const readBacklog = async (tx: ReadTx, now: Date) => {
  const [row] = await tx.rows<{ waiting: bigint; oldest: number }>(backlogSql, [now]);
  return { waiting: Number(row?.waiting ?? 0), oldestSeconds: row?.oldest ?? 0 };
};
