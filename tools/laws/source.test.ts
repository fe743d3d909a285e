import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listLines, repository, root } from '../lib/tree.ts';
import { showFindings } from './law.ts';
import { sourceLaws } from './source-laws.ts';
import { walls } from './walls.ts';

const builtSql = listLines(readFileSync(join(root, 'tools/laws/exceptions/built-sql.txt'), 'utf8')).map(
  (line) => line.split(' ')[0] ?? '',
);

it.each([...sourceLaws({ builtSql }), walls])('the tree obeys the law $name', (law) => {
  expect(showFindings(law.find(repository()))).toEqual([]);
});

it('no file is excused that does not need it', () => {
  const strict = sourceLaws({ builtSql: [] }).flatMap((law) =>
    law.name === 'no-built-sql' ? law.find(repository()) : [],
  );
  expect(builtSql.filter((path) => !strict.some((finding) => finding.path === path))).toEqual([]);
});

it('the laws look at a tree with files in it', () => {
  expect(repository().paths.filter((path) => path.endsWith('.ts')).length).toBeGreaterThan(50);
});
