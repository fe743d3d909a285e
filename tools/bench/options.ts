import { parseArgs } from 'node:util';

export const benchmarkNames = [
  'write-path',
  'relay',
  'start',
  'cli-start',
  'auth-overhead',
  'placement',
  'activation',
  'agents',
  'billing',
] as const;
export type BenchmarkName = (typeof benchmarkNames)[number];

export interface Options {
  readonly help: boolean;
  readonly only: readonly BenchmarkName[];
  /** How many rounds; each runs every side once. */
  readonly pairs: number;
  /** How long one side runs, after its warm-up. */
  readonly seconds: number;
  readonly warmupSeconds: number;
  /** How many clients at once, for those that have clients. */
  readonly clients: readonly number[];
  readonly poolSize: number;
  /** How many nodes are connected at once. */
  readonly agents: number;
  /** Tasks a second for them. */
  readonly rate: number;
  /** How many allocations a round of accrual charges, from few to many. */
  readonly allocations: readonly number[];
  /** Keep CPU profiles of our processes beside the results. */
  readonly profile: boolean;
}

export const help = `Usage: npm run bench -- [options]

Measures this product beside the best that the same machine can do, and prints ratios.

Options:
  --only LIST     some of: ${benchmarkNames.join(', ')} (default: all)
  --pairs N       rounds of interleaved runs (default 7)
  --seconds N     length of one run, without its warm-up (default 5)
  --warm-up N     seconds that are run and thrown away before each (default 1)
  --clients LIST  clients of the write path (default 1,8,32)
  --pool N        database connections of one api process (default 16)
  --agents N      connected nodes (default 400)
  --rate N        tasks a second for them (default 100)
  --allocations LIST  allocations that a round of accrual charges (default 1000,10000,100000)
  --profile       keep CPU profiles of our processes
  --quick         2 rounds of 2 seconds with 32 clients: does it work, not how fast
  --help          show this

Results go to .cache/bench/<name>/. All of it takes under 25 minutes as it is; --seconds 20 --warm-up 5 is the
protocol for figures that are to be published. pgbench is needed (Debian: apt-get install postgresql-contrib).

Example:
  npm run bench -- --only write-path --clients 32 --pairs 9
`;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      all: { type: 'boolean', default: false },
      only: { type: 'string' },
      pairs: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string' },
      clients: { type: 'string' },
      pool: { type: 'string' },
      agents: { type: 'string' },
      rate: { type: 'string' },
      allocations: { type: 'string' },
      profile: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',') ?? [...benchmarkNames];
  for (const name of only) {
    if (!isBenchmark(name)) throw new Error(`There is no benchmark ${name}: ${benchmarkNames.join(', ')}.`);
  }
  const quick = values.quick;
  return {
    help: values.help,
    only: only.filter(isBenchmark),
    pairs: wholeNumber('pairs', values.pairs, quick ? 2 : 7),
    seconds: wholeNumber('seconds', values.seconds, quick ? 2 : 5),
    warmupSeconds: wholeNumber('warm-up', values['warm-up'], 1),
    clients: (values.clients ?? (quick ? '32' : '1,8,32')).split(',').map((text) => wholeNumber('clients', text, 1)),
    poolSize: wholeNumber('pool', values.pool, 16),
    agents: wholeNumber('agents', values.agents, quick ? 100 : 400),
    rate: wholeNumber('rate', values.rate, 100),
    allocations: (values.allocations ?? (quick ? '200,1000' : '1000,10000,100000'))
      .split(',')
      .map((text) => wholeNumber('allocations', text, 1)),
    profile: values.profile,
  };
}

const isBenchmark = (name: string): name is BenchmarkName => (benchmarkNames as readonly string[]).includes(name);

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} takes a whole number from 1, not ${text}.`);
  return number;
}
