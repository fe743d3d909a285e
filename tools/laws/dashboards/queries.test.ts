import { describe, expect, it } from 'vitest';
import { repository } from '../../lib/tree.ts';
import { boards, groupsIn, listedMetrics, metricsOf, queriesOf, readBoard, valuesIn } from './queries.ts';

const tree = repository();
const listed = listedMetrics();
const queries = boards.flatMap(queriesOf);
/** Labels that every series has. */
const everywhere = ['process', 'instance', 'job', 'le'];
const sources = tree.paths
  .filter(
    (path) =>
      /^(?:server|contract|agent)\/src\/.*\.ts$/.test(path) &&
      !path.endsWith('.test.ts') &&
      !path.includes('/generated/'),
  )
  .map((path) => tree.text(path))
  .join('\n');
/** Classes of answers are computed: 2xx to 5xx. */
const isComputed = (value: string) => /^[1-5]xx$/.test(value) || value.startsWith('/');

describe('a query of a dashboard', () => {
  it.each(queries)('$board, $panel: groups and shows labels that its metric has: $expr', (query) => {
    const known = new Set([...everywhere, ...metricsOf(query.expr, listed).flatMap(({ labels }) => labels)]);
    expect(groupsIn(query).filter((label) => !known.has(label))).toEqual([]);
  });

  it('asks for values of labels that the product writes', () => {
    const asked = queries.flatMap(({ expr }) => valuesIn(expr)).filter(({ value }) => !isComputed(value));
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter(({ value }) => !sources.includes(`'${value}'`))).toEqual([]);
    expect(sources.includes(`'on the moon'`)).toBe(false);
  });

  it('has a board for each part of the product that an operator watches', () => {
    expect(boards.map((file) => readBoard(file).title)).toEqual([
      'GPUaaS / API RED',
      'GPUaaS / Apps',
      'GPUaaS / Billing',
      'GPUaaS / Events & DLQ',
      'GPUaaS / Fleet',
      'GPUaaS / Logs of nodes',
      'GPUaaS / Notifications',
      'GPUaaS / Terminals',
    ]);
  });

  it('is on a board that runbooks call by its title', () => {
    const titles = new Set(boards.map((file) => readBoard(file).title.replace('GPUaaS / ', '')));
    const named = tree.paths
      .filter((path) => path.startsWith('docs/runbooks/') && path.endsWith('.md'))
      .flatMap((path) => [...tree.text(path).matchAll(/dashboard \*([^*]+)\*/g)].map(([, title = '']) => title));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((title) => !titles.has(title))).toEqual([]);
  });
});
