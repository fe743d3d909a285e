import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runTool } from '../lib/program.ts';
import { root } from '../lib/tree.ts';

/**
 * Mutation testing: a small fault is planted, the tests run, and one of them has to fail. What is tried is the code that
 * everything else rests on, with the tests that are about it. Words are left alone (`StringLiteral`): a message with
 * other words is not a fault, and codes and statements are held by types and by tests over a database.
 *
 * Alone: `node tools/chaos/mutation.ts [--only NAME,NAME]`.
 */
export interface Target {
  readonly name: string;
  readonly what: string;
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  /** Counts that can be lower here, where a fault shows in the first few. */
  readonly env?: Readonly<Record<string, string>>;
}
export interface Mutated {
  readonly name: string;
  readonly killed: number;
  readonly mutants: number;
  /** Where a planted fault was not noticed. */
  readonly survivors: readonly string[];
  readonly seconds: number;
}

/** The share of planted faults that tests have to notice, in percent. */
export const mutationFloor = 85;

export const targets: readonly Target[] = [
  {
    name: 'machines',
    what: 'the state machines, and what moves a row along them',
    mutate: ['contract/src/machine.ts', 'contract/src/machines/*.ts', 'server/src/kernel/machine.ts'],
    tests: ['contract/src/**/*.test.ts', 'server/src/kernel/machine.test.ts'],
  },
  {
    name: 'idempotency',
    what: 'what makes a repeated request the same request',
    mutate: [
      'server/src/kernel/idempotency.ts',
      'server/src/edge/http/idempotency.ts',
      'server/src/edge/http/keepable.ts',
    ],
    tests: ['server/src/kernel/idempotency.test.ts', 'server/src/edge/http/{idempotency,keepable,mount}.test.ts'],
  },
  {
    name: 'tenancy',
    what: 'whose a request is',
    mutate: ['server/src/edge/http/admission/tenancy.ts'],
    tests: ['server/src/edge/http/admission/tenancy.test.ts', 'server/src/edge/http/mount.test.ts'],
  },
  {
    name: 'judge',
    what: 'whether an agent may execute a task',
    mutate: ['agent/src/tasks/verify-task.ts', 'agent/src/tasks/signers.ts'],
    tests: ['agent/src/tasks/{verify-task,near-misses,forgeries,signers,signers.property}.test.ts'],
    env: { GPUAAS_FORGERIES: '300' },
  },
  {
    name: 'kernel',
    what: 'the words everything else is written in',
    mutate: ['server/src/kernel/**/*.ts', '!server/src/kernel/refused.ts'],
    tests: ['server/src/kernel/**/*.test.ts'],
  },
];

/** The mutants of a report of Stryker's that count, and those that no test noticed. */
export function judgeMutants(report: Report): Pick<Mutated, 'killed' | 'mutants' | 'survivors'> {
  const found = Object.entries(report.files).flatMap(([path, { mutants }]) =>
    mutants.map((mutant) => ({ path, ...mutant })),
  );
  const killed = found.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  const survived = found.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  return {
    killed: killed.length,
    mutants: killed.length + survived.length,
    survivors: survived.map(
      ({ path, location, mutatorName, replacement }) =>
        `${path}:${location.start.line}:${location.start.column} ${mutatorName} ${oneLine(replacement ?? '')}`,
    ),
  };
}
interface Report {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly mutants: readonly {
          readonly status: string;
          readonly mutatorName: string;
          readonly replacement?: string;
          readonly location: { readonly start: { readonly line: number; readonly column: number } };
        }[];
      }
    >
  >;
}
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 80);

export async function mutate(target: Target, timeoutMs = 2 * 3_600_000): Promise<Mutated> {
  const folder = join('.cache', 'mutation');
  const [config, vitest, report] = ['stryker.json', 'vitest.config.ts', 'report.json'].map((name) =>
    join(folder, `${target.name}.${name}`),
  ) as [string, string, string];
  mkdirSync(join(root, folder), { recursive: true });
  rmSync(join(root, report), { force: true });
  const tests = { include: target.tests, pool: 'threads', testTimeout: 60_000 };
  writeFileSync(join(root, vitest), `export default { test: ${JSON.stringify(tests)} };\n`);
  writeFileSync(join(root, config), JSON.stringify(settingsOf(target, vitest, report), undefined, 2));
  const began = performance.now();
  const { code, output } = await runTool('stryker', ['run', config], { timeoutMs, env: target.env ?? {} });
  if (code !== 0) throw new Error(`Stryker ended with ${code}:\n${output.slice(-4_000)}`);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const judged = judgeMutants(JSON.parse(readFileSync(join(root, report), 'utf8')) as Report);
  return { name: target.name, ...judged, seconds };
}

const settingsOf = (target: Target, vitest: string, report: string) => ({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: [...target.mutate, '!**/*.test.ts'],
  vitest: { configFile: vitest, related: false },
  mutator: { excludedMutations: ['StringLiteral'] },
  coverageAnalysis: 'perTest',
  // One at import costs the whole of the tests, and a table that is wrong at import fails its own.
  ignoreStatic: false,
  concurrency: 2,
  reporters: ['json'],
  jsonReporter: { fileName: report },
  tempDirName: join('.cache', 'mutation', 'sandbox'),
  ignorePatterns: ['web', 'docs', 'sdk', 'coverage', 'dist'],
  // It reads tsconfig.json with an interface that our compiler has not; nothing here is compiled.
  tsconfigFile: 'none.json',
});

if (import.meta.main) {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  const only = values.only?.split(',');
  for (const target of targets.filter(({ name }) => only?.includes(name) ?? true)) {
    const { killed, mutants, survivors } = await mutate(target);
    const share = (killed / mutants) * 100;
    process.stdout.write(`${target.name}: ${killed} of ${mutants} noticed (${share.toFixed(1)} %)\n`);
    process.stdout.write(survivors.map((one) => `  ${one}\n`).join(''));
    if (share < mutationFloor) process.exitCode = 1;
  }
}
