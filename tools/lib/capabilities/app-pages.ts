import { frontMatter, withoutFrontMatter } from '../document.ts';
import type { Results } from '../results.ts';
import { judgeProofs } from './judge.ts';
import { isShown, stateOf } from './page.ts';
import { type Capability, isProductionFile } from './row.ts';
import { statusHeader } from './status.ts';

/**
 * Pages about apps say in their header what is built and when that was last compared with the code: `status` and
 * `last_verified_against_code: COMMIT DATE`. `tools/dev/verify-app-pages.ts` writes both from the results of tests.
 */
export const isAppPage = (path: string): boolean =>
  /^docs\/(?:guides|tutorials)\/(?:[a-z0-9-]+-)?apps?(?:-[a-z0-9-]+)?\.md$/.test(path) ||
  path === 'docs/guides/containers-on-hosts.md' ||
  path === 'apps/README.md';

export const verifiedField = 'last_verified_against_code';
const verifiedForm = /^([0-9a-f]{12}) (\d{4}-\d{2}-\d{2})$/;
const mostDays = 90;
const dayMs = 86_400_000;

/** What is wrong with the header of a page. Days are counted to the newest commit, so that an old release stays as good as it was. */
export function judgeAppPage(text: string, newest: string): string[] {
  const { status, capabilities } = statusHeader(text);
  const [, , date] = verifiedForm.exec(frontMatter(text)[verifiedField] ?? '') ?? [];
  const days = (Date.parse(newest) - Date.parse(date ?? '')) / dayMs;
  const again = 'run the tests and node tools/dev/verify-app-pages.ts';
  return [
    ...(status === undefined ? ['has no status in its header'] : []),
    ...(capabilities.length === 0 ? ['names no capabilities in its header'] : []),
    ...(Number.isNaN(days) ? [`has no ${verifiedField} in its header (commit and date): ${again}`] : []),
    ...(days > mostDays
      ? [`was last compared with the code on ${date}, more than ${mostDays} days ago: ${again}`]
      : []),
    ...(days < -1 ? [`says that it was compared with the code on ${date}, which is later than the newest commit`] : []),
  ];
}

/** The status of a page, by the rows that it names. */
export function statusOf(ids: readonly string[], rows: readonly Capability[]): 'shipped' | 'partial' | 'design' {
  const shown = ids.map((id) => {
    const row = rows.find((each) => each.id === id);
    return row !== undefined && isShown(stateOf(row, rows));
  });
  if (shown.length > 0 && shown.every(Boolean)) return 'shipped';
  return shown.some(Boolean) ? 'partial' : 'design';
}

/** Tests of the rows of a page that did not run or did not pass, whichever half they run in. */
export function unprovenOf(
  ids: readonly string[],
  rows: readonly Capability[],
  results: { readonly unit: Results; readonly production: Results },
): string[] {
  const named = rows.filter(({ id }) => ids.includes(id));
  const others = named.flatMap((row) => ('sameAs' in row ? rows.filter(({ id }) => id === row.sameAs) : []));
  const all = [...new Set([...named, ...others])];
  const unknown = ids.filter((id) => !named.some((row) => row.id === id)).map((id) => `there is no row ${id}`);
  const inHalf = (half: 'unit' | 'production') =>
    all.some(
      (row) => 'by' in row && Object.keys(row.by).some((path) => isProductionFile(path) === (half === 'production')),
    )
      ? judgeProofs(all, results[half], half)
      : [];
  return [...unknown, ...inHalf('unit'), ...inHalf('production')];
}

/** The page with a header that says this. */
export function withHeader(
  text: string,
  header: { readonly status: string; readonly commit: string; readonly date: string },
): string {
  const { status: _, [verifiedField]: __, ...others } = frontMatter(text);
  const lines = Object.entries({
    status: header.status,
    ...others,
    [verifiedField]: `${header.commit} ${header.date}`,
  }).map(([name, value]) => `${name}: ${value}\n`);
  return `---\n${lines.join('')}---\n\n${withoutFrontMatter(text).trimStart()}`;
}
