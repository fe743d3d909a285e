import { fullTitle, type Results } from '../results.ts';
import { type Capability, isProductionFile, type Proofs } from './row.ts';

/** Where a run looked: `unit` is `npm test`, `production` the second half of `.ci/run`. */
export type Half = 'unit' | 'production';

/** The tests behind a row, its own or those of the row it points at; nothing for rows that claim nothing. */
export function proofsOf(row: Capability, rows: readonly Capability[]): Proofs | undefined {
  if ('by' in row) return row.by;
  if (!('sameAs' in row)) return undefined;
  const other = rows.find(({ id }) => id === row.sameAs);
  return other && 'by' in other ? other.by : undefined;
}

/** What is wrong with the rows themselves, whatever any test shows. */
export function judgeRows(rows: readonly Capability[]): string[] {
  const seen = new Set<string>();
  const findings: string[] = [];
  for (const row of rows) {
    if (seen.has(row.id)) findings.push(`${row.id} has two rows`);
    seen.add(row.id);
    if ('sameAs' in row && proofsOf(row, rows) === undefined) {
      findings.push(`${row.id} is the same as ${row.sameAs}, which is not a row with tests`);
    }
    if ('by' in row && Object.values(row.by).flat().length === 0) findings.push(`${row.id} names no test`);
  }
  return [...findings, ...gapsIn([...seen])];
}

/** Requirements of the committed list that no row answers, whichever number of its family they have. */
export function judgeIds(rows: readonly Capability[], list: string): string[] {
  const present = new Set(rows.map(({ id }) => id));
  const wanted = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return wanted.filter((id) => !present.has(id)).map((id) => `the row ${id} is missing`);
}

/** Requirements are numbered without gaps in each family; a missing number is a row that somebody removed. */
function gapsIn(ids: readonly string[]): string[] {
  const highest = new Map<string, number>();
  const present = new Set<string>();
  for (const id of ids) {
    for (const [, family = '', first = '', last] of id.matchAll(/^(.*?[A-Z]-?[A-Z]*?)(\d+)(?:\.\.[A-Z]*(\d+))?$/g)) {
      for (let number = Number(first); number <= Number(last ?? first); number += 1) {
        present.add(`${family}${number}`);
        highest.set(family, Math.max(highest.get(family) ?? 0, number));
      }
    }
  }
  return [...highest].flatMap(([family, last]) =>
    Array.from({ length: last }, (_, index) => index + 1)
      .filter((number) => !present.has(`${family}${number}`) && !knownGaps.has(`${family}${number}`))
      .map((number) => `the row ${family}${String(number).padStart(2, '0')} is missing`),
  );
}

/** Numbers that the list of requirements itself leaves out. */
const knownGaps: ReadonlySet<string> = new Set(['GAP-8', 'GOV-13', 'GOV-17', 'ERN-4', 'ACT-16', 'DOC-10']);

/** Rows whose named tests did not all run and pass in this half. */
export function judgeProofs(rows: readonly Capability[], results: Results, half: Half): string[] {
  return rows.flatMap((row) => {
    if (!('by' in row)) return [];
    const here = Object.entries(row.by).filter(([path]) => isProductionFile(path) === (half === 'production'));
    return here.flatMap(([path, titles]) => titles.flatMap((title) => judgeProof(row.id, path, title, results)));
  });
}

function judgeProof(id: string, path: string, title: string, results: Results): string[] {
  const found = results.tests.filter((test) => test.path === path && fullTitle(test).includes(title));
  if (found.length === 0) return [`${id} names a test that did not run: ${path} > ${title}`];
  return found
    .filter((test) => test.state !== 'passed')
    .map((test) => `${id} rests on a test that is ${test.state}: ${path} > ${fullTitle(test)}`);
}
