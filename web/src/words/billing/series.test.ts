import { describe, expect, it } from 'vitest';
import { stack, tellColumn } from './series.ts';

const point = (day: string, key: string, cents: number) => ({
  ...{ at: `${day}T00:00:00.000Z`, key, name: null, quantity_ms: '3600000' },
  amount: { amount_minor: String(cents), currency: 'USD' },
});
const of = { interval: 'day', by: 'sku', from: '2026-11-01', to: '2026-11-03' } as const;
const usd = (cents: number) => ({ amount_minor: String(cents), currency: 'USD' });
const group = (key: string, cents: number) => ({
  key,
  name: null,
  amount: usd(cents),
  quantity_ms: '3600000',
  simulated: null,
});
const nothing = { total: usd(0), groups: [] };

describe('usage as a chart', () => {
  it('has a column for every day, also for one without usage, with the groups in the order of the server', () => {
    const made = stack(
      [point('2026-11-01', 'a', 100), point('2026-11-03', 'a', 50), point('2026-11-03', 'b', 300)],
      { total: usd(450), groups: [group('b', 300), group('a', 150)] },
      of,
    );
    expect(made.columns.map(({ label, parts }) => [label, parts])).toEqual([
      ['1 Nov', [0, 100, 0]],
      ['2 Nov', [0, 0, 0]],
      ['3 Nov', [300, 50, 0]],
    ]);
    expect(made.groups.map(({ key, percent }) => [key, percent])).toEqual([
      ['b', 66],
      ['a', 33],
    ]);
    expect(made.total).toEqual({ amount_minor: '450', currency: 'USD' });
    expect(made.columns.map((column) => tellColumn(column, ['b', 'a']))).toEqual([
      '1 Nov: $1.00',
      '2 Nov: $0.00',
      '3 Nov: $3.50 (b $3.00, a $0.50)',
    ]);
  });

  it('shows the sums of the server where the points are cut', () => {
    const made = stack([point('2026-11-01', 'a', 100)], { total: usd(10_000), groups: [group('a', 2_500)] }, of);
    expect(made.total).toEqual(usd(10_000));
    expect(made.groups).toMatchObject([{ key: 'a', amount: usd(2_500), percent: 25 }]);
  });

  it('draws five groups by themselves and the others together', () => {
    const points = Array.from({ length: 8 }, (_, index) => point('2026-11-02', `group-${index}`, 100 - index));
    const groups = points.map(({ key }, index) => group(key, 100 - index));
    const made = stack(points, { total: usd(772), groups }, of);
    expect(made.drawn).toHaveLength(5);
    expect(made.groups).toHaveLength(8);
    expect(made.columns[1]?.parts).toEqual([100, 99, 98, 97, 96, 95 + 94 + 93]);
  });

  it('has hours and months as well', () => {
    expect(stack([], nothing, { ...of, interval: 'hour' }).columns).toHaveLength(72);
    const months = stack([], nothing, { ...of, interval: 'month', from: '2026-09-15', to: '2026-11-03' }).columns;
    expect(months.map(({ label }) => label)).toEqual(['September 2026', 'October 2026', 'November 2026']);
  });
});
