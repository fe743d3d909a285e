import { afterEach, describe, expect, it, vi } from 'vitest';
import { latencyBuckets, makeMetrics } from './metrics.ts';

afterEach(() => vi.useRealTimers());

describe('metrics', () => {
  it('carry the name of the process and the release', async () => {
    const text = await makeMetrics('api', '1.2.3').scrape();
    expect(text).toContain('gpuaas_build_info{version="1.2.3",process="api"} 1');
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('are made once per name, however often they are asked for', async () => {
    const metrics = makeMetrics('api', '0');
    const counter = () => metrics.counter('gpuaas_things_total', 'Things.', ['kind']);
    counter().inc({ kind: 'a' });
    counter().inc({ kind: 'a' });
    metrics.gauge('gpuaas_level', 'A level.', []).set(7);
    metrics.histogram('gpuaas_time_seconds', 'A time.', ['how'], latencyBuckets).observe({ how: 'fast' }, 0.002);
    const text = await metrics.scrape();
    expect(text).toContain('gpuaas_things_total{kind="a",process="api"} 2');
    expect(text).toContain('gpuaas_level{process="api"} 7');
    expect(text).toMatch(/gpuaas_time_seconds_bucket\{le="0\.0025",[^}]*\} 1/);
    expect(metrics.contentType).toContain('text/plain');
  });

  it('look values up before each scrape, and show the others when one look-up fails in whatever way', async () => {
    vi.useFakeTimers();
    const metrics = makeMetrics('api', '0');
    const level = metrics.gauge('gpuaas_level', 'A level.', []);
    metrics.onScrape(() => Promise.reject(new Error('away')));
    metrics.onScrape(() => {
      throw new Error('at once');
    });
    metrics.onScrape(() => new Promise(() => undefined));
    metrics.onScrape(async () => level.set(3));
    const scraping = metrics.scrape();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await scraping).toContain('gpuaas_level{process="api"} 3');
  });
});
