import { describe, expect, it } from 'vitest';
import { judgeRefusals } from './refusals.ts';

describe('codes that were seen', () => {
  it('are all of the contract, but for the excused ones', () => {
    const seen = 'one src/a.test.ts\none src/b.test.ts\ntwo src/a.test.ts\n';
    expect(judgeRefusals(['one', 'two'], seen, [])).toEqual({ findings: [], note: '2 codes' });
    expect(judgeRefusals(['one', 'two', 'three'], seen, []).findings).toEqual(['no test got three out of the product']);
    expect(judgeRefusals(['one', 'two', 'three'], seen, ['three']).findings).toEqual([]);
  });

  it('make an excuse needless, which is said', () => {
    expect(judgeRefusals(['one'], 'one src/a.test.ts\n', ['one']).note).toBe('1 codes; excused and seen: one');
    expect(judgeRefusals(['one'], 'one src/a.test.ts\n', ['gone']).findings).toEqual([
      'gone is excused and is no code of the contract',
    ]);
  });
});
