/**
 * How a comparison on a machine with neighbours becomes a number.
 *
 * The speed of a shared machine changes by a factor within minutes, so a figure of side A from one minute says nothing
 * about a figure of side B from another. Sides therefore run right after each other in rounds, every second round
 * backwards (A B, B A, A B): whatever drifts slowly meets both alike. Each round gives one ratio; the result is their
 * median, and the bootstrap says how far another set of rounds might have put it.
 */

/** The order in which sides run: one list per round, every second one reversed. */
export const interleaved = <T>(sides: readonly T[], rounds: number): T[][] =>
  Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? [...sides] : [...sides].reverse()));

export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The smallest value that at least this share of all values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Round by round, `over` divided by `under`. A round that lacks either side, or whose divisor is zero, has no ratio. */
export function ratios(over: readonly (number | undefined)[], under: readonly (number | undefined)[]): number[] {
  return over.flatMap((value, round) => {
    const divisor = under[round];
    return value === undefined || divisor === undefined || divisor === 0 ? [] : [value / divisor];
  });
}

export interface Interval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The median with a 95 % interval by the percentile bootstrap: the rounds are drawn again with replacement, many times,
 * and the middle 95 % of the medians is the interval. Seeded, so that the same samples always give the same interval.
 */
export function medianWithInterval(values: readonly number[], seed = 1, draws = 4_000): Interval {
  const random = mulberry32(seed);
  const medians = Array.from({ length: draws }, () =>
    median(values.map(() => values[Math.floor(random() * values.length)] ?? Number.NaN)),
  );
  return { median: median(values), low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}

/** A small generator of repeatable numbers in [0, 1); good enough to draw samples, and for nothing secret. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
