import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseResults } from './results.ts';
import { root } from './tree.ts';
import { runAllTests, type TestRun } from './vitest.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpuaas-vitest-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Files = Readonly<Record<string, 'passed' | 'failed'>>;

/** A vitest whose runs show what is listed, one entry for each run. */
function makeRuns(...runs: readonly Files[]) {
  const asked: (readonly string[])[] = [];
  const once = async (_: string, path: string, order: { args: readonly string[] }): Promise<TestRun> => {
    const files = Object.entries(runs[asked.length] ?? {});
    asked.push(order.args);
    const testResults = files.map(([name, status]) => ({
      name: join(root, name),
      status,
      assertionResults: [{ ancestorTitles: [], title: 'works', status }],
    }));
    const text = JSON.stringify({ testResults });
    writeFileSync(path, text);
    const failures = files.filter(([, state]) => state === 'failed').map(([name]) => name);
    return { results: parseResults(text), passed: 0, failures, report: 'the difference', skipped: [], unsteady: [] };
  };
  const path = join(folder, 'report.json');
  return { asked, path, run: () => runAllTests('unit', ['--coverage'], 1, { path, once }) };
}

describe('all tests of a project', () => {
  it('reports a test as unsteady that fails once and passes when its file runs again', async () => {
    const runs = makeRuns({ 'a.test.ts': 'passed', 'b.test.ts': 'failed' }, { 'b.test.ts': 'passed' });
    const run = await runs.run();
    expect(runs.asked).toEqual([['--coverage'], ['b.test.ts']]);
    expect(run).toMatchObject({ failures: [], passed: 2, unsteady: ['b.test.ts works'], report: 'the difference' });
    const merged = parseResults(readFileSync(runs.path, 'utf8'));
    expect(merged.tests.map(({ path, state }) => [path, state])).toEqual([
      ['a.test.ts', 'passed'],
      ['b.test.ts', 'passed'],
    ]);
  });

  it('fails what fails twice', async () => {
    const run = await makeRuns({ 'a.test.ts': 'failed' }, { 'a.test.ts': 'failed' }).run();
    expect(run).toMatchObject({ failures: ['a.test.ts'], unsteady: [] });
  });

  it('does not try again when many files fail', async () => {
    const many = {
      'a.test.ts': 'failed',
      'b.test.ts': 'failed',
      'c.test.ts': 'failed',
      'd.test.ts': 'failed',
    } as const;
    const runs = makeRuns(many);
    expect((await runs.run()).failures).toHaveLength(4);
    expect(runs.asked).toHaveLength(1);
  });
});
