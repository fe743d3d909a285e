import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeMetrics } from '../../../server/src/kernel/telemetry/metrics.ts';
import { freePort, startServer, type TestServer } from '../../../server/src/testing/servers/start.ts';
import { runProgram } from '../../lib/program.ts';
import { boards, listedMetrics, queriesOf } from './queries.ts';
import { sampleOf } from './sample.ts';

/**
 * Each panel is asked of a real Prometheus that holds half an hour of every metric of the product, with the labels that it is
 * registered with. A query that does not parse, names a label that is not there, or divides by nothing, gives no data.
 */
const queries = boards.flatMap(queriesOf);
const asPrometheus = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$__interval', '1m');
let data: string;
let server: TestServer;
let at: number;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'gpuaas-dashboards-'));
  at = Math.floor(Date.now() / 1_000) - 30;
  const defaults = [
    ...(await makeMetrics('api', '1.0.0').scrape()).matchAll(/^# TYPE ((?:nodejs|process)_\w+) gauge$/gm),
  ];
  const names = defaults.map(([, name = '']) => name);
  await writeFile(join(data, 'sample.txt'), sampleOf(listedMetrics(), names, queries, at));
  const made = await runProgram('promtool', [
    'tsdb',
    'create-blocks-from',
    'openmetrics',
    join(data, 'sample.txt'),
    join(data, 'tsdb'),
  ]);
  if (made.code !== 0) throw new Error(made.output);
  await writeFile(join(data, 'prometheus.yml'), 'global: {}\n');
  const port = await freePort();
  server = await startServer({
    command: 'prometheus',
    args: [
      `--config.file=${join(data, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(data, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    port,
    url: `http://127.0.0.1:${port}`,
  });
  await vi.waitFor(async () => expect((await fetch(`${server.url}/-/ready`)).status).toBe(200), { timeout: 30_000 });
}, 180_000);

afterAll(async () => {
  await server?.close();
  await rm(data, { recursive: true, force: true });
});

interface Found {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}
async function ask(expr: string): Promise<Found> {
  const url = new URL('/api/v1/query', server.url);
  url.searchParams.set('query', asPrometheus(expr));
  url.searchParams.set('time', String(at));
  return (await (await fetch(url)).json()) as Found;
}

describe('a panel', () => {
  it.each(queries.map((query) => ({ ...query, of: query.board.replace('.json', '') })))(
    'of $of has data: $panel, $expr',
    async ({ expr }) => {
      const found = await ask(expr);
      expect(found.error).toBeUndefined();
      const values = (found.data?.result ?? []).map(({ value }) => Number(value[1]));
      expect(values.length).toBeGreaterThan(0);
      expect(values.filter((value) => Number.isNaN(value))).toEqual([]);
    },
  );

  it('has no data when its query asks for a metric, a label or a value that is not there', async () => {
    for (const expr of [
      'max(gpuaas_nothing_of_ours)',
      'max(gpuaas_nodes{estate="offline"})',
      'max(gpuaas_nodes{state="on the moon"})',
    ]) {
      expect((await ask(expr)).data?.result).toEqual([]);
    }
    expect((await ask('max(gpuaas_nodes')).status).toBe('error');
  });
});
