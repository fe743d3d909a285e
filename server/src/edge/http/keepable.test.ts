import { describe, expect, it } from 'vitest';
import { unkeepable } from './keepable.ts';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n += 1) value = [value];
  return value;
};

describe('what can be kept', () => {
  it('is all of ordinary JSON', () => {
    const value = { text: 'ä 🎉 \n', list: [0, -1, 1.5, 1e-300, 2 ** 53 - 1, true, null], deep: nested(60) };
    expect(unkeepable(value)).toEqual([]);
    expect(unkeepable(undefined)).toEqual([]);
  });

  it('is not a NUL or half of a surrogate pair, in a value or in a name', () => {
    expect(unkeepable({ a: { b: ['ok', 'x\u0000'] } })).toEqual([
      { at: 'a.b.1', why: 'holds a character that cannot be kept' },
    ]);
    expect(unkeepable({ a: '\udc00' })).toHaveLength(1);
    expect(unkeepable({ 'a\u0000': 1 })).toEqual([{ at: 'a name', why: 'holds a character that cannot be kept' }]);
    expect(unkeepable({ a: { '\ud800': 1 } })[0]?.at).toBe('a');
    expect(unkeepable('\u0000')).toEqual([{ at: '', why: 'holds a character that cannot be kept' }]);
  });

  it('is not a whole number that a double cannot hold exactly', () => {
    expect(unkeepable({ n: 2 ** 53 })).toEqual([{ at: 'n', why: 'is too large a number to be exact' }]);
    expect(unkeepable({ n: -1e300 })).toHaveLength(1);
  });

  it('is not a value without a bottom', () => {
    expect(unkeepable({ a: nested(5_000) })[0]?.why).toBe('is nested too deeply');
  });

  it('is told of a bounded number of times', () => {
    expect(unkeepable(Array.from({ length: 100 }, () => '\u0000'))).toHaveLength(20);
  });
});
