import { describe, expect, it } from 'vitest';
import { repository } from '../lib/tree.ts';
import { judgeMutants, targets } from './mutation.ts';

const mutant = (status: string, line = 1) => ({
  ...{ status, mutatorName: 'EqualityOperator', replacement: 'a !==\n  b' },
  location: { start: { line, column: 3 } },
});

describe('planted faults', () => {
  it('count as noticed when a test fails or never ends, and not when no test ran them', () => {
    const mutants = ['Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'CompileError'].map((status, at) =>
      mutant(status, at),
    );
    expect(judgeMutants({ files: { 'a.ts': { mutants } } })).toEqual({
      killed: 2,
      mutants: 4,
      survivors: ['a.ts:2:3 EqualityOperator a !== b', 'a.ts:3:3 EqualityOperator a !== b'],
    });
  });

  it('are planted in files that are there, and looked for by tests that are there', () => {
    const paths = repository().paths;
    const patterns = targets.flatMap(({ mutate, tests }) => [...mutate, ...tests]).flatMap(eachOf);
    const isThere = (pattern: string) => paths.some((path) => new RegExp(`^${asExpression(pattern)}$`).test(path));
    expect(patterns.map((pattern) => pattern.replace(/^!/, '')).filter((pattern) => !isThere(pattern))).toEqual([]);
  });
});

/** Each name of a list in braces by itself: one that is gone would hide behind the others. */
function eachOf(pattern: string): string[] {
  const [list, names = ''] = /\{(.*)\}/.exec(pattern) ?? [];
  return list === undefined ? [pattern] : names.split(',').map((name) => pattern.replace(list, name));
}
const asExpression = (pattern: string) =>
  pattern
    .replaceAll('.', '\\.')
    .replaceAll('**/', '(?:.*/)?')
    .replaceAll(/(?<!\))\*/g, '[^/]*');
