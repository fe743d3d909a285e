import { describe, expect, it } from 'vitest';
import { forecast } from './forecast-method.ts';

/** Four weeks that end on a Sunday: weekdays cost 100, weekends 10. Today is a Monday. */
const weeks = Array.from({ length: 28 }, (_, day) => (day % 7 < 5 ? 100n : 10n));
const monday = 1;

describe('a forecast', () => {
  it('follows the weekday, and has no width when every week is the same', () => {
    const made = forecast(weeks, monday, 7);
    expect(made?.ofDays.map(({ expected }) => expected)).toEqual([100n, 100n, 100n, 100n, 100n, 10n, 10n]);
    expect(made?.ofDays.every(({ low, expected, high }) => low === expected && high === expected)).toBe(true);
    expect(made?.ofSum(7)).toEqual({ expected: 520n, low: 520n, high: 520n });
  });

  it('has a band that grows with the square root of the days, and never goes below zero', () => {
    const restless = Array.from({ length: 28 }, (_, day) => (Math.floor(day / 7) % 2 === 0 ? 80n : 120n));
    const made = forecast(restless, monday, 16);
    expect(made?.ofDays[0]).toEqual({ expected: 100n, low: 73n, high: 127n });
    expect(made?.ofSum(16)).toEqual({ expected: 1_600n, low: 1_493n, high: 1_707n });
    expect(forecast([0n, 0n, 900n], monday, 1)?.ofSum(1).low).toBe(0n);
  });

  it('takes all days as one kind with less than two weeks, and is absent with less than three days', () => {
    expect(forecast([10n, 20n, 30n], monday, 2)?.ofDays.map(({ expected }) => expected)).toEqual([20n, 20n]);
    expect(forecast([10n, 20n], monday, 2)).toBeUndefined();
  });

  it('holds three of four days that stray as those before', () => {
    // A small generator (mulberry32), so that the days are the same in every run.
    let seed = 42;
    const stray = () => {
      seed = (seed + 0x6d_2b_79_f5) | 0;
      let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return BigInt(900 + (((mixed ^ (mixed >>> 14)) >>> 0) % 200));
    };
    const held = Array.from({ length: 200 }, () => {
      const day = forecast(Array.from({ length: 28 }, stray), monday, 1)?.ofDays[0];
      const cost = stray();
      return day !== undefined && cost >= day.low && cost <= day.high;
    }).filter(Boolean).length;
    expect(held).toBeGreaterThan(150);
  });
});
