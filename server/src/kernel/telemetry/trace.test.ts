import { SpanStatusCode } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentTraceparent, inSpan, startTracing, traceparentOf } from './trace.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a traceparent', () => {
  it('is taken over when it is well-formed', () => {
    expect(traceparentOf(parent)).toBe(parent);
  });

  it.each([
    undefined,
    '',
    'x',
    parent.toUpperCase(),
    `${parent}-x`,
    parent.replace('00-', '01-'),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
  ])('is begun anew otherwise: %s', (given) => {
    const made = traceparentOf(given);
    expect(made).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(made).not.toBe(given);
    expect(traceparentOf(given)).not.toBe(made);
  });
});

describe('without an endpoint', () => {
  it('nothing is recorded, and work is done all the same', async () => {
    const tracing = startTracing({});
    expect(currentTraceparent()).toBeUndefined();
    expect(await inSpan('work', {}, async (span) => [span, currentTraceparent()])).toEqual([undefined, undefined]);
    await expect(inSpan('work', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await tracing.close();
  });
});

describe('with somebody who records', () => {
  const exporter = new InMemorySpanExporter();
  let tracing: { close(): Promise<void> };
  beforeAll(() => {
    tracing = startTracing({ processors: [new SimpleSpanProcessor(exporter)] });
  });
  afterAll(() => tracing.close());

  it('a span continues the trace of its caller, and what happens inside continues the span', async () => {
    const inner = await inSpan('outer', { parent, attributes: { route: '/x' } }, async (span) => {
      expect(span).toBeDefined();
      await inSpan('inner', {}, async () => undefined);
      return currentTraceparent();
    });
    const spans = exporter.getFinishedSpans();
    const outer = spans.find((span) => span.name === 'outer');
    expect(inner).toBe(`00-0af7651916cd43dd8448eb211c80319c-${outer?.spanContext().spanId}-01`);
    expect(outer?.attributes).toEqual({ route: '/x' });
    expect(outer?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(spans.find((span) => span.name === 'inner')?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
  });

  it('a failure ends the span with the kind of error, not with its words', async () => {
    await expect(inSpan('fails', { parent }, () => Promise.reject(new TypeError('a secret')))).rejects.toThrow();
    await expect(inSpan('fails oddly', { parent }, () => Promise.reject('odd'))).rejects.toBe('odd');
    const statusOf = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name)?.status;
    expect(statusOf('fails')).toEqual({ code: SpanStatusCode.ERROR, message: 'TypeError' });
    expect(statusOf('fails oddly')).toEqual({ code: SpanStatusCode.ERROR, message: 'error' });
  });
});
