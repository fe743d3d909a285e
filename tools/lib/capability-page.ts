import { type CapabilityGroup, capabilityGroups, rowIds } from './capability-rows.ts';
import { frontMatter } from './document.ts';
import { fullTitle, type Results } from './results.ts';

/** For each row, by its id, the files whose passing tests carry it in brackets: `[GAP-01] a replay answers ...`. */
export type Shown = ReadonlyMap<string, readonly string[]>;

const tag = /\[([A-Z]+-[A-Z]*\d+[a-z]?|[A-Z]+-[A-Z]+)\]/g;

export const idsIn = (title: string): string[] => [...title.matchAll(tag)].map((match) => match[1] ?? '');

/** One failing or skipped test of a row takes the whole claim away. */
export function shownBy(results: Results, groups: readonly CapabilityGroup[] = capabilityGroups): Shown {
  const rowOf = rowIds(groups);
  const good = new Map<string, Set<string>>();
  const spoiled = new Set<string>();
  for (const test of results.tests) {
    for (const id of idsIn(fullTitle(test)).map((any) => rowOf.get(any) ?? any)) {
      if (test.state !== 'passed') spoiled.add(id);
      good.set(id, (good.get(id) ?? new Set()).add(test.path));
    }
  }
  return new Map([...good].filter(([id]) => !spoiled.has(id)).map(([id, paths]) => [id, [...paths].sort()]));
}

/** Ids in test titles that no row of the catalogue has. */
export function unknownIds(results: Results, groups: readonly CapabilityGroup[] = capabilityGroups): string[] {
  const known = rowIds(groups);
  const used = new Set(results.tests.flatMap((test) => idsIn(fullTitle(test))));
  return [...used].filter((id) => !known.has(id)).sort();
}

export function capabilityPage(shown: Shown, groups: readonly CapabilityGroup[] = capabilityGroups): string {
  const rows = groups.flatMap((group) => group.rows);
  const built = rows.filter((row) => shown.has(row.id)).length;
  const link = (path: string) => `[${path.replace(/^.*\//, '')}](../${path})`;
  const sections = groups.map((group) => {
    const lines = group.rows.map(({ id, words }) => {
      const files = shown.get(id);
      return `| ${words} | ${id} | ${files ? `shown in ${files.map(link).join(', ')}` : 'not built yet'} |`;
    });
    return `## ${group.name}\n\n| capability | id | state |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Capability matrix

Written from the results of the last test run by \`node tools/gates/capabilities.ts --write\`; a build fails when this
page claims more, or less, than the tests of that build show. ${built} of ${rows.length} rows are shown.

${sections.join('\n')}
## What this is

A control plane for GPU capacity under construction. Each row above that names a test file is shown by tests that ran and
passed there, on real databases and over real connections.

## What it is not yet

Every row that says "not built yet". No row is half true: what is built only in part has rows of its own or none, and
"GPU slicing" would mean whole GPUs in virtual machines, not fractions of a GPU, unless a row says MIG.
`;
}

export interface StatusHeader {
  readonly status: string | undefined;
  readonly capabilities: readonly string[];
}

/** The front matter of a document: \`status: shipped\` and \`capabilities: GAP-01, GAP-02\`. */
export function statusHeader(text: string): StatusHeader {
  const { status, capabilities: ids = '' } = frontMatter(text);
  return {
    status,
    capabilities: ids
      .replace(/^\[|\]$/g, '')
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
  };
}

/** What is wrong with the claim of one document, judged by what was shown. */
export function judgeStatus(path: string, text: string, shown: Shown): string[] {
  const header = statusHeader(text);
  const rowOf = rowIds(capabilityGroups);
  const status = header.status;
  const capabilities = header.capabilities.map((id) => rowOf.get(id) ?? id);
  const has = capabilities.filter((id) => shown.has(id));
  const lacks = capabilities.filter((id) => !shown.has(id));
  if (status === undefined) return [`${path} has no status; open it with "status: shipped", "partial" or "design"`];
  switch (status) {
    case 'shipped':
      if (capabilities.length === 0) return [`${path} says shipped and names no capability that shows it`];
      return lacks.map((id) => `${path} says shipped, but no passing test shows ${id}`);
    case 'partial':
      return has.length > 0 ? [] : [`${path} says partial, but no passing test shows any of its capabilities`];
    case 'design':
      return has.map((id) => `${path} says design, but ${id} is shown; say partial or shipped`);
    default:
      return [`${path} has the status "${status}"; there are shipped, partial and design`];
  }
}
