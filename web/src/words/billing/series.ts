import type { UsagePoint } from '@gpuaas/sdk';
import { heightOf, layersOf } from '../charts/layers.ts';
import { type Amount, spellMoney } from '../money.ts';
import { nameOfGroup, spellDay } from './usage.ts';

/** A group of the chart and of the table below it. */
export interface SeriesGroup {
  readonly key: string;
  readonly name: string;
  readonly amount: Amount;
  readonly quantityMs: string;
  /** Of the quantity; null where the group has several, and the quantity is that of GPU time. */
  readonly meter: UsagePoint['meter'];
  /** Of everything, in hundredths; cut. */
  readonly percent: number;
  readonly simulated: boolean | null;
}
/** What a group comes to in the whole time, as the server says it. */
export interface GroupTotal {
  readonly key: string;
  readonly name: string | null;
  readonly amount: Amount;
  readonly quantity_ms: string;
  readonly meter: UsagePoint['meter'];
  /** Of one allocation; left out or null for other groups. */
  readonly simulated?: boolean | null;
}
export interface SeriesColumn {
  /** When it begins. */
  readonly at: string;
  readonly label: string;
  readonly currency: string;
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

const nameOf = (by: string, { key, name }: GroupTotal): string => name ?? nameOfGroup(by, key);
const shareOf = (part: Amount, whole: Amount): number =>
  BigInt(whole.amount_minor) === 0n ? 0 : Number((BigInt(part.amount_minor) * 100n) / BigInt(whole.amount_minor));

/**
 * Points as columns of a chart, and groups as rows of a table. The points may be cut at the end of a page, so the figures of
 * the groups and the total are those of the server, which adds up every line.
 */
export function stack(
  points: readonly UsagePoint[],
  totals: { readonly total: Amount; readonly groups: readonly GroupTotal[] },
  of: { readonly interval: Interval; readonly by: string; readonly from: string; readonly to: string },
): Series {
  const { total } = totals;
  const groups = totals.groups.map((group) => ({
    ...{ key: group.key, name: nameOf(of.by, group), amount: group.amount, quantityMs: group.quantity_ms },
    ...{ percent: shareOf(group.amount, total), simulated: group.simulated ?? null, meter: group.meter },
  }));
  const drawn = groups.slice(0, mostDrawn).map(({ key }) => key);
  const byBucket = Map.groupBy(points, ({ at }) => new Date(at).toISOString());
  const columns = bucketsOf(of.interval, of.from, of.to).map((at) => {
    const here = byBucket.get(at) ?? [];
    const parts = layersOf(
      here.map(({ key, amount }) => [key, Number(amount.amount_minor)]),
      drawn,
    );
    return { at, label: spellBucket(of.interval, at), currency: total.currency, parts };
  });
  return { groups, drawn, columns, total };
}

/** What a column says when it is pointed at. */
export function tellColumn({ label, currency, parts }: SeriesColumn, names: readonly string[]): string {
  const spell = (height: number) => spellMoney({ amount_minor: String(height), currency });
  const pieces = parts.flatMap((part, index) => (part === 0 ? [] : [`${names[index] ?? 'Others'} ${spell(part)}`]));
  return `${label}: ${spell(heightOf(parts))}${pieces.length > 1 ? ` (${pieces.join(', ')})` : ''}`;
}
