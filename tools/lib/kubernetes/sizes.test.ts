import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { processTable } from '../../emit/deployment/processes.ts';
import { root } from '../tree.ts';

/** The arithmetic of the guide, done again from the values and from the processes. */
interface Values {
  readonly database: { readonly maxConnections: number; readonly reserved: number; readonly poolSize: number };
  readonly processes: Readonly<
    Record<string, { replicas: number; resources: { requests: Request; limits: { memory: string } } }>
  >;
}
interface Request {
  readonly cpu: string;
  readonly memory: string;
}
const guide = readFileSync(join(root, 'docs/guides/run-on-kubernetes.md'), 'utf8');
const valuesOf = (size: string) =>
  parse(readFileSync(join(root, `deploy/helm/gpuaas/values-${size}.yaml`), 'utf8')) as Values;
const mebibytes = (text: string) => Number.parseInt(text, 10) * (text.endsWith('Gi') ? 1_024 : 1);
const milli = (text: string) => Number.parseInt(text, 10) * (text.endsWith('m') ? 1 : 1_000);

describe('the sizes of the chart', () => {
  it.each(['small', 'medium', 'large'])('%s is as large as the guide says', (size) => {
    const { database, processes } = valuesOf(size);
    const all = Object.values(processes);
    const sum = (of: (each: (typeof all)[number]) => number) =>
      all.reduce((so, each) => so + each.replicas * of(each), 0);
    const connections = processTable()
      .filter(({ login }) => login !== null)
      .reduce((so, { name, connections: { own } }) => {
        return so + ((processes[name]?.replicas ?? 0) + 1) * (own + database.poolSize - 10) + 1;
      }, 0);
    expect(connections).toBeLessThanOrEqual(database.maxConnections - database.reserved);
    const figures = [
      ...[sum(() => 1), `${sum(({ resources }) => mebibytes(resources.requests.memory))} MiB`],
      ...[`${sum(({ resources }) => milli(resources.requests.cpu))}m`, connections, database.maxConnections],
    ];
    const row = guide.split('\n').find((line) => line.startsWith(`| [${size}]`));
    expect(row).toContain(`| ${figures.join(' | ')} |`);
  });

  it.each(['small', 'medium', 'large'])('%s requests no less memory than each process was seen to have', (size) => {
    for (const { name } of processTable()) {
      const seen = Number(new RegExp(`^\\| ${name} \\| (\\d+) \\|$`, 'm').exec(guide)?.[1]);
      const { requests, limits } = valuesOf(size).processes[name]?.resources ?? {};
      expect(mebibytes(requests?.memory ?? ''), name).toBeGreaterThan(seen);
      expect(mebibytes(limits?.memory ?? ''), name).toBe(2 * mebibytes(requests?.memory ?? ''));
    }
  });
});
