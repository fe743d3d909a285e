import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from './port.ts';
import { inHandleSpan, startPublishSpan } from './spans.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);

const traceId = '0af7651916cd43dd8448eb211c80319c';
const message: Message = {
  ...{ id: 'id-1', subject: 'billing.low', key: 'k' },
  envelope: {
    event_id: 'id-1',
    event_type: 'billing.low',
    occurred_at: '2026-01-01T00:00:00.000Z',
    version: '1',
    correlation_id: 'correlation-1',
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    organization_id: 'organization-1',
    project_id: 'project-1',
    actor_id: 'user-1',
    payload: { allocation_id: 'allocation-1' },
  },
};
const described = {
  'messaging.system': 'nats',
  'messaging.destination.name': 'billing.low',
  'event.type': 'billing.low',
  correlation_id: 'correlation-1',
  'gpuaas.organization_id': 'organization-1',
  'gpuaas.project_id': 'project-1',
  'gpuaas.user_id': 'user-1',
  'gpuaas.allocation_id': 'allocation-1',
};

describe('spans of the bus', () => {
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    await provider.shutdown();
    trace.disable();
    context.disable();
  });

  it('hang publishing below the trace of the event and describe it', () => {
    startPublishSpan('nats', message).end();
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ name: 'publish billing.low', kind: SpanKind.PRODUCER, attributes: described });
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(span?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });

  it('hang handling below the trace of the event and keep what went wrong', async () => {
    const failing = inHandleSpan('nats', 'mailer', { message, attempt: 2 }, async () => {
      throw new Error('no use');
    });
    await expect(failing).rejects.toThrow('no use');
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({
      name: 'handle billing.low',
      kind: SpanKind.CONSUMER,
      attributes: { ...described, 'messaging.consumer.group.name': 'mailer', 'gpuaas.attempt': 2 },
      status: { code: SpanStatusCode.ERROR },
    });
    expect(span?.parentSpanContext).toMatchObject({ traceId, spanId: 'b7ad6b7169203331', isRemote: true });
  });

  it('begin a trace of their own for an event without one, and leave out what it does not say', async () => {
    const { event_id, event_type, occurred_at, version, correlation_id } = message.envelope;
    const bare = {
      ...message,
      envelope: { event_id, event_type, occurred_at, version, correlation_id, payload: null },
    };
    expect(await inHandleSpan('postgres', 'mailer', { message: bare, attempt: 1 }, async () => 7)).toBe(7);
    const [span] = exporter.getFinishedSpans();
    expect(span?.parentSpanContext).toBeUndefined();
    expect(Object.keys(span?.attributes ?? {}).filter((name) => name.startsWith('gpuaas.'))).toEqual([
      'gpuaas.attempt',
    ]);
  });
});
