import type { UsageReport } from '@gpuaas/sdk';
import type { ReactNode } from 'react';
import { SimulatedChip } from '../../parts/chip.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Rows, wholeList } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { spellAmountOf, tellGroup } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';
import type { UsageAnswer } from './spend-chart.tsx';

const heads: Readonly<Record<UsageReport['group_by'], string>> = {
  day: 'Day',
  sku: 'SKU',
  meter: 'Meter',
  project: 'Project',
  user: 'Person',
  allocation: 'Allocation',
  none: 'Group',
};

/** Usage in groups. All sums come from the server. */
export function UsageTable({
  usage,
  aside,
  linked,
}: {
  usage: UsageAnswer & { readonly isLoading: boolean };
  aside: ReactNode;
  /** Whether the allocations belong to the selected project and can be opened. */
  linked: boolean;
}) {
  const by = usage.data?.group_by ?? 'day';
  // Newest day first.
  const rows = by === 'day' ? usage.data?.rows.toReversed() : usage.data?.rows;
  const list = wholeList({
    data: rows && { data: rows },
    error: usage.error,
    isLoading: usage.isLoading,
    refetch: () => usage.refetch(),
  });
  return (
    <section className="grid gap-3" aria-label="Usage">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">Usage of the last 30 days</h2>
        {aside}
      </div>
      <Rows
        label="Usage"
        list={list}
        keyOf={({ key }) => key}
        columns={[
          {
            head: heads[by],
            cell: (row) => (
              <span className="flex flex-wrap items-center gap-1.5">
                {linked && by === 'allocation' && row.key !== '' ? (
                  <NameCell to="/allocations/$id" id={row.key} name={tellGroup(by, row)} />
                ) : (
                  <bdi className="line-clamp-2 font-medium break-all">{tellGroup(by, row)}</bdi>
                )}
                <SimulatedChip of={row} />
              </span>
            ),
          },
          {
            head: 'GPU or node hours',
            end: true,
            cell: (row) => <Figure>{spellAmountOf(row.quantity_ms, row.meter)}</Figure>,
          },
          { head: 'Amount', end: true, cell: (row) => <Figure>{spellMoney(row.amount)}</Figure> },
        ]}
        empty={<Empty icon="cpu" title="Nothing was used in the last 30 days" />}
      />
    </section>
  );
}

const Figure = ({ children }: { children: string }) => <span className="tabular whitespace-nowrap">{children}</span>;
