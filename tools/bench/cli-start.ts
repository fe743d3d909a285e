import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/tree.ts';
import type { Options } from './options.ts';
import { type Report, ratioOf, short } from './report.ts';
import { interleaved, medianWithInterval } from './statistics.ts';

/**
 * How long `gpuaas --help` takes beside a bare Node that does nothing at all, which is the least that any program on Node
 * can take. Every round starts all of them in turns, so that what else the machine does meets them alike, and keeps the
 * fastest start of each: a neighbour makes a start slower, and nothing makes it faster than it is.
 */
const startsOfASide = 15;
const goal = 1.15;

const program = join(root, 'cli', 'bin', 'gpuaas.cjs');
const sides = {
  'bare Node': ['-e', '0'],
  'gpuaas --help': [program, '--help'],
  'gpuaas launch --help': [program, 'launch', '--help'],
  'gpuaas --version': [program, '--version'],
} as const;
type Side = keyof typeof sides;
const names = Object.keys(sides) as Side[];

export async function measureCliStart(options: Options, report: Report): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'gpuaas-bench-cli-'));
  const took = new Map<Side, number[]>(names.map((name) => [name, []]));
  try {
    // What is compiled is kept for the next start, and files are in memory by then.
    for (const name of names) startOnce(name, home, report);
    for (let round = 0; round < options.pairs; round += 1) {
      const here = new Map<Side, number[]>(names.map((name) => [name, []]));
      for (const order of interleaved(names, startsOfASide)) {
        for (const name of order) here.get(name)?.push(startOnce(name, home, report));
      }
      for (const [name, values] of here) {
        took.get(name)?.push(Math.min(...values));
        report.sample({ benchmark: 'cli-start', round, side: name, milliseconds: values });
      }
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  const bare = took.get('bare Node') ?? [];
  report.table({
    title: `From start to end, in milliseconds; the fastest of ${startsOfASide} starts a side and round`,
    columns: ['program', 'median', 'from', 'to', 'over bare Node'],
    rows: names.map((name) => {
      const { median: middle, low, high } = medianWithInterval(took.get(name) ?? []);
      return [name, short(middle), short(low), short(high), short(ratioOf(took.get(name) ?? [], bare).median)];
    }),
  });
  report.verdict({
    claim: 'gpuaas --help over a bare Node',
    found: ratioOf(took.get('gpuaas --help') ?? [], bare),
    goal: { at: 'most', value: goal },
  });
}

function startOnce(name: Side, home: string, report: Report): number {
  const began = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [...sides[name]], { env: { HOME: home }, encoding: 'utf8' });
  const milliseconds = performance.now() - began;
  if (status !== 0 || (name !== 'bare Node' && stdout === ''))
    report.violated(`${name} ended with ${status}: ${stdout}`);
  return milliseconds;
}
