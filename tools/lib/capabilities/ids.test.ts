import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../tree.ts';
import { capabilityRows } from './index.ts';
import { judgeIds, judgeRows } from './judge.ts';

it('every requirement of the committed list has a row, the last number of a family too', () => {
  const list = readFileSync(join(root, 'tools/lib/capabilities/ids.txt'), 'utf8');
  expect(judgeIds(capabilityRows, list)).toEqual([]);
  const cut = capabilityRows.filter(({ id }) => id !== 'RRC-11');
  expect(judgeRows(cut)).toEqual([]);
  expect(judgeIds(cut, list)).toEqual(['the row RRC-11 is missing']);
});
