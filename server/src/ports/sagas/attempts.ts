import { type Context, context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { makeAct, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import { bodyOf, Halt, type Saga, type StepContext } from '../../kernel/saga.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Ending, Plan, PlannedStep, Results, Tried, Work } from './interpreter.ts';
import { asJson } from './json.ts';
import type { Origin, Run } from './port.ts';
import { makeToken } from './token.ts';

/** Everything a run begins with; written down by the engine once and never changed. */
export interface Beginning {
  readonly plan: Plan;
  readonly id: string;
  readonly params: object;
  readonly origin: Origin;
  /** Seals the tokens of this run's waits. */
  readonly secret: string;
}
export interface Attempt {
  readonly beginning: Beginning;
  readonly work: Work;
  readonly step: PlannedStep;
  readonly done: Results;
  /** Only of an undo: a person called the run off. */
  readonly calledOff?: boolean;
}
export type SagaLog = Pick<Log, 'info' | 'warn' | 'error'>;

/** A saga's runs share one name space whatever the version, so that an id means one run. */
export const runName = (saga: string, id: string): string => `${saga}/${id}`;
/** Who serves a version of a saga listens here, and nobody else gets its work. */
export const laneName = (saga: { readonly name: string; readonly version: number }): string =>
  `${saga.name}/v${saga.version}`;
/** How a run ended, as readers see it. Absent fields do not survive as JSON, so they are named again. */
export const runOf = (id: string, { state, step, reason }: Ending): Run => ({ id, state, step, reason });

const tracer = trace.getTracer('gpuaas');
const propagator = new W3CTraceContextPropagator();

/**
 * Runs single attempts of steps: the part of a saga that meets the world. Each attempt has its own act, span and
 * deadline, and its result is checked to be something that can be written down.
 */
export function makeAttempts(parts: {
  readonly sagas: ReadonlyMap<string, Saga<never>>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: SagaLog;
}) {
  return async (attempt: Attempt, closing: AbortSignal): Promise<Tried> => {
    const { plan, id, origin } = attempt.beginning;
    const names = {
      'gpuaas.saga': plan.saga,
      'gpuaas.step': attempt.step.name,
      'gpuaas.run': id,
      correlation_id: origin.correlationId,
    };
    const parent = parentOf(origin);
    const title = `saga ${plan.saga} ${attempt.work} ${attempt.step.name}`;
    const span = tracer.startSpan(title, { attributes: names }, parent);
    const tried = await context.with(trace.setSpan(parent, span), () => tryOnce(parts, attempt, closing));
    if (tried.end !== 'ok') {
      span.setStatus({ code: SpanStatusCode.ERROR, message: tried.reason });
      parts.log.warn({ ...names, end: tried.end, reason: tried.reason }, `${title} did not succeed`);
    }
    span.end();
    return tried;
  };
}
export type RunAttempt = ReturnType<typeof makeAttempts>;

async function tryOnce(
  parts: Parameters<typeof makeAttempts>[0],
  { beginning, work, step, done, calledOff = false }: Attempt,
  closing: AbortSignal,
): Promise<Tried> {
  const { plan, id, origin, params } = beginning;
  const saga = parts.sagas.get(laneName({ name: plan.saga, version: plan.version }));
  const entry = saga?.steps.find((candidate) => candidate.name === step.name);
  if (!saga || !entry) return { end: 'failed', reason: `${plan.saga} v${plan.version} has no step ${step.name} here` };

  const deadline = new AbortController();
  const signal = AbortSignal.any([deadline.signal, closing]);
  const viewer = systemViewer(`saga:${plan.saga}`, origin);
  const act = makeAct(viewer, `saga.${plan.saga}.${step.name}`, parts.ids.next());
  // What was written down when the run began has the types that the saga was defined with.
  const given = { act, params, done, signal, calledOff } as unknown as StepContext<never, unknown>;
  const body = bodyOf(entry);

  const place = `${plan.saga}.${step.name}`;
  const perform = async (): Promise<Tried> => {
    await failpoint('saga.before-step', place);
    const tried = await performStep();
    await failpoint('saga.after-step', place);
    return tried;
  };
  const performStep = async (): Promise<Tried> => {
    if (work === 'undo') {
      if (typeof body.undo === 'function') await body.undo(given, done[step.name]);
      return { end: 'ok', out: null };
    }
    if (entry.kind === 'wait') {
      const asked = await entry.wait.ask(given, makeToken(beginning.secret, runName(plan.saga, id), step.name));
      return asked instanceof Halt ? { end: 'halt', reason: asked.reason } : { end: 'ok', out: null };
    }
    if (entry.kind === 'failure') return { end: 'ok', out: null };
    const out: unknown = await entry.step.do(given);
    if (out instanceof Halt) return { end: 'halt', reason: out.reason };
    try {
      return { end: 'ok', out: asJson(out, `the result of ${step.name}`) ?? null };
    } catch (error) {
      return { end: 'halt', reason: messageOf(error) };
    }
  };
  const overdue = parts.clock.sleep(step.attemptMs, deadline.signal).then(
    (): Tried => ({ end: 'failed', reason: `took longer than ${step.attemptMs} ms` }),
    (): Tried => ({ end: 'failed', reason: 'was called off' }),
  );
  try {
    return await Promise.race([perform(), overdue]);
  } catch (error) {
    return { end: 'failed', reason: messageOf(error) };
  } finally {
    deadline.abort(new Error(`the time of ${step.name} is up`));
  }
}

const parentOf = (origin: Origin): Context =>
  origin.traceparent === undefined
    ? ROOT_CONTEXT
    : propagator.extract(
        ROOT_CONTEXT,
        { traceparent: origin.traceparent },
        {
          get: (carrier: { traceparent: string }, key) => (key === 'traceparent' ? carrier.traceparent : undefined),
          keys: () => ['traceparent'],
        },
      );

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
