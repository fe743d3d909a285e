import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../lib/tree.ts';

const folder = join(root, 'deploy/dashboards');
const listed = new Set(
  [...readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8').matchAll(/^\| `(gpuaas_\w+)`/gm)].map(
    ([, name]) => name,
  ),
);
/** The names of metrics in the queries of a dashboard; a histogram is asked for its buckets, sum or count. */
const metricsIn = (file: string): string[] => {
  const queries = [...readFileSync(join(folder, file), 'utf8').matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = '']) => text,
  );
  const names = queries.flatMap((query) => query.match(/\bgpuaas_\w+/g) ?? []);
  return [...new Set(names.map((name) => (listed.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ''))))];
};

describe('the dashboards', () => {
  it.each(readdirSync(folder))('%s draws metrics that processes have, and nothing else', (file) => {
    const names = metricsIn(file);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !listed.has(name))).toEqual([]);
  });

  it('of terminals shows sessions, the time from a token to a shell, and recordings', () => {
    expect(metricsIn('terminals.json')).toEqual(
      expect.arrayContaining([
        'gpuaas_terminal_sessions',
        'gpuaas_terminal_mint_to_connect_seconds',
        'gpuaas_terminal_recorder_lag_seconds',
      ]),
    );
  });
});
