import { expect, it } from 'vitest';
import { drawHex, drawUint32 } from './randomness.ts';

it('hands nothing out twice, also across the end of what was drawn', () => {
  const hex = Array.from({ length: 2_000 }, () => drawHex(16));
  expect(new Set(hex).size).toBe(hex.length);
  for (const text of hex) expect(text).toMatch(/^[0-9a-f]{32}$/);
});

it('draws whole numbers of 32 bits from all over their range', () => {
  const numbers = Array.from({ length: 4_000 }, drawUint32);
  for (const number of numbers) expect(number).toBe(number >>> 0);
  for (let bit = 0; bit < 32; bit += 1) {
    const set = numbers.filter((number) => (number >>> bit) & 1).length;
    expect(set).toBeGreaterThan(1_600);
    expect(set).toBeLessThan(2_400);
  }
});
