import {
  type Workflow,
  type WorkflowDetail,
  workflowCancel,
  workflowGet,
  workflowList,
  workflowRetry,
} from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { defaultPageSize } from '../../kernel/page.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { redactText } from '../../kernel/telemetry/redact.ts';
import type { ListedRun, OrderKind, RunInDetail, SagaRuns } from '../../ports/sagas/port.ts';

/** Workflows: the runs of sagas, for operators to look after. The engine owns them, and decides what can be done with one. */
interface Parts {
  readonly db: Database;
  /** Undefined where this process does not know the engine. */
  readonly runs: SagaRuns | undefined;
  readonly log: Log;
}
const on = handlers<Parts>();

const show = (run: ListedRun): Workflow => ({
  workflow: run.saga,
  version: run.version,
  run_id: run.id,
  state: run.state,
  step: run.step ?? null,
  // What a step says when it fails may quote what it was given.
  reason: run.reason === undefined ? null : redactText(run.reason),
  correlation_id: run.correlationId ?? null,
  organization_id: run.organizationId ?? null,
  began_at: run.beganAt.toISOString(),
  ended_at: run.endedAt?.toISOString() ?? null,
});

const showDetail = (run: RunInDetail): WorkflowDetail => ({
  ...show(run),
  plan: run.plan.steps.map(({ name, kind, undoes, attempts }) => ({ name, kind, undoes, attempts })),
  attempts: run.attempts.map(({ step, work, end, reason, beganAt, endedAt }) => ({
    ...{ name: step, work, end },
    reason: reason === undefined ? null : redactText(reason),
    began_at: beganAt.toISOString(),
    ended_at: endedAt.toISOString(),
  })),
  doing: run.standing?.doing ?? null,
  until: run.standing?.untilMs === undefined ? null : new Date(run.standing.untilMs).toISOString(),
  undoing: run.standing?.isUndoing ?? false,
  orders: run.orders.map(({ kind, by, reason, at }) => ({ action: kind, by, reason, at: at.toISOString() })),
  actions: (['retry', 'cancel'] as const).map((action) => {
    const reason = run.whyNot[action];
    return { action, allowed: reason === undefined, why_not: reason ?? null };
  }),
});

/** An engine that is away is no fault of ours, and says nothing about what it runs. */
async function ask<T>({ runs, log }: Parts, question: (runs: SagaRuns) => Promise<T>) {
  if (!runs) return new Fault('service_unavailable', 'This installation does not say where its sagas run.');
  try {
    return await question(runs);
  } catch (error) {
    log.warn({ err: error }, 'the engine of the sagas could not be asked');
    return new Fault('service_unavailable', 'The engine of the sagas does not answer. Try again in a moment.');
  }
}

const list = on(workflowList, async (parts, _who, { query }) => {
  const found = await ask(parts, (runs) =>
    runs.list({
      saga: query.workflow,
      id: query.run_id,
      state: query.state,
      before: query.before === undefined ? undefined : new Date(query.before),
      limit: query.limit ?? defaultPageSize,
    }),
  );
  return found instanceof Fault ? found : { data: found.map(show) };
});

const absent = () => new Fault('workflow_not_found', 'There is no such run, or it is older than what is kept.');

const get = on(workflowGet, async (parts, _who, { params }) => {
  const run = await ask(parts, (runs) => runs.find(params.workflow, params.run_id));
  if (run instanceof Fault) return run;
  return run ? showDetail(run) : absent();
});

/**
 * The engine gets the order first, and keeps it with its reason and whose it is. Should the audit entry fail then, the
 * caller asks again, and the same order twice is one.
 */
async function carry(
  parts: Parts,
  act: Act,
  kind: OrderKind,
  { params, body }: { readonly params: { workflow: string; run_id: string }; readonly body: { reason: string } },
) {
  const { workflow: saga, run_id: id } = params;
  const order = { by: act.actorId, reason: body.reason };
  const outcome = await ask(parts, async (runs) => ({
    ordered: await runs[kind](saga, id, order),
    run: await runs.find(saga, id),
  }));
  if (outcome instanceof Fault) return outcome;
  const { ordered, run } = outcome;
  if (ordered === undefined || !run) return absent();
  if (ordered !== 'accepted') return new Fault('illegal_transition', ordered.refused);
  return parts.db.write(act, async (tx) =>
    tx.commit(showDetail(run), {
      target: { type: 'workflow', id: `${saga}/${id}` },
      change: { step: run.step ?? null, reason: body.reason },
      ...(run.organizationId !== undefined && { organizationId: run.organizationId }),
      events: 'none',
    }),
  );
}
const retry = on(workflowRetry, (parts, act, input) => carry(parts, act, 'retry', input));
const cancel = on(workflowCancel, (parts, act, input) => carry(parts, act, 'cancel', input));

export const workflowRoutes = (parts: Parts): Mounted[] => [list, get, retry, cancel].map((bind) => bind(parts));
