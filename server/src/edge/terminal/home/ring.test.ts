import { describe, expect, it } from 'vitest';
import { makeRing } from './ring.ts';

describe('the ring of a home', () => {
  it('keeps the last bytes and knows their offsets', () => {
    const ring = makeRing(10_000);
    const all = Buffer.from(Array.from({ length: 35_000 }, (_, at) => (at * 7) % 251));
    for (let at = 0; at < all.length; at += 777) ring.write(all.subarray(at, at + 777));
    expect([ring.from, ring.to]).toEqual([25_000, 35_000]);
    expect(ring.read(25_000).equals(all.subarray(25_000))).toBe(true);
    expect(ring.read(34_990).equals(all.subarray(34_990))).toBe(true);
    expect(ring.read(0).equals(all.subarray(25_000))).toBe(true);
    expect(ring.read(35_000)).toHaveLength(0);
  });

  it('takes no more memory than it needs, and never more than its bound', () => {
    const ring = makeRing(100_000);
    ring.write(Buffer.from('a'));
    expect(ring.capacity).toBe(4_096);
    for (let count = 0; count < 50; count += 1) ring.write(Buffer.alloc(9_999, count));
    expect(ring.capacity).toBe(100_000);
    ring.write(Buffer.alloc(500_000, 7));
    expect(ring.capacity).toBe(100_000);
    expect(ring.read(0)).toEqual(Buffer.alloc(100_000, 7));
  });

  it('begins anew at another offset', () => {
    const ring = makeRing(1_000);
    ring.write(Buffer.from('before'));
    ring.restart(500);
    ring.write(Buffer.from('after'));
    expect([ring.from, ring.to, ring.read(0).toString()]).toEqual([500, 505, 'after']);
  });
});
