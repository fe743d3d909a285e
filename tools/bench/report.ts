import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/tree.ts';
import type { Facts } from './machine.ts';
import { type Interval, medianWithInterval, ratios } from './statistics.ts';

/** A goal, and what was found. Met when the lower end of the interval meets it (the upper one, where less is better). */
export interface Verdict {
  readonly claim: string;
  readonly found: Interval;
  readonly unit?: string;
  readonly goal?: { readonly at: 'least' | 'most'; readonly value: number };
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What one benchmark leaves behind: every sample as a line, the tables and the verdicts as text and as data. */
export interface Report {
  readonly folder: string;
  sample(sample: Readonly<Record<string, unknown>>): void;
  say(line: string): void;
  table(table: Table): void;
  verdict(verdict: Verdict): void;
  /** Something that must hold did not: the benchmark scores nothing. */
  violated(what: string): void;
  close(): Promise<{ readonly violations: readonly string[] }>;
}

export function openReport(name: string, facts: Facts): Report {
  const folder = join(root, '.cache', 'bench', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const samples = createWriteStream(join(folder, 'samples.ndjson'));
  const text: string[] = [];
  const tables: Table[] = [];
  const verdicts: Verdict[] = [];
  const violations: string[] = [];
  const say = (line: string) => {
    text.push(line);
    process.stdout.write(`${line}\n`);
  };
  samples.write(`${JSON.stringify({ facts })}\n`);
  say(`\n# ${name}\n`);
  say(`${facts.at}, commit ${facts.commit}${facts.modified ? ' with changes' : ''}, lockfile ${facts.lockfile},`);
  say(`kernel ${facts.kernel}, ${facts.cores} cores (${facts.cpu}), ${facts.memoryGib} GiB, node ${facts.node}, `);
  say(`load before the start ${facts.load}\n`);
  return {
    folder,
    sample: (sample) => void samples.write(`${JSON.stringify(sample)}\n`),
    say,
    table(table) {
      tables.push(table);
      say(`\n${table.title}\n`);
      for (const line of layOut(table)) say(line);
    },
    verdict: (verdict) => void verdicts.push(verdict),
    violated(what) {
      violations.push(what);
      say(`VIOLATED: ${what}`);
    },
    async close() {
      if (verdicts.length > 0) {
        say('\nGoals\n');
        const rows = verdicts.map((verdict) => describe(verdict, violations.length > 0));
        for (const line of layOut({ title: '', columns: ['claim', 'median', '95 %', 'goal', ''], rows })) say(line);
      }
      if (violations.length > 0) say(`\nScore 0: ${violations.length} invariant(s) violated.`);
      say(`\nRaw samples: ${join(folder, 'samples.ndjson')}`);
      writeFileSync(join(folder, 'report.md'), `${text.join('\n')}\n`);
      writeFileSync(
        join(folder, 'report.json'),
        `${JSON.stringify({ facts, tables, verdicts, violations }, null, 2)}\n`,
      );
      await new Promise<void>((resolve) => samples.end(resolve));
      return { violations };
    },
  };
}

export const short = (value: number): string =>
  !Number.isFinite(value)
    ? '-'
    : Math.abs(value) >= 1_000
      ? Math.round(value).toLocaleString('en').replaceAll(',', ' ')
      : value.toPrecision(3);

/** The interval of the ratio of two sides over all rounds. */
export const ratioOf = (over: readonly (number | undefined)[], under: readonly (number | undefined)[]): Interval =>
  medianWithInterval(ratios(over, under));

export const interval = ({ median, low, high }: Interval): string =>
  `${short(median)} (${short(low)} to ${short(high)})`;

function describe({ claim, found, goal, unit }: Verdict, worthless: boolean): string[] {
  const of = (value: number) => `${short(value)}${unit ? ` ${unit}` : ''}`;
  const met = goal && (goal.at === 'least' ? found.low >= goal.value : found.high <= goal.value);
  return [
    claim,
    of(found.median),
    `${short(found.low)} to ${short(found.high)}`,
    goal ? `at ${goal.at} ${of(goal.value)}` : '',
    worthless ? 'score 0' : goal ? (met ? 'met' : 'not met') : '',
  ];
}

/** A Markdown table whose columns stand under each other in a terminal too. */
function layOut({ columns, rows }: Table): string[] {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, index) => (cells[index] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(columns), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)];
}
