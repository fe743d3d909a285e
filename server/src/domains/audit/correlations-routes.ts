import { adminCorrelationGet, type Correlation, type CorrelationMoment, correlationGet } from '@gpuaas/contract';
import { type Database, handlers, type ReadTx } from '../../kernel/act.ts';
import { actsSql, deadSql, eventsSql, tasksSql, timelineSql } from './correlations-store.ts';
import { momentsShown } from './facts.ts';

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
