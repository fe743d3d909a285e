import { expect, it } from 'vitest';
import { planMonth } from './plan.ts';

it('the demo has four weeks of runs that are over, each on one day, with less on weekends', () => {
  const now = Date.parse('2026-11-16T11:00:00Z');
  const runs = planMonth(now);
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  expect(new Set(runs.map(({ fromMs }) => dayOf(fromMs))).size).toBe(28);
  for (const { fromMs, toMs } of runs) {
    expect(toMs).toBeGreaterThan(fromMs);
    expect(toMs).toBeLessThan(now);
    expect(dayOf(toMs)).toBe(dayOf(fromMs));
  }
  const hoursOn = (day: string) =>
    runs.filter(({ fromMs }) => dayOf(fromMs) === day).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  expect(hoursOn('2026-11-14')).toBeLessThan(hoursOn('2026-11-13'));
});
