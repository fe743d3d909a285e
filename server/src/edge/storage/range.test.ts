import { describe, expect, it } from 'vitest';
import { readRange } from './range.ts';

describe('a range of a download', () => {
  it.each([
    ['bytes=0-0', 10, { kind: 'part', start: 0, end: 0 }],
    ['bytes=3-', 10, { kind: 'part', start: 3, end: 9 }],
    ['bytes=3-99', 10, { kind: 'part', start: 3, end: 9 }],
    ['bytes=-4', 10, { kind: 'part', start: 6, end: 9 }],
    ['bytes=-40', 10, { kind: 'part', start: 0, end: 9 }],
    ['bytes=10-', 10, { kind: 'unsatisfiable' }],
    ['bytes=0-', 0, { kind: 'unsatisfiable' }],
    ['bytes=-0', 10, { kind: 'unsatisfiable' }],
  ])('%s of %d bytes is understood', (header, size, expected) => {
    expect(readRange(header, size)).toEqual(expected);
  });

  it.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=5-3', 'bytes=0-1,4-5', 'items=0-1', 'bytes=a-b', 'bytes=1-1e9'])(
    '%j asks for the whole',
    (header) => {
      expect(readRange(header, 10)).toEqual({ kind: 'whole', start: 0, end: 9 });
    },
  );
});
