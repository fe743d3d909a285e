import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTool } from './program.ts';
import { fullTitle, type Results, readResults } from './results.ts';
import { root } from './tree.ts';

export interface TestRun {
  readonly results: Results;
  readonly passed: number;
  /** One text per failure. */
  readonly failures: readonly string[];
  /** What vitest itself says about the failures, with the differences that its JSON leaves out. */
  readonly report: string;
  readonly skipped: readonly string[];
}

/** Where the report of a project's last run lies, for the gates that compare it with what is committed. */
export const reportPath = (project: string): string => join(root, '.cache', `vitest-${project}.json`);

export async function runTests(
  project: 'unit' | 'production',
  args: readonly string[],
  timeoutMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<TestRun> {
  const report = reportPath(project);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const ran = await runTool(
    'vitest',
    ['run', '--project', project, '--reporter=json', `--outputFile.json=${report}`, '--reporter=dot', ...args],
    { timeoutMs, env: { NO_COLOR: '1', CI: '1', ...env } },
  );
  if (!existsSync(report)) {
    const failures = [`vitest ended with ${ran.code} before it wrote a report\n${ran.output.trim()}`];
    return { results: { tests: [], brokenFiles: [] }, passed: 0, failures, report: '', skipped: [] };
  }
  const results = readResults(report);
  const failures = [
    ...results.tests
      .filter((test) => test.state === 'failed')
      .map((test) => `${test.path}\n  ${fullTitle(test)}\n${test.failures.join('\n')}`),
    ...results.brokenFiles.map((file) => `${file.path}\n${file.reason}`),
  ];
  // An error outside every test (a promise that nobody awaited) ends vitest with 1 and stands in no test's report.
  if (ran.code !== 0 && failures.length === 0) failures.push(`vitest ended with ${ran.code}\n${ran.output.trim()}`);
  if (results.tests.length === 0) failures.push(`no test of the project ${project} was found`);
  const detail = ran.output.search(/^\W*(?:Failed (?:Suites|Tests)|Unhandled)/m);
  return {
    results,
    failures,
    report: detail < 0 ? '' : ran.output.slice(detail).trimEnd(),
    passed: results.tests.filter((test) => test.state === 'passed').length,
    skipped: results.tests.filter((test) => test.state === 'skipped').map((test) => `${test.path} ${fullTitle(test)}`),
  };
}
