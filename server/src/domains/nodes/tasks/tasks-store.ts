import type { NodeTask, NodeTaskResult, NodeTaskType } from '@gpuaas/contract/node';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const insertSql = sql(
  'node-task-insert',
  `insert into node_tasks (id, node_id, organization_id, allocation_id, task_type, generation, envelope, saga_token,
     correlation_id, issued_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
/**
 * For each of these nodes its oldest task that is not being worked on: a queued one, or one that was dispatched before a moment
 * given for that node and is neither reported as running nor known to the node. One statement serves all nodes that were
 * woken together. `limit (select …)` only keeps PostgreSQL from guessing how many they are, and from planning anew.
 */
const dispatchSql = sql(
  'node-task-dispatch-move',
  `update node_tasks t set state = 'dispatched', version = t.version + 1, dispatched_at = act_time()
   where mine(t.organization_id) and t.id in (
     select next.id from (
       select w.id, w.abandoned_before from unnest($1::uuid[], $2::timestamptz[]) as w (id, abandoned_before)
       limit (select $4::int)
     ) n cross join lateral (
       select c.id from node_tasks c left join node_reports r on r.node_id = c.node_id
       where c.node_id = n.id and mine(c.organization_id) and c.state in ('queued', 'dispatched')
         and c.expires_at > act_time() and (c.state = 'queued' or (c.dispatched_at < n.abandoned_before
           and c.id <> all ($3::uuid[]) and not coalesce(r.running_tasks ? c.id::text, false)))
       order by c.id limit 1 for update of c skip locked) as next)
   returning t.id, t.node_id, t.envelope, t.correlation_id, t.issued_at`,
);
const pendingSql = sql(
  'node-task-pending',
  `select distinct c.node_id from (
     select w.id, w.abandoned_before from unnest($1::uuid[], $2::timestamptz[]) as w (id, abandoned_before)
     limit (select $4::int)
   ) n join node_tasks c on c.node_id = n.id left join node_reports r on r.node_id = c.node_id
   where mine(c.organization_id) and c.state in ('queued', 'dispatched') and c.expires_at > act_time()
     and (c.state = 'queued' or (c.dispatched_at < n.abandoned_before
       and c.id <> all ($3::uuid[]) and not coalesce(r.running_tasks ? c.id::text, false)))`,
);
/** The same for all nodes. There are few open tasks, however many nodes there are. */
const pendingAnywhereSql = sql(
  'node-task-pending-anywhere',
  `select distinct c.node_id from node_tasks c left join node_reports r on r.node_id = c.node_id
   where mine(c.organization_id) and c.state in ('queued', 'dispatched') and c.expires_at > act_time()
     and (c.state = 'queued' or (c.dispatched_at < $1 and not coalesce(r.running_tasks ? c.id::text, false)))
   limit $2`,
);
const lockSql = sql(
  'node-task-lock',
  `select t.id, t.node_id, t.organization_id, t.allocation_id, t.task_type, t.generation, t.state, t.result,
     t.saga_token, t.correlation_id, t.expires_at, n.result_key, coalesce(p.generation, a.generation) as lease_generation
   from node_tasks t join nodes n on n.id = t.node_id
     left join allocations a on a.id = t.allocation_id and a.organization_id = t.organization_id
     left join allocation_attempts p on p.allocation_id = t.allocation_id and p.generation = t.generation
       and p.cleaned_at is null and mine(p.organization_id)
   where t.id = $1 and t.node_id = $2 and mine(t.organization_id) for update of t`,
);
const holdAllocationSql = sql(
  'node-task-hold-allocation',
  `select from allocations a where mine(a.organization_id) and a.id = (
     select t.allocation_id from node_tasks t where t.id = $1 and t.node_id = $2 and mine(t.organization_id)
   ) for update of a`,
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
   where allocation_id = $1 and generation = $2 and state in ('queued', 'dispatched') and mine(organization_id)
   returning id`,
);
const takeBackSql = sql(
  'node-task-take-back-move',
  `update node_tasks set state = 'cancelled', version = version + 1, finished_at = act_time(), failure_code = 'cancelled'
   where allocation_id = $1 and generation = $2 and state = 'queued' and mine(organization_id)`,
);
/**
 * The task that a saga queued itself, or the one that it was begun for, or the newest task of its lease that was queued
 * before the saga and may still be answered, or was. From here on the saga gets its answer.
 */
