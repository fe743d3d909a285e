import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { makeMetrics } from './metrics.ts';

/** What Prometheus' own checker says about a text; empty when it has nothing to say. */
const check = (text: string): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile('promtool', ['check', 'metrics'], (error, stdout, stderr) =>
      resolve(error || stderr ? `${stdout}${stderr}` || String(error) : ''),
    );
    child.stdin?.end(text);
  });

describe('the metrics of a process', () => {
  it('break no rule of Prometheus', async () => {
    const metrics = makeMetrics('api', '1.0.0');
    metrics.counter('gpuaas_things_total', 'Things, by kind.', ['kind']).inc({ kind: 'one' });
    metrics
      .histogram('gpuaas_thing_seconds', 'How long things take.', ['kind'], [0.1, 1])
      .observe({ kind: 'one' }, 0.5);
    expect(await check(await metrics.scrape())).toBe('');
  });

  it('would be reported: a gauge that calls itself a total', async () => {
    const metrics = makeMetrics('api', '1.0.0');
    metrics.gauge('gpuaas_things_total', 'Things.', []).set(1);
    expect(await check(await metrics.scrape())).toContain('gpuaas_things_total');
  });
});
