import { type Workflow, workflowGet, workflowList } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/log.ts';
import { defaultPageSize } from '../../kernel/page.ts';
import { redactText } from '../../kernel/redact.ts';
import type { ListedRun, SagaRuns } from '../../ports/sagas/port.ts';

/** Workflows: the runs of sagas, for operators to look at. The engine owns them; nothing is changed here. */
interface Parts {
  /** Undefined where this process does not know the engine. */
  readonly runs: SagaRuns | undefined;
  readonly log: Log;
}
const on = handlers<Parts>();

const show = (run: ListedRun): Workflow => ({
  saga: run.saga,
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

/** An engine that is away is no fault of ours, and says nothing about what it runs. */
async function ask<T>({ runs, log }: Parts, question: (runs: SagaRuns) => Promise<T>) {
  if (!runs) return new Fault('service_unavailable', 'This installation does not say where its sagas run.');
  try {
    return await question(runs);
  } catch (error) {
    log.warn({ err: error }, 'the runs of sagas could not be read');
    return new Fault('service_unavailable', 'The engine of the sagas does not answer. Try again in a moment.');
  }
}

const list = on(workflowList, async (parts, _who, { query }) => {
  const found = await ask(parts, (runs) =>
    runs.list({
      saga: query.saga,
      id: query.run_id,
      state: query.state,
      before: query.before === undefined ? undefined : new Date(query.before),
      limit: query.limit ?? defaultPageSize,
    }),
  );
  return found instanceof Fault ? found : { data: found.map(show) };
});

const get = on(workflowGet, async (parts, _who, { params }) => {
  const run = await ask(parts, (runs) => runs.find(params.saga, params.run_id));
  if (run instanceof Fault) return run;
  if (!run) return new Fault('workflow_not_found', 'There is no such run, or it is older than what is kept.');
  return {
    ...show(run),
    plan: run.plan.steps.map(({ name, kind, undoes, attempts }) => ({ name, kind, undoes, attempts })),
    attempts: run.attempts.map(({ step, work, end, reason, beganAt, endedAt }) => ({
      ...{ name: step, work, end },
      reason: reason === undefined ? null : redactText(reason),
      began_at: beganAt.toISOString(),
      ended_at: endedAt.toISOString(),
    })),
  };
});

export const workflowRoutes = (parts: Parts): Mounted[] => [list, get].map((bind) => bind(parts));
