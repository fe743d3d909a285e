import { describe, expect, it } from 'vitest';
import { repository } from '../../lib/tree.ts';

/** Pages that explain one part of the product: short, with a drawing, and true to files that are there (links-lead-somewhere). */
const tree = repository();
const wanted = [
  'events-and-outbox',
  'local-development',
  'observability',
  'slices',
  'terminal-security',
  'workload-access',
];
const longest = 100;

describe('the pages that explain', () => {
  it('are there for events, local development, observability, slices, terminals and ways into a workload', () => {
    const pages = tree.paths.flatMap((path) => /^docs\/concepts\/(.+)\.md$/.exec(path)?.[1] ?? []);
    expect(pages).toEqual(wanted);
  });

  it.each(wanted)('%s says first what it is for, draws it, and names the code', (name) => {
    const text = tree.text(`docs/concepts/${name}.md`);
    const [, lead = ''] = text.split('\n\n');
    expect(lead).toMatch(/Read it (?:before|when|on) /);
    expect(text).toContain('```mermaid\n');
    const code = [...text.matchAll(/\]\((?:\.\.\/)+((?:server|agent|contract|tools|deploy|vitest)[^)#]*)\)/g)].map(
      ([, file = '']) => file,
    );
    expect(new Set(code).size).toBeGreaterThan(1);
    expect(text.split('\n').length).toBeLessThan(longest);
  });

  it.each(wanted)('%s is in the index', (name) => {
    expect(tree.text('docs/README.md')).toContain(`(concepts/${name}.md)`);
  });

  it('answer for each way into a workload who opens it, who may, where it is seen and by what it is scaled', () => {
    const rows = tree
      .text('docs/concepts/workload-access.md')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    expect(rows[0]).toBe('| surface | opened with | who may | decided by | seen in | scaled by |');
    expect(rows.slice(1).map((row) => row.split(' | ')[0])).toEqual([
      '| terminal',
      '| SSH',
      '| pages of an app',
      '| API of an app',
      '| metrics, logs, status',
      '| tools of the platform',
    ]);
  });

  it('say in the page about releases that there is no faster profile', () => {
    expect(tree.text('docs/releasing.md')).toMatch(/\*\*no fast profile\*\*, no flag that skips a check/);
  });
});
