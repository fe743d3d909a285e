import { SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { redacting } from './trace-redaction.ts';

const secret = 'gpuaas_pat_canary0123456789';

describe('a span', () => {
  it('reaches an exporter without the secrets in its name, attributes, events, exceptions, links and status', () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [redacting(new SimpleSpanProcessor(exporter))] });
    const tracer = provider.getTracer('test');
    const other = tracer.startSpan('other').spanContext();
    const span = tracer.startSpan(`GET /${secret}`, {
      attributes: { plain: 'kept', text: `a ${secret} inside`, password: 'hunter2', list: ['a', secret] },
      links: [{ context: other, attributes: { token: secret } }],
    });
    span.addEvent('tried', { 'http.url': `https://a.example/?t=${secret}` });
    span.recordException(new Error(`could not use ${secret}`));
    span.setStatus({ code: SpanStatusCode.ERROR, message: `bad ${secret}` });
    span.end();
    const [seen] = exporter.getFinishedSpans();
    const { name, attributes, events, links, status } = seen ?? {};
    const told = JSON.stringify({ name, attributes, events, links, status });
    expect(told).not.toContain(secret);
    expect(told).not.toContain('hunter2');
    expect(attributes).toMatchObject({ plain: 'kept', password: '[REDACTED]' });
    expect(events?.map((event) => event.name)).toEqual(['tried', 'exception']);
    expect(seen?.spanContext()).toEqual(span.spanContext());
    expect(seen?.duration).toHaveLength(2);
  });
});
