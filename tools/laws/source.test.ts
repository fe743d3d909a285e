import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listLines, repository, root } from '../lib/tree.ts';
import { showFindings } from './law.ts';
import { readCounts } from './ratchet.ts';
import { noBareNumbers, noBuiltSql, sourceLaws } from './source-laws.ts';
import { walls } from './walls.ts';

const listed = (name: string) =>
  listLines(readFileSync(join(root, `tools/laws/exceptions/${name}.txt`), 'utf8')).map(
    (line) => line.split(' ')[0] ?? '',
  );
const excused = {
  builtSql: listed('built-sql'),
  bareNumbers: listed('bare-numbers'),
  words: readCounts(readFileSync(join(root, 'tools/laws/exceptions/counts.txt'), 'utf8')),
};

it.each([...sourceLaws(excused), walls])('the tree obeys the law $name', (law) => {
  expect(showFindings(law.find(repository()))).toEqual([]);
});

it.each([
  { law: noBuiltSql([]), paths: excused.builtSql },
  { law: noBareNumbers([]), paths: excused.bareNumbers },
])('no file is excused from $law.name that does not need it', ({ law, paths }) => {
  const found = law.find(repository());
  expect(paths.filter((path) => !found.some((finding) => finding.path === path))).toEqual([]);
});

it('the laws look at a tree with files in it', () => {
  expect(repository().paths.filter((path) => path.endsWith('.ts')).length).toBeGreaterThan(50);
});
