import type { UsagePoint } from '@gpuaas/sdk';
import { type Amount, spellMoney } from '../money.ts';
import { shortId } from '../sizes.ts';
import { spellDay } from './usage.ts';

/** A group of the chart and of the table below it. */
export interface SeriesGroup {
  readonly key: string;
  readonly name: string;
  readonly amount: Amount;
  readonly quantityMs: string;
  /** Of everything, in hundredths; cut. */
  readonly percent: number;
}
export interface SeriesColumn {
  /** When it begins. */
  readonly at: string;
  readonly label: string;
  readonly total: Amount;
  /** What each drawn group cost, in minor units, in the order of the groups; the last one is all others. */
  readonly parts: readonly number[];
}
export interface Series {
  readonly groups: readonly SeriesGroup[];
  /** The groups that are drawn by themselves; the rest is one more. */
  readonly drawn: readonly string[];
  readonly columns: readonly SeriesColumn[];
  readonly total: Amount;
}
export type Interval = 'hour' | 'day' | 'month';

/** One colour less than the chart has: the last is for the others together. */
export const mostDrawn = 5;

const hourFace = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' },
});
const monthFace = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
export const spellBucket = (interval: Interval, at: string): string =>
  interval === 'hour'
    ? hourFace.format(new Date(at))
    : interval === 'month'
      ? monthFace.format(new Date(at))
      : spellDay(at);

const hourMs = 3_600_000;
const stepMs = { hour: hourMs, day: 24 * hourMs } as const;
/** Every hour, day or month of the period, so that one without usage is seen as such. */
function bucketsOf(interval: Interval, from: string, to: string): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  if (interval === 'month') {
    const at = new Date(first);
    const months: string[] = [];
    for (let next = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1); next <= last; ) {
      months.push(new Date(next).toISOString());
      const then = new Date(next);
      next = Date.UTC(then.getUTCFullYear(), then.getUTCMonth() + 1, 1);
    }
    return months;
  }
  const count = Math.round((last + stepMs.day - first) / stepMs[interval]);
  return Array.from({ length: count }, (_, index) => new Date(first + index * stepMs[interval]).toISOString());
}

const nameOf = (by: string, { key, name }: UsagePoint): string =>
  name ?? (key === '' ? 'Everything' : by === 'sku' ? key : shortId(key));

/** Points as columns of a chart and rows of a table. Sums are whole numbers, so they fit the ledger to the minor unit. */
export function stack(
  points: readonly UsagePoint[],
  of: {
    readonly interval: Interval;
    readonly by: string;
    readonly from: string;
    readonly to: string;
    readonly currency: string;
  },
): Series {
  const money = (amount: bigint): Amount => ({ amount_minor: String(amount), currency: of.currency });
  const sums = new Map<string, { name: string; amount: bigint; quantity: bigint }>();
  for (const point of points) {
    const before = sums.get(point.key) ?? { name: nameOf(of.by, point), amount: 0n, quantity: 0n };
    sums.set(point.key, {
      name: before.name,
      amount: before.amount + BigInt(point.amount.amount_minor),
      quantity: before.quantity + BigInt(point.quantity_ms),
    });
  }
  const total = [...sums.values()].reduce((sum, { amount }) => sum + amount, 0n);
  const groups = [...sums]
    .sort(([a, one], [b, other]) =>
      one.amount === other.amount ? a.localeCompare(b) : one.amount < other.amount ? 1 : -1,
    )
    .map(([key, { name, amount, quantity }]) => ({
      ...{ key, name, amount: money(amount), quantityMs: String(quantity) },
      percent: total === 0n ? 0 : Number((amount * 100n) / total),
    }));
  const drawn = groups.slice(0, mostDrawn).map(({ key }) => key);
  const byBucket = Map.groupBy(points, ({ at }) => new Date(at).toISOString());
  const columns = bucketsOf(of.interval, of.from, of.to).map((at) => {
    const here = byBucket.get(at) ?? [];
    const parts = [...drawn.map(() => 0), 0];
    for (const { key, amount } of here) {
      const place = drawn.indexOf(key);
      const index = place < 0 ? drawn.length : place;
      parts[index] = (parts[index] ?? 0) + Number(amount.amount_minor);
    }
    const sum = here.reduce((all, { amount }) => all + BigInt(amount.amount_minor), 0n);
    return { at, label: spellBucket(of.interval, at), total: money(sum), parts };
  });
  return { groups, drawn, columns, total: money(total) };
}

/** How tall a bar of these layers is. */
export const heightOf = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + part, 0);

/** What a column says when it is pointed at. */
export function tellColumn({ label, total, parts }: SeriesColumn, names: readonly string[]): string {
  const pieces = parts.flatMap((minor, index) =>
    minor === 0
      ? []
      : [`${names[index] ?? 'Others'} ${spellMoney({ amount_minor: String(minor), currency: total.currency })}`],
  );
  return `${label}: ${spellMoney(total)}${pieces.length > 1 ? ` (${pieces.join(', ')})` : ''}`;
}
