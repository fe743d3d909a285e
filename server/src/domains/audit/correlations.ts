import { adminCorrelationGet, type Correlation, type CorrelationMoment, correlationGet } from '@gpuaas/contract';
import { type Database, handlers, type ReadTx, sql } from '../../kernel/act.ts';
import { momentsShown } from './facts.ts';

/**
 * Everything that one request led to. Every act carries the correlation id of the request that began it, through events
 * and sagas down to the tasks of a node; the audit log is where all of them are found by it. What else was written by
 * those acts hangs on their rows: events by the transaction that they were written in, tasks and timelines by the
 * allocation that was acted on. So nothing but the audit log needs an index by correlation, and none is kept for this.
 */
const actsSql = sql(
  'correlation-acts',
  `select l.id, l.organization_id, l.project_id, l.actor_id, l.actor_kind, l.action, l.target_type, l.target_id, l.result,
     audit_change(l.id, l.change) as change, l.created_at
   from audit_logs l
   where l.correlation_id = $1 and (l.organization_id is null or mine(l.organization_id))
     and ($2::uuid is null or l.project_id = $2 or (l.target_type = 'project' and l.target_id = $2::uuid::text))
   order by l.id limit $3`,
);
const eventsSql = sql(
  'correlation-events',
  `with acts as materialized (
     select distinct transaction_id from audit_logs
     where correlation_id = $1 and (organization_id is null or mine(organization_id))
   )
   select e.event_id, e.subject, e.key, e.organization_id, e.envelope, e.created_at
   from acts s cross join lateral (
     select o.* from outbox_events o
     where o.transaction_id = s.transaction_id and (o.organization_id is null or mine(o.organization_id))
       and o.envelope ->> 'correlation_id' = $1
       and ($2::uuid is null or o.envelope ->> 'project_id' = $2::uuid::text)
     order by o.position limit $3
   ) e
   order by e.position limit $3`,
);
const tasksSql = sql(
  'correlation-tasks',
  `with acts as materialized (
     select distinct case when target_type = 'allocation' and target_id ~ '^[0-9a-f-]{36}$' then target_id::uuid end
         as allocation_id,
       case when change ->> 'task_id' ~ '^[0-9a-f-]{36}$' then (change ->> 'task_id')::uuid end as task_id
     from audit_logs where correlation_id = $1 and (organization_id is null or mine(organization_id))
   ), found as materialized (
     select o.id from acts s cross join lateral (
       select k.id from node_tasks k
       where k.allocation_id = s.allocation_id and k.correlation_id = $1 and mine(k.organization_id)
       order by k.id limit $3
     ) o
     union select s.task_id from acts s where s.task_id is not null
   )
   select t.id, t.task_type, t.state, t.failure_code, t.node_id, n.name as node_name, t.allocation_id,
     t.organization_id, a.project_id, t.issued_at, t.dispatched_at, t.finished_at
   from found f join node_tasks t on t.id = f.id join nodes n on n.id = t.node_id
   left join allocations a on a.id = t.allocation_id and a.organization_id = t.organization_id and mine(a.organization_id)
   where t.correlation_id = $1 and (t.organization_id is null or mine(t.organization_id))
     and ($2::uuid is null or a.project_id = $2)
   order by t.id limit $3`,
);
const timelineSql = sql(
  'correlation-timeline',
  `with acts as materialized (
     select distinct target_id as allocation_id from audit_logs
     where correlation_id = $1 and (organization_id is null or mine(organization_id))
       and target_type = 'allocation' and target_id ~ '^[0-9a-f-]{36}$'
   )
   select t.allocation_id, t.organization_id, a.project_id, t.at, t.kind, t.name, t.from_state, t.to_state, t.detail
   from acts s cross join lateral (
     select l.* from allocation_timeline l
     where l.allocation_id = s.allocation_id::uuid and l.correlation_id = $1 and mine(l.organization_id)
     order by l.id limit $3
   ) t
     join allocations a on a.id = t.allocation_id and a.organization_id = t.organization_id and mine(a.organization_id)
   where $2::uuid is null or a.project_id = $2
   order by t.id limit $3`,
);
/** Few at any time; many of them would be a problem of their own. */
const deadSql = sql(
  'correlation-dead-letters',
  `select seq::text as seq, event_id, consumer, organization_id, envelope, attempts, reason, state, created_at
   from dead_letters
   where envelope ->> 'correlation_id' = $1 and (organization_id is null or mine(organization_id))
   order by dead_letters.seq limit $2`,
);

