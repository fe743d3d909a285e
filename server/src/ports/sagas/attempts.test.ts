import { context, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { defineSaga, Halt, type Saga } from '../../kernel/saga.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { type Attempt, laneName, makeAttempts } from './attempts.ts';
import { planOf } from './plan.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeAll(() => {
  trace.setGlobalTracerProvider(provider);
});
afterAll(async () => {
  await provider.shutdown();
  trace.disable();
  context.disable();
});

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const never = new AbortController().signal;
function setUp(saga: Saga<object>) {
  const clock = makeTestClock();
  const sagas = new Map([[laneName(saga), saga]]);
  const plan = planOf(saga);
  const [step] = plan.steps;
  if (!step) throw new Error('a saga without steps');
  const origin = { correlationId: 'c-1', traceparent, organizationId: undefined, projectId: undefined };
  const beginning = { plan, id: 'run-1', params: {}, origin, secret: 'x' };
  const attempt: Attempt = { beginning, work: 'do', step, done: {} };
  return { clock, attempt, run: makeAttempts({ sagas, clock, ids: systemIds, log: silentLog }) };
}
const nothing = { none: 'it is a test' };

describe('an attempt', () => {
  it('is a span below the request that began the run', async () => {
    exporter.reset();
    const { run, attempt } = setUp(
      defineSaga<object>('s', 1).step('a', { do: async () => new Halt('no'), undo: nothing }),
    );
    expect(await run(attempt, never)).toEqual({ end: 'halt', reason: 'no' });
    const [span] = exporter.getFinishedSpans();
    expect(span?.attributes).toEqual({
      'gpuaas.saga': 's',
      'gpuaas.step': 'a',
      'gpuaas.run': 'run-1',
      correlation_id: 'c-1',
    });
    expect(span?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(span?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(span?.status.message).toBe('no');
  });

  it('is over when its time is, and tells the step', async () => {
    let told = false;
    const saga = defineSaga<object>('s', 1).step('a', {
      do: ({ signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            told = true;
          });
        }),
      undo: nothing,
      attemptMs: 5_000,
    });
    const { run, attempt, clock } = setUp(saga);
    const tried = run(attempt, never);
    await clock.advance(4_999);
    expect(told).toBe(false);
    await clock.advance(1);
    expect(await tried).toEqual({ end: 'failed', reason: 'took longer than 5000 ms' });
    expect(told).toBe(true);
  });

  it('asks nothing when there is no point in asking', async () => {
    const { run, attempt } = setUp(
      defineSaga<object>('s', 1).wait('a', {
        ask: async () => new Halt('too late'),
        answer: Type.Null(),
        timeoutMs: 1,
        undo: nothing,
      }),
    );
    expect(await run({ ...attempt, work: 'ask' }, never)).toEqual({ end: 'halt', reason: 'too late' });
  });

  it('fails when this process does not know the step', async () => {
    const { run, attempt } = setUp(defineSaga<object>('s', 1).step('a', { do: async () => 1, undo: nothing }));
    const other = { ...attempt, step: { ...attempt.step, name: 'b' } };
    expect(await run(other, never)).toEqual({ end: 'failed', reason: 's v1 has no step b here' });
  });
});
