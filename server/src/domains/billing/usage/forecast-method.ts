import { fewestForecastDays, fewestWeekdayDays, forecastBand, weekDays } from '../facts.ts';

/**
 * What the days ahead will cost: the mean of the same weekday in the last four weeks. Each past day is compared with the mean of
 * the other days of its kind, as if it had been forecast; that says how far a day strays. The band of one day is the 10th to the 90th percentile of that. The band of a sum of n days is the square
 * root of n times as wide, as for days that stray independently of each other.
 */
export interface Expectation {
  readonly expected: bigint;
  readonly low: bigint;
  readonly high: bigint;
}
export interface Forecast {
  /** Whole days that it rests on. */
  readonly daysUsed: number;
  readonly ofDays: readonly Expectation[];
  ofSum(days: number): Expectation;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
/** Linear between the two nearest values. */
function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = at * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}
/** Estimates are rounded to whole minor units and never below zero. */
const minor = (value: number): bigint => BigInt(Math.max(0, Math.round(value)));

/**
 * `past` has the cost of whole days, oldest first and without gaps; the last one is yesterday. `weekdayOfToday` counts from 0.
 * Undefined when there are too few days.
 */
export function forecast(past: readonly bigint[], weekdayOfToday: number, ahead: number): Forecast | undefined {
  if (past.length < fewestForecastDays) return undefined;
  const costs = past.map(Number);
  const weekdayOf = (fromToday: number) => (((weekdayOfToday + fromToday) % weekDays) + weekDays) % weekDays;
  const isByWeekday = past.length >= fewestWeekdayDays;
  const meanOf = (fromToday: number): number =>
    mean(
      costs.filter((_, at) => {
        const past = at - costs.length;
        return past !== fromToday && (!isByWeekday || weekdayOf(past) === weekdayOf(fromToday));
      }),
    );
  const [lowest, highest] = forecastBand;
  const strays = costs.map((cost, at) => cost - meanOf(at - costs.length));
  const [below, above] = [quantile(strays, lowest), quantile(strays, highest)];
  const means = Array.from({ length: ahead }, (_, day) => meanOf(day));
  const around = (middle: number, width: number): Expectation => ({
    ...{ expected: minor(middle), low: minor(middle + Math.min(0, below) * width) },
    high: minor(middle + Math.max(0, above) * width),
  });
  return {
    daysUsed: past.length,
    ofDays: means.map((middle) => around(middle, 1)),
    ofSum: (days) =>
      around(
        means.slice(0, days).reduce((sum, value) => sum + value, 0),
        Math.sqrt(days),
      ),
  };
}