const adoptSql = sql(
  'node-task-adopt',
  `update node_tasks set saga_token = $1, version = version + 1
   where mine(organization_id) and id = (
     select t.id from node_tasks t
     where t.allocation_id = $2 and t.generation = $3 and mine(t.organization_id) and (t.saga_token = $1
       or (t.saga_token is null and t.task_type = any ($4::text[])
         and (t.id = $5 or t.state not in ('expired', 'cancelled'))))
     order by t.saga_token is null, t.id is not distinct from $5 desc, t.id desc limit 1
   ) and (saga_token = $1 or (saga_token is null and (id = $5 or state not in ('expired', 'cancelled'))))
   returning id, organization_id, finished_at is not null as ended`,
);
const handedOutSql = sql(
  'node-task-was-handed-out',
  `select exists (
     select from node_tasks where allocation_id = $1 and generation = $2 and dispatched_at is not null
       and mine(organization_id)
   ) as touched`,
);
const lastSql = sql(
  'node-task-last',
  `select id, finished_at is null as is_open, saga_token is not null as is_adopted,
     state = 'cancelled' and dispatched_at is null as is_void
   from node_tasks where allocation_id = $1 and generation = $2 and task_type = any ($3::text[]) and mine(organization_id)
   order by id desc limit 1`,
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
     and mine(organization_id) and id <> all ($2::uuid[])
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
/** A node that asks for tasks. A task that was dispatched before `abandonedBefore` and is not being worked on is dispatched again. */
export interface Asker {
  readonly nodeId: string;
  readonly abandonedBefore: Date;
  /** Tasks that it says it has. */
  readonly knows: readonly string[];
}
const asColumns = (askers: readonly Asker[]) => [
  askers.map(({ nodeId }) => nodeId),
  askers.map(({ abandonedBefore }) => abandonedBefore),
  askers.flatMap(({ knows }) => knows),
  askers.length,
];
const namesOf = (rows: readonly { readonly node_id: string }[]) => rows.map(({ node_id }) => node_id);
export const dispatchTasks = (tx: WriteTx, askers: readonly Asker[]) =>
  tx.rows<DispatchedRow>(dispatchSql, asColumns(askers));
export const pendingNodes = async (tx: ReadTx, askers: readonly Asker[]): Promise<string[]> =>
  namesOf(await tx.rows<{ node_id: string }>(pendingSql, asColumns(askers)));
export const pendingAnywhere = async (tx: ReadTx, abandonedBefore: Date, limit: number): Promise<string[]> =>
  namesOf(await tx.rows<{ node_id: string }>(pendingAnywhereSql, [abandonedBefore, limit]));
export const lockTask = async (tx: WriteTx, id: string, nodeId: string) =>
  (await tx.rows<TaskRow>(lockSql, [id, nodeId]))[0];
/** Locks the allocation of a task until the end of the transaction. */
export const holdAllocationOf = (tx: WriteTx, id: string, nodeId: string) => tx.rows(holdAllocationSql, [id, nodeId]);
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
/** Whether a node was given a task of this lease. */
export const wasHandedOut = async (tx: ReadTx, allocationId: string, generation: number): Promise<boolean> =>
  (await tx.rows<{ touched: boolean }>(handedOutSql, [allocationId, generation]))[0]?.touched ?? true;
/** Cancels queued tasks, then reads whether any was dispatched: in this order, because the first statement may wait for a dispatch. */
export const takeBackTasks = async (tx: WriteTx, allocationId: string, generation: number): Promise<boolean> => {
  const [, touched] = await Promise.all([
    tx.run(takeBackSql, [allocationId, generation]),
    wasHandedOut(tx, allocationId, generation),
  ]);
  return touched;
};
export const adoptTask = async (
  tx: WriteTx,
  of: {
    readonly sagaToken: string;
    readonly allocationId: string;
    readonly generation: number;
    readonly types: readonly NodeTaskType[];
    readonly taskId: string | undefined;
  },
) =>
  (
    await tx.rows<{ id: string; organization_id: string; ended: boolean }>(adoptSql, [
      ...[of.sagaToken, of.allocationId, of.generation, of.types, of.taskId ?? null],
    ])
  )[0];
/** The newest task of a lease, of these types. */
export interface LastTask {
  readonly id: string;
  readonly isOpen: boolean;
  /** A saga gets, or got, its answer. */
  readonly isAdopted: boolean;
  /** It was cancelled before its node had it. */
  readonly isVoid: boolean;
}
export async function readLastTask(
  tx: ReadTx,
  of: { readonly allocationId: string; readonly generation: number; readonly types: readonly NodeTaskType[] },
): Promise<LastTask | undefined> {
  const [row] = await tx.rows<{ id: string; is_open: boolean; is_adopted: boolean; is_void: boolean }>(lastSql, [
    ...[of.allocationId, of.generation, of.types],
  ]);
  return row && { id: row.id, isOpen: row.is_open, isAdopted: row.is_adopted, isVoid: row.is_void };
}
export const cancelNodeTasks = async (tx: WriteTx, nodeId: string): Promise<string[]> =>
  (await tx.rows<{ id: string }>(cancelNodeSql, [nodeId])).map(({ id }) => id);
/** Without the answers that were delivered and only wait to be marked. */
export const listUnanswered = (tx: ReadTx, limit: number, delivered: readonly string[]) =>
  tx.rows<EndedRow>(unansweredSql, [limit, delivered]);
export const markAnswered = (tx: WriteTx, ids: readonly string[]) => tx.run(answeredSql, [ids]);
export const readBacklog = async (tx: ReadTx, now: Date) => {
  const [row] = await tx.rows<{ waiting: bigint; oldest: number }>(backlogSql, [now]);
  return { waiting: Number(row?.waiting ?? 0), oldestSeconds: row?.oldest ?? 0 };
};
