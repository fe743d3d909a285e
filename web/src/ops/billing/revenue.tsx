import { useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { StackedBars } from '../../parts/charts/stacked-bars.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Rows, wholeList } from '../../parts/rows.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { type Series, stack, tellColumn } from '../../words/billing/series.ts';
import { spellAmountOf } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';

const freshMs = 60_000;

/** What all organizations were charged, by day and SKU, a chart for each currency. */
export function RevenuePage() {
  const { from, to } = useSearch({ strict: false }) as { from?: string; to?: string };
  const input = { ...(from && { from }), ...(to && { to }) };
  const revenue = useAsk(['revenue', input], (options) => api.adminBilling.revenueGet(input, options), { freshMs });
  const it = revenue.data;
  return (
    <Page
      title="Revenue"
      lead="Usage that was charged to all organizations in the last 30 days, before tax. Days are in UTC."
      shown={{ operation: 'admin_billing_revenue_get', input }}
    >
      {revenue.error && !it ? (
        <Problem error={revenue.error} again={() => void revenue.refetch()} />
      ) : !it ? (
        <Loading rows={6} label="Loading the revenue" />
      ) : it.totals.length === 0 ? (
        <Empty icon="wallet" title="Nothing was charged in this time" />
      ) : (
        it.totals.map(({ total, skus }) => {
          const { currency } = total;
          const points = it.rows
            .filter(({ amount }) => amount.currency === currency)
            .map(({ day, sku, amount, quantity_ms }) => ({
              ...{ at: new Date(day).toISOString(), key: sku, name: sku, amount, quantity_ms, meter: meterOf(sku) },
            }));
          const groups = skus.map(({ sku, ...sums }) => ({ key: sku, name: sku, meter: meterOf(sku), ...sums }));
          const series = stack(points, { total, groups }, { interval: 'day', by: 'sku', from: it.from, to: it.to });
          return <InCurrency key={currency} currency={currency} series={series} />;
        })
      )}
    </Page>
  );
}

/** Stored files and apps have a name in place of a SKU. */
const meterOf = (sku: string) =>
  sku === 'storage' ? ('storage' as const) : sku.includes('/') ? ('app_units' as const) : ('gpu_time' as const);

function InCurrency({ currency, series }: { currency: string; series: Series }) {
  const names = [
    ...series.groups.slice(0, series.drawn.length).map(({ name }) => name),
    ...(series.groups.length > series.drawn.length ? ['Others'] : []),
  ];
  const list = wholeList({
    ...{ data: { data: series.groups }, error: null, isLoading: false, refetch: () => undefined },
  });
  return (
    <Panel title={`In ${currency}`} aside={<span className="tabular text-sm">{spellMoney(series.total)}</span>}>
      <div className="grid gap-4">
        <StackedBars
          label={`Revenue by day, ${spellMoney(series.total)} in all`}
          names={names}
          bars={series.columns.map((column) => ({
            ...{ key: column.at, label: column.label, says: tellColumn(column, names), parts: column.parts },
          }))}
        />
        <Rows
          label={`SKUs in ${currency}`}
          list={list}
          keyOf={({ key }) => key}
          columns={[
            { head: 'SKU', cell: ({ name }) => <span className="font-mono text-sm">{name}</span> },
            {
              head: 'GPU or node hours',
              end: true,
              cell: (row) => <Figure>{spellAmountOf(row.quantityMs, row.meter)}</Figure>,
            },
            { head: 'Share', end: true, cell: (row) => <Figure>{`${row.percent} %`}</Figure> },
            { head: 'Amount', end: true, cell: (row) => <Figure>{spellMoney(row.amount)}</Figure> },
          ]}
          empty={<Empty icon="cpu" title="Nothing was charged" />}
        />
      </div>
    </Panel>
  );
}
const Figure = ({ children }: { children: string }) => <span className="tabular whitespace-nowrap">{children}</span>;
