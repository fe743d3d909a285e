import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runTool } from './program.ts';
import { fullTitle, mergeReports, type Results, readResults } from './results.ts';
import { root } from './tree.ts';

export interface TestRun {
  readonly results: Results;
  readonly passed: number;
  /** One text per failure. */
  readonly failures: readonly string[];
  /** What vitest itself says about the failures, with the differences that its JSON leaves out. */
  readonly report: string;
  readonly skipped: readonly string[];
  /** Tests that failed once and passed when their file ran again, alone. They are printed, because each is a defect. */
  readonly unsteady: readonly string[];
}
type Project = 'unit' | 'production' | 'oldest';
interface Order {
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A fault in the product fails in many places or fails twice; more files than this are not tried again. */
const filesTriedAgain = 3;

/** Where the report of a project's last run lies, for the gates that compare it with what is committed. */
export const reportPath = (project: string): string => join(root, '.cache', `vitest-${project}.json`);

/** Runs tests of a project once: what fails has failed. */
export const runTests = (
  project: Project,
  args: readonly string[],
  timeoutMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<TestRun> => runOnce(project, reportPath(project), { args, timeoutMs, env });

/**
 * Runs all tests of a project. On a busy machine one of nine thousand may miss its moment, so a few failed files get a
 * second run of their own. What passes then counts as passed and is reported as unsteady.
 */
export async function runAllTests(
  project: Project,
  args: readonly string[],
  timeoutMs: number,
  { path = reportPath(project), once = runOnce } = {},
): Promise<TestRun> {
  const order = { args, timeoutMs, env: {} };
  const run = await once(project, path, order);
  const files = failedFiles(run.results);
  if (files.length === 0 || files.length > filesTriedAgain) return run;
  const secondPath = `${path}.second`;
  const second = await once(project, secondPath, { ...order, args: files });
  if (second.failures.length > 0) return run;
  mergeReports(path, secondPath);
  const unsteady = run.results.tests.filter(({ state }) => state === 'failed').map(titleWithPath);
  const broken = run.results.brokenFiles.map((file) => file.path);
  return { ...summarize(readResults(path)), failures: [], report: run.report, unsteady: [...unsteady, ...broken] };
}

const titleWithPath = (test: Results['tests'][number]) => `${test.path} ${fullTitle(test)}`;

const failedFiles = ({ tests, brokenFiles }: Results): string[] => [
  ...new Set([...tests.filter(({ state }) => state === 'failed'), ...brokenFiles].map((one) => one.path)),
];

const summarize = (results: Results) => ({
  results,
  passed: results.tests.filter((test) => test.state === 'passed').length,
  skipped: results.tests.filter((test) => test.state === 'skipped').map(titleWithPath),
});

async function runOnce(project: Project, report: string, { args, timeoutMs, env }: Order): Promise<TestRun> {
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const ran = await runTool(
    'vitest',
    ['run', '--project', project, '--reporter=json', `--outputFile.json=${report}`, '--reporter=dot', ...args],
    { timeoutMs, env: { NO_COLOR: '1', CI: '1', ...env } },
  );
  if (!existsSync(report)) {
    const failures = [`vitest ended with ${ran.code} before it wrote a report\n${ran.output.trim()}`];
    return { ...summarize({ tests: [], brokenFiles: [] }), failures, report: '', unsteady: [] };
  }
  const results = readResults(report);
  const failures = [
    ...results.tests
      .filter((test) => test.state === 'failed')
      .map((test) => `${test.path}\n  ${fullTitle(test)}\n${test.failures.join('\n')}`),
    ...results.brokenFiles.map((file) => `${file.path}\n${file.reason}`),
  ];
  const begin = ran.output.search(/^[^\w\n]*(?:Failed (?:Suites|Tests)|Unhandled)/m);
  const detail = begin < 0 ? '' : ran.output.slice(begin).trimEnd();
  // An error outside every test (a promise that nobody awaited) ends vitest with 1 and stands in no test's report.
  if (ran.code !== 0 && failures.length === 0)
    failures.push(`vitest ended with ${ran.code}\n${detail || ran.output.trim()}`);
  if (results.tests.length === 0) failures.push(`no test of the project ${project} was found`);
  return { ...summarize(results), failures, report: detail, unsteady: [] };
}
