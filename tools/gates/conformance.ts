import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Gate, runAlone } from '../lib/gate.ts';
import { type Results, readResults } from '../lib/results.ts';
import { listLines, root } from '../lib/tree.ts';
import { reportPath } from '../lib/vitest.ts';

/**
 * The committed table of what each adapter was seen doing, one line per adapter and case. A run must reproduce its half
 * line by line, so that an adapter which did not run, or a case that vanished, is a difference with a name.
 */
export const tablePath = 'server/src/ports/conformance.txt';
const heading = `# What each adapter was seen doing, one line per case of its port's suite.
# After a run of \`npm test\` or \`.ci/run\`: node tools/gates/conformance.ts --write
`;
export type Half = 'embedded' | 'production';
const projectOf = { embedded: 'unit', production: 'production' } as const;
const suffixOf = { embedded: '.conformance.test.ts', production: '.production.test.ts' } as const;

/** Ports live in one folder each, but for the one that the agent has. */
const portOf = (path: string): string | undefined =>
  path.startsWith('agent/src/host/') ? 'host' : /^server\/src\/ports\/([^/]+)\//.exec(path)?.[1];

/** `production bus nats: keeps order per key: ok` for every case that passed; `not supported` where the adapter refuses. */
export function linesOf(half: Half, results: Results): string[] {
  const lines = results.tests
    .filter((test) => test.path.endsWith(suffixOf[half]))
    .flatMap((test) => {
      const port = portOf(test.path);
      const suite = /^([a-z-]+): (.+)$/.exec(test.titles[0] ?? '');
      if (!suite || suite[1] !== port || test.titles.length < 2) return [];
      const passed = test.notSupported === undefined ? 'ok' : 'not supported';
      const outcome = test.state === 'passed' ? passed : test.state;
      return [`${half} ${port} ${suite[2]}: ${test.titles.slice(1).join(' > ')}: ${outcome}`];
    });
  return [...new Set(lines)].sort();
}

/** Ports that have a suite in this half of which no case was counted: its title does not begin with the port's name. */
export function uncounted(half: Half, results: Results): string[] {
  const files = results.tests.filter(
    ({ path }) => path.endsWith(suffixOf[half]) && path.startsWith('server/src/ports/'),
  );
  const counted = new Set(linesOf(half, results).map((line) => line.split(' ')[1]));
  const ports = new Set(files.flatMap(({ path }) => portOf(path) ?? []));
  return [...ports]
    .filter((port) => !counted.has(port))
    .map((port) => `no case of ${port} counts: is its suite called "${port}: <adapter>"?`);
}

const adapterOf = (line: string): string => line.split(': ', 1)[0] ?? line;

export function compareHalves(half: Half, committed: readonly string[], seen: readonly string[]): string[] {
  const promised = committed.filter((line) => line.startsWith(`${half} `));
  if (promised.length === 0 && seen.length === 0) return [`no ${half} adapter ran, and ${tablePath} names none`];
  const running = new Set(seen.map(adapterOf));
  const absent = [...new Set(promised.map(adapterOf))].filter((adapter) => !running.has(adapter));
  const missing = promised.filter((line) => !seen.includes(line) && !absent.includes(adapterOf(line)));
  const added = seen.filter((line) => !promised.includes(line));
  return [
    ...absent.map((adapter) => `did not run at all: ${adapter}`),
    ...missing.map((line) => `committed, but not seen in this run: ${line}`),
    ...added.map((line) => `seen in this run, but not committed: ${line}`),
  ];
}

const readTable = (): string[] =>
  existsSync(join(root, tablePath)) ? listLines(readFileSync(join(root, tablePath), 'utf8')) : [];

function seenIn(half: Half): string[] | undefined {
  const report = reportPath(projectOf[half]);
  return existsSync(report) ? linesOf(half, readResults(report)) : undefined;
}

export const conformance = (half: Half): Gate => ({
  name: `${half} adapters`,
  remedy: `Mend the adapter. If the suite itself changed: node tools/gates/conformance.ts --write, and read the diff.`,
  fast: false,
  check: async () => {
    const report = reportPath(projectOf[half]);
    if (!existsSync(report)) return { findings: [`there is no report of a ${half} run`] };
    const results = readResults(report);
    const seen = linesOf(half, results);
    return {
      findings: [...compareHalves(half, readTable(), seen), ...uncounted(half, results)],
      note: `${seen.length} cases`,
    };
  },
});

/** Replaces the halves that have a report; a half that was not run stays as it was, and a failure is not written down. */
function write(): void {
  const committed = readTable();
  const lines = (['embedded', 'production'] as const).flatMap(
    (half) => seenIn(half) ?? committed.filter((line) => line.startsWith(`${half} `)),
  );
  const bad = lines.filter((line) => !/: (?:ok|not supported)$/.test(line));
  if (bad.length > 0) throw new Error(`the table holds what works; mend these first:\n${bad.join('\n')}`);
  writeFileSync(join(root, tablePath), `${heading}\n${lines.join('\n')}\n`);
}

if (import.meta.main) {
  if (process.argv.includes('--write')) write();
  else await runAlone(conformance('embedded'));
}
