import { describe, expect, it } from 'vitest';
import type { Results } from '../results.ts';
import { isAppPage, judgeAppPage, statusOf, unprovenOf, withHeader } from './app-pages.ts';
import type { Capability } from './row.ts';

const rows: readonly Capability[] = [
  { id: 'A-01', words: 'Shown', by: { 'a.test.ts': ['works'], 'a.production.test.ts': ['works for real'] } },
  { id: 'A-02', words: 'The same', sameAs: 'A-01' },
  { id: 'A-03', words: 'Not yet', notBuilt: true },
];
const ran = (path: string, title: string, state: 'passed' | 'failed' = 'passed'): Results => ({
  tests: [{ path, titles: [title], state, failures: [] }],
  brokenFiles: [],
});
const unit = ran('a.test.ts', 'works');
const production = ran('a.production.test.ts', 'works for real');

describe('a page about apps', () => {
  it('is known by its name', () => {
    const pages = ['docs/guides/publish-an-app.md', 'docs/guides/app-instances.md', 'docs/tutorials/first-app.md'];
    for (const path of [...pages, 'apps/README.md']) expect(isAppPage(path), path).toBe(true);
    for (const path of ['docs/guides/billing.md', 'docs/guides/apples.md']) expect(isAppPage(path), path).toBe(false);
  });

  it('has the status that its rows have', () => {
    expect(statusOf(['A-01', 'A-02'], rows)).toBe('shipped');
    expect(statusOf(['A-01', 'A-03'], rows)).toBe('partial');
    expect(statusOf(['A-03'], rows)).toBe('design');
  });

  it('is verified only by tests of its rows that ran and passed in both halves', () => {
    expect(unprovenOf(['A-02'], rows, { unit, production })).toEqual([]);
    const failed = ran('a.production.test.ts', 'works for real', 'failed');
    expect(unprovenOf(['A-01'], rows, { unit, production: failed })).toHaveLength(1);
    expect(unprovenOf(['A-01'], rows, { unit: { tests: [], brokenFiles: [] }, production })).toHaveLength(1);
    expect(unprovenOf(['A-09'], rows, { unit, production })).toEqual(['there is no row A-09']);
  });

  it('gets a header that is good for 90 days, and keeps what else stands in it', () => {
    const made = { status: 'shipped', commit: '0123456789ab', date: '2026-11-19' };
    const page = withHeader('---\nstatus: design\ncapabilities: A-01\n---\n\n# A\n', made);
    expect(page).toBe(
      '---\nstatus: shipped\ncapabilities: A-01\nlast_verified_against_code: 0123456789ab 2026-11-19\n---\n\n# A\n',
    );
    expect(withHeader(page, made)).toBe(page);
    expect(judgeAppPage(page, '2027-02-17')).toEqual([]);
    expect(judgeAppPage(page, '2027-02-18')).toEqual([expect.stringContaining('more than 90 days ago')]);
    expect(judgeAppPage(page, '2026-11-01')).toEqual([expect.stringContaining('later than the newest commit')]);
    expect(judgeAppPage('# A\n', '2026-11-19')).toHaveLength(3);
    expect(judgeAppPage(page.replace('0123456789ab', 'today'), '2026-11-19')).toHaveLength(1);
  });
});
