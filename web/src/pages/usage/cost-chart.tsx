import type { BillingForecast } from '@gpuaas/sdk';
import type { ReactNode } from 'react';
import { type Bar, StackedBars } from '../../parts/charts/stacked-bars.tsx';
import { Panel } from '../../parts/page.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { type Series, stack, tellColumn } from '../../words/billing/series.ts';
import { spellDay } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';
import type { UsageAnswer, UsageView } from './usage.tsx';

export interface Asked {
  readonly data: UsageAnswer | undefined;
  readonly error: Error | null;
  readonly isLoading: boolean;
  refetch(): unknown;
}

export const seriesOf = (view: UsageView, answer: UsageAnswer): Series =>
  stack(answer.points, { total: answer.totals.total, groups: answer.totals.rows }, view);
export const namesOf = ({ groups, drawn }: Series): readonly string[] => [
  ...groups.slice(0, drawn.length).map(({ name }) => name),
  ...(groups.length > drawn.length ? ['Others'] : []),
];

/** Cost over time in layers, and what the days ahead are expected to cost. */
export function CostChart({
  view,
  usage,
  ahead,
  aside,
}: {
  view: UsageView;
  usage: Asked;
  ahead: BillingForecast | undefined;
  aside: ReactNode;
}) {
  const it = usage.data;
  return (
    <Panel title="Cost over time" aside={aside}>
      {usage.error && !it ? (
        <Problem error={usage.error} again={() => void usage.refetch()} />
      ) : !it ? (
        <Loading rows={6} label="Loading the usage" />
      ) : it.totals.rows.length === 0 ? (
        <Empty icon="wallet" title="Nothing was charged in this time">
          <p>GPU time is charged from the moment its host has verified that it works until it is released.</p>
        </Empty>
      ) : (
        <Drawn series={seriesOf(view, it)} ahead={ahead} isCut={it.isCut} />
      )}
    </Panel>
  );
}

function Drawn({ series, ahead, isCut }: { series: Series; ahead: BillingForecast | undefined; isCut: boolean }) {
  const names = namesOf(series);
  const bars: Bar[] = series.columns.map((column) => ({
    ...{ key: column.at, label: column.label, says: tellColumn(column, names), parts: column.parts },
  }));
  // Today stands among the facts already, as far as it has come.
  for (const day of ahead?.days.slice(1) ?? []) bars.push(expected(day));
  const [first, last] = [series.columns.at(0)?.label, series.columns.at(-1)?.label];
  return (
    <>
      <p className="mb-2 tabular text-sm text-dim">
        {spellMoney(series.total)} from {first} to {last}
        {ahead && ahead.days.length > 1 && '; lighter bars are a forecast with its band'}
        {isCut && '; the bars show the first 1,000 rows only, the sums show all'}
      </p>
      <StackedBars
        label={`Cost from ${first} to ${last}, ${spellMoney(series.total)} in all`}
        bars={bars}
        names={names}
      />
    </>
  );
}

const expected = ({ day, expected: middle, low, high }: BillingForecast['days'][number]): Bar => ({
  key: day,
  label: spellDay(day),
  says: `${spellDay(day)}: about ${spellMoney(middle)}, between ${spellMoney(low)} and ${spellMoney(high)} (forecast)`,
  parts: [Number(middle.amount_minor)],
  band: { low: Number(low.amount_minor), high: Number(high.amount_minor) },
});
