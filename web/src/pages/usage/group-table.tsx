import { Link } from '@tanstack/react-router';
import { SimulatedChip } from '../../parts/chip.tsx';
import { Rows, wholeList } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { spellAmountOf } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';
import { type Asked, seriesOf } from './cost-chart.tsx';
import type { UsageView } from './usage.tsx';

const heads: Readonly<Record<string, string>> = {
  ...{ project: 'Project', user: 'Person', sku: 'SKU', meter: 'Meter', allocation: 'Allocation', none: 'Group' },
};

/** The figures of the chart. A SKU leads to its own chart. */
export function GroupTable({ view, usage }: { view: UsageView; usage: Asked }) {
  const groups = usage.data && seriesOf(view, usage.data).groups;
  const list = wholeList({
    ...{ data: groups && { data: groups }, error: usage.error, isLoading: usage.isLoading },
    refetch: () => usage.refetch(),
  });
  return (
    <section className="grid gap-3" aria-label="Groups">
      <h2 className="text-lg font-semibold">By {(heads[view.by] ?? view.by).toLowerCase().replace('sku', 'SKU')}</h2>
      <Rows
        label="Groups"
        list={list}
        keyOf={({ key }) => key}
        columns={[
          {
            head: heads[view.by] ?? 'Group',
            cell: ({ key, name, simulated }) =>
              view.by === 'sku' ? (
                <Link to="/usage" search={{ by: 'allocation', sku: key }} className="font-medium text-accent underline">
                  {name}
                </Link>
              ) : (
                <span className="flex flex-wrap items-center gap-1.5">
                  <bdi className="line-clamp-2 font-medium break-all">{name}</bdi>
                  <SimulatedChip of={{ simulated }} />
                </span>
              ),
          },
          {
            head: 'GPU or node hours',
            end: true,
            cell: (row) => <Figure>{spellAmountOf(row.quantityMs, row.meter)}</Figure>,
          },
          { head: 'Share', end: true, cell: (row) => <Figure>{`${row.percent} %`}</Figure> },
          { head: 'Amount', end: true, cell: (row) => <Figure>{spellMoney(row.amount)}</Figure> },
        ]}
        empty={<Empty icon="cpu" title="Nothing was used in this time" />}
      />
    </section>
  );
}

const Figure = ({ children }: { children: string }) => <span className="tabular whitespace-nowrap">{children}</span>;
