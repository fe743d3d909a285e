import { describe, expect, it } from 'vitest';
import { packed } from './wake-ups.ts';

describe('wake-ups', () => {
  it('travel together, as many as fit into one payload', () => {
    expect(packed(new Set())).toEqual([]);
    expect(packed(new Set(['a', 'b']))).toEqual(['a,b']);
    const words = Array.from({ length: 1_000 }, (_, at) => `${at}`.padStart(36, '0'));
    const payloads = packed(new Set(words));
    expect(payloads.length).toBeLessThan(8);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    expect(payloads.flatMap((payload) => payload.split(','))).toEqual(words);
  });
});
