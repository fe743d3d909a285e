import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './tree.ts';

/** What a run of vitest showed, read from its JSON report. */
export interface Results {
  readonly tests: readonly TestResult[];
  /** Files that could not even be loaded, with the reason. */
  readonly brokenFiles: readonly { readonly path: string; readonly reason: string }[];
}
export interface TestResult {
  readonly path: string;
  /** The titles around the test, outermost first, and its own. */
  readonly titles: readonly string[];
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly failures: readonly string[];
  /** What the thing under test says that it cannot do; the test then shows that it refuses. */
  readonly notSupported?: string;
}

interface RawReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
      readonly meta?: { readonly notSupported?: string };
    }[];
  }[];
}

export function parseResults(text: string): Results {
  const { testResults } = JSON.parse(text) as RawReport;
  const pathOf = (name: string) => relative(root, name).replaceAll('\\', '/');
  return {
    tests: testResults.flatMap((file) =>
      file.assertionResults.map((test) => ({
        path: pathOf(file.name),
        titles: [...test.ancestorTitles.filter((title) => title !== ''), test.title],
        state: test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped',
        failures: test.failureMessages ?? [],
        ...(test.meta?.notSupported !== undefined && { notSupported: test.meta.notSupported }),
      })),
    ),
    // A suite may fail around its tests: a hook, a syntax error, a missing file.
    brokenFiles: testResults
      .filter((file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'))
      .map((file) => ({ path: pathOf(file.name), reason: file.message ?? 'it failed and said nothing' })),
  };
}

export const readResults = (path: string): Results => parseResults(readFileSync(path, 'utf8'));

/** Puts the files of a second report in the place of the same files in the first, and writes the first anew. */
export function mergeReports(firstPath: string, secondPath: string): void {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as RawReport;
  const [first, second] = [read(firstPath), read(secondPath)];
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const testResults = first.testResults.map((file) => again.get(file.name) ?? file);
  writeFileSync(firstPath, JSON.stringify({ ...first, testResults }));
}

export const fullTitle = (test: TestResult): string => test.titles.join(' > ');
