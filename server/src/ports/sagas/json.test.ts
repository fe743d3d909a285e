import { describe, expect, it } from 'vitest';
import { asJson } from './json.ts';

describe('what a saga carries', () => {
  it('is what JSON gives back', () => {
    const value = { a: [1, 'x', null, true, { b: {} }], c: undefined };
    expect(asJson(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
    expect(asJson(undefined)).toBeUndefined();
  });

  it('is refused with its place when JSON would bend it', () => {
    expect(() => asJson({ a: [{ at: new Date(0) }] }, 'params')).toThrow('params.a[0].at is a Date');
    expect(() => asJson({ n: 1n }, 'params')).toThrow('params.n is a bigint');
    expect(() => asJson({ n: Number.NaN }, 'params')).toThrow('params.n is NaN');
    expect(() => asJson(new Map())).toThrow('is a Map');
  });
});
