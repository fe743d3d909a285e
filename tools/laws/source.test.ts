import { expect, it } from 'vitest';
import { repository } from '../lib/tree.ts';
import { showFindings } from './law.ts';
import { sourceLaws } from './source-laws.ts';
import { walls } from './walls.ts';

it.each([...sourceLaws, walls])('the tree obeys the law $name', (law) => {
  expect(showFindings(law.find(repository()))).toEqual([]);
});

it('the laws look at a tree with files in it', () => {
  expect(repository().paths.filter((path) => path.endsWith('.ts')).length).toBeGreaterThan(50);
});
