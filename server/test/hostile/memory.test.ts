import { describe, expect, it } from 'vitest';
import { bytesKeptEach } from './memory.ts';
import { mostBytesKept } from './requests.ts';

const rounds = 5_000;

describe('what a request may leave behind', () => {
  it('is exceeded by a list that keeps two kilobytes of each, on the heap', async () => {
    const kept: number[][] = [];
    const each = await bytesKeptEach(rounds, async () => {
      for (let n = 0; n < rounds; n += 1) kept.push(Array.from({ length: 256 }, () => n + 0.5));
    });
    expect(kept).toHaveLength(rounds);
    expect(each).toBeGreaterThan(mostBytesKept);
  });

  it('is exceeded by buffers that are kept, which are not on the heap', async () => {
    const kept: Buffer[] = [];
    const each = await bytesKeptEach(rounds, async () => {
      for (let n = 0; n < rounds; n += 1) kept.push(Buffer.alloc(2_048, n));
    });
    expect(kept).toHaveLength(rounds);
    expect(each).toBeGreaterThan(mostBytesKept);
  });

  it('is not exceeded by what is let go of', async () => {
    const each = await bytesKeptEach(rounds, async () => {
      let last: unknown;
      for (let n = 0; n < rounds; n += 1) last = [Buffer.alloc(8_192), last ? n : undefined];
      return last;
    });
    expect(each).toBeLessThan(mostBytesKept);
  });
});
