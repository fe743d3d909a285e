import { describe, expect, it } from 'vitest';
import { interleaved, mean, median, medianWithInterval, mulberry32, quantile, ratios } from './statistics.ts';

describe('the order of sides', () => {
  it('runs every second round backwards, so that a drift meets all sides alike', () => {
    expect(interleaved(['A', 'B'], 4).flat().join('')).toBe('ABBAABBA');
    expect(interleaved(['A', 'B', 'C'], 3).flat().join('')).toBe('ABCCBAABC');
  });
  it('cancels a machine that slows down steadily', () => {
    // Both sides are equally fast; every run is slower than the one before.
    let speed = 1_000;
    const done: Record<string, number[]> = { A: [], B: [] };
    for (const side of interleaved(['A', 'B'], 8).flat()) {
      done[side]?.push(speed);
      speed -= 20;
    }
    const { median: ratio, low, high } = medianWithInterval(ratios(done['A'] ?? [], done['B'] ?? []));
    expect(ratio).toBeCloseTo(1, 1);
    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(1);
  });
});

describe('the numbers', () => {
  it('takes the middle value, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
  it('finds percentiles by rank, without inventing values between the samples', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(quantile(hundred, 0.5)).toBe(50);
    expect(quantile(hundred, 0.99)).toBe(99);
    expect(quantile(hundred, 1)).toBe(100);
    expect(quantile([7], 0.01)).toBe(7);
    expect(mean([1, 2, 6])).toBe(3);
  });
  it('divides within a round only, and leaves out a round that lacks a side', () => {
    expect(ratios([10, 20, undefined, 40], [5, undefined, 3, 0])).toEqual([2]);
    expect(median(ratios([1, 100, 9], [2, 200, 18]))).toBe(0.5);
  });
});

describe('the bootstrap', () => {
  const samples = [0.9, 1.1, 1.0, 1.2, 0.95, 1.05, 1.15];
  it('gives the same interval for the same samples and seed', () => {
    expect(medianWithInterval(samples, 7)).toEqual(medianWithInterval(samples, 7));
  });
  it('holds the median between its ends, and its ends inside the samples', () => {
    const { median: middle, low, high } = medianWithInterval(samples);
    expect(middle).toBe(1.05);
    expect(low).toBeLessThanOrEqual(middle);
    expect(high).toBeGreaterThanOrEqual(middle);
    expect(low).toBeGreaterThanOrEqual(0.9);
    expect(high).toBeLessThanOrEqual(1.2);
    expect(low).toBeLessThan(high);
  });
  it('is a point when all samples agree', () => {
    expect(medianWithInterval([2, 2, 2])).toEqual({ median: 2, low: 2, high: 2 });
  });
  it('covers the true median of a known distribution about as often as it says', () => {
    const random = mulberry32(42);
    let covered = 0;
    for (let trial = 0; trial < 200; trial += 1) {
      const drawn = Array.from({ length: 15 }, () => random());
      const { low, high } = medianWithInterval(drawn, trial, 400);
      if (low <= 0.5 && high >= 0.5) covered += 1;
    }
    expect(covered / 200).toBeGreaterThan(0.88);
    expect(covered / 200).toBeLessThanOrEqual(1);
  });
});
