import { fullTitle, type Results } from '../results.ts';
import { proofsOf } from './judge.ts';
import { isShown, stateOf } from './page.ts';
import { type Capability, isProductionFile } from './row.ts';

/** The rows that an outside review would look at again. */
export const reviewed = (rows: readonly Capability[]): Capability[] =>
  rows.filter(({ id }) => id.startsWith('ACT-') || id.startsWith('RRC-'));

interface Run {
  readonly results: Results;
  readonly commit: string;
}

/** One line for each test that a row rests on: what to type, and how it went in this run. */
function checksOf(row: Capability, rows: readonly Capability[], { results }: Run): string[] {
  return Object.entries(proofsOf(row, rows) ?? {}).flatMap(([path, titles]) =>
    titles.map((title) => {
      const found = results.tests.filter((test) => test.path === path && fullTitle(test).includes(title));
      const passed = found.filter((test) => test.state === 'passed').length;
      const project = isProductionFile(path) ? 'production' : 'unit';
      return `\`npx vitest run --project ${project} ${path} -t '${title}'\`: ${passed} of ${found.length} passed`;
    }),
  );
}

const lacksOf = (row: Capability, rows: readonly Capability[]): string | undefined => {
  const own = 'sameAs' in row ? rows.find(({ id }) => id === row.sameAs) : row;
  if (own === undefined) return undefined;
  if ('lacks' in own) return own.lacks;
  return 'notBuilt' in own ? 'all of it' : undefined;
};

export function reReviewPage(rows: readonly Capability[], run: Run): string {
  const chosen = reviewed(rows);
  const sections = chosen.map((row) => {
    const checks = checksOf(row, rows, run);
    const lines = checks.length > 0 ? checks.map((line) => `- ${line}`) : ['- there is no check to run'];
    return `## ${row.id}: ${row.words}\n\nState: ${stateOf(row, rows)}.\n\n${lines.join('\n')}\n`;
  });
  const open = chosen.filter((row) => !isShown(stateOf(row, rows)) && lacksOf(row, rows) !== undefined);
  return `---
status: partial
capabilities: RRC-02, RRC-08
---

# Re-review

Written by \`node tools/gates/re-review.ts --write\` from the results of a whole run of \`.ci/run\` at commit ${run.commit}: each
action of the outside review and each check of its next round, with what to type and how it went.

${sections.join('\n')}
## The next round

${open.map((row) => `- ${row.id}, ${row.words}: missing is ${lacksOf(row, rows)}.`).join('\n')}
`;
}

/** What differs from one run to the next: its commit, and how many tests of a title there were. */
const template = (text: string): string[] =>
  text
    .replace(/(?<=at commit )[0-9a-z]+(?=:)/, 'COMMIT')
    .replaceAll(/(?<=: )\d+ of \d+(?= passed$)/gm, 'N of M')
    .split('\n');

/** What the committed page says that the rows do not say, and tests that did not run or did not pass. */
export function judgeReReview(text: string, rows: readonly Capability[]): string[] {
  const states = reviewed(rows)
    .filter((row) => !text.includes(`## ${row.id}: ${row.words}\n\nState: ${stateOf(row, rows)}.\n`))
    .map((row) => `docs/re-review.md does not say of ${row.id} that it is ${stateOf(row, rows)}`);
  if (states.length > 0) return states;
  const nothing = { results: { tests: [], brokenFiles: [] }, commit: 'none' };
  const wanted = template(reReviewPage(rows, nothing));
  const found = template(text);
  const at = wanted.findIndex((line, index) => line !== found[index]);
  const isOther = at !== -1 || found.length !== wanted.length;
  const line = at === -1 ? wanted.length : at;
  const strange = `docs/re-review.md is not what the rows say from line ${line + 1} on: ${found[line] ?? 'it ends there'}`;
  const counts = [...text.matchAll(/^- (?<check>.*): (?<passed>\d+) of (?<ran>\d+) passed$/gm)].flatMap(({ groups }) =>
    groups?.['ran'] === '0' || groups?.['passed'] !== groups?.['ran']
      ? [`docs/re-review.md: ${groups?.['passed']} of ${groups?.['ran']} passed of ${groups?.['check']}`]
      : [],
  );
  return [...(isOther ? [strange] : []), ...counts];
}
