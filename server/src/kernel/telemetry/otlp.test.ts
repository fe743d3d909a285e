import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Collector, startCollector } from '../../testing/servers/collector.ts';
import { inSpan, openServerSpan, startTracing } from './trace.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.close());

describe('traces that are exported', () => {
  it('reach a collector over OTLP, named after the process, in the trace of the caller, without secrets', async () => {
    const tracing = startTracing({ service: 'outbox-relay', version: '1.2.3', otlpEndpoint: collector.url });
    const span = openServerSpan('GET /things', {
      parent,
      attributes: { 'http.request.method': 'GET', authorization: 'Bearer gpuaas_pat_canary0123456789abcdef' },
    });
    await span.within(() => inSpan('inner', {}, async () => undefined));
    span.end(200);
    await tracing.close();

    expect(collector.wrong()).toEqual([]);
    const [inner, outer] = ['inner', 'GET /things'].map((name) => collector.spans().find((one) => one.name === name));
    expect(outer).toMatchObject({
      service: 'outbox-relay',
      traceId: parent.split('-')[1],
      parentSpanId: parent.split('-')[2],
      attributes: { 'http.request.method': 'GET', 'http.response.status_code': 200 },
    });
    expect(inner?.traceId).toBe(outer?.traceId);
    expect(JSON.stringify(collector.spans())).not.toContain('canary');
  });

  it('are given up without a fault when the collector is away', async () => {
    const tracing = startTracing({ service: 'api', version: '1.2.3', otlpEndpoint: 'http://127.0.0.1:9/v1/traces' });
    expect(await inSpan('work', {}, async () => 'done')).toBe('done');
    await expect(tracing.close()).resolves.toBeUndefined();
  });
});