interface Whose {
  readonly organization_id: string | null;
  readonly project_id: string | null;
}
interface ActRow extends Whose {
  readonly id: string;
  readonly actor_id: string;
  readonly actor_kind: string;
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly result: string;
  readonly change: object;
  readonly created_at: Date;
}
interface EnvelopeLike {
  readonly event_type: string;
  readonly project_id?: string;
  readonly payload?: object;
}
interface EventRow {
  readonly event_id: string;
  readonly subject: string;
  readonly key: string;
  readonly organization_id: string | null;
  readonly envelope: EnvelopeLike;
  readonly created_at: Date;
}
interface TaskRow extends Whose {
  readonly id: string;
  readonly task_type: string;
  readonly state: string;
  readonly failure_code: string | null;
  readonly node_id: string;
  readonly node_name: string;
  readonly allocation_id: string | null;
  readonly issued_at: Date;
  readonly dispatched_at: Date | null;
  readonly finished_at: Date | null;
}
interface StepRow extends Whose {
  readonly allocation_id: string;
  readonly at: Date;
  readonly kind: string;
  readonly name: string;
  readonly from_state: string | null;
  readonly to_state: string | null;
  readonly detail: object;
}
interface DeadRow {
  readonly seq: string;
  readonly event_id: string;
  readonly consumer: string | null;
  readonly organization_id: string | null;
  readonly envelope: EnvelopeLike;
  readonly attempts: number;
  readonly reason: string;
  readonly state: string;
  readonly created_at: Date;
}

const ofAct = (row: ActRow): CorrelationMoment => ({
  at: row.created_at.toISOString(),
  source: 'audit',
  name: row.action,
  state: row.result,
  actor: `${row.actor_kind} ${row.actor_id}`,
  subject_type: row.target_type,
  subject_id: row.target_id,
  organization_id: row.organization_id,
  project_id: row.project_id,
  took_ms: null,
  detail: row.change,
});
const ofEvent = (row: EventRow): CorrelationMoment => ({
  at: row.created_at.toISOString(),
  source: 'event',
  name: row.subject,
  state: null,
  actor: null,
  subject_type: 'event',
  subject_id: row.event_id,
  organization_id: row.organization_id,
  project_id: row.envelope.project_id ?? null,
  took_ms: null,
  detail: row.envelope.payload ?? {},
});
const ofStep = (row: StepRow): CorrelationMoment => ({
  at: row.at.toISOString(),
  source: 'allocation',
  name: row.kind === 'transition' ? `${row.from_state ?? 'nothing'} to ${row.to_state}` : `${row.kind} ${row.name}`,
  state: row.to_state,
  actor: null,
  subject_type: 'allocation',
  subject_id: row.allocation_id,
  organization_id: row.organization_id,
  project_id: row.project_id,
  took_ms: null,
  detail: row.detail,
});
const ofDead = (row: DeadRow): CorrelationMoment => ({
  at: row.created_at.toISOString(),
  source: 'dead_letter',
  name: row.envelope.event_type,
  state: row.state,
  actor: row.consumer,
  subject_type: 'dead_letter',
  subject_id: row.seq,
  organization_id: row.organization_id,
  project_id: row.envelope.project_id ?? null,
  took_ms: null,
  detail: { event_id: row.event_id, attempts: row.attempts, reason: row.reason },
});
/** A task is two records: when it was sent, and when it ended. Tenants do not see which host it was. */
function ofTask(row: TaskRow, isOperator: boolean): CorrelationMoment[] {
  const told: CorrelationMoment = {
    at: row.issued_at.toISOString(),
    source: 'task',
    name: row.task_type,
    state: 'given',
    actor: isOperator ? `node ${row.node_name}` : null,
    subject_type: 'node_task',
    subject_id: row.id,
    organization_id: row.organization_id,
    project_id: row.project_id,
    took_ms: null,
    detail: {
      ...(row.allocation_id && { allocation_id: row.allocation_id }),
      ...(isOperator && { node_id: row.node_id }),
    },
  };
  if (!row.finished_at) return [told];
  const done: CorrelationMoment = {
    ...told,
    at: row.finished_at.toISOString(),
    state: row.state,
    took_ms: row.finished_at.getTime() - (row.dispatched_at ?? row.issued_at).getTime(),
    detail: { ...told.detail, ...(row.failure_code && { failure_code: row.failure_code }) },
  };
  return [told, done];
}

async function readCorrelation(tx: ReadTx, id: string, projectId: string | undefined): Promise<Correlation> {
  const isOperator = projectId === undefined;
  const values = [id, projectId ?? null, momentsShown];
  const acts = await tx.rows<ActRow>(actsSql, values);
  const events = await tx.rows<EventRow>(eventsSql, values);
  const tasks = await tx.rows<TaskRow>(tasksSql, values);
  const steps = await tx.rows<StepRow>(timelineSql, values);
  const dead = isOperator ? await tx.rows<DeadRow>(deadSql, [id, momentsShown]) : [];
  const moments = [
    ...acts.map(ofAct),
    ...events.map(ofEvent),
    ...steps.map(ofStep),
    ...tasks.flatMap((task) => ofTask(task, isOperator)),
    ...dead.map(ofDead),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return {
    correlation_id: id,
    began_at: moments[0]?.at ?? null,
    ended_at: moments.at(-1)?.at ?? null,
    moments,
    is_whole: [acts, events, tasks, steps, dead].every((rows) => rows.length < momentsShown),
  };
}

const on = handlers<{ readonly db: Database }>();

export const anywhere = on(adminCorrelationGet, ({ db }, who, { params }) =>
  db.read(who, (tx) => readCorrelation(tx, params.correlation_id, undefined)),
);
/** An id that nobody knows is not a fault: a request that was refused at once led to nothing. */
export const inProject = on(correlationGet, ({ db }, who, { params }) =>
  db.read(who, (tx) => readCorrelation(tx, params.correlation_id, who.projectId)),
);
