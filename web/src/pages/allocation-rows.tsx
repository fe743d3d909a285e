import type { Allocation } from '@gpuaas/sdk';
import { SimulatedChip, StateChip } from '../parts/chip.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import type { Column } from '../parts/rows.tsx';
import { Ago, Lasting } from '../parts/time.tsx';
import { spellMoney } from '../words/money.ts';

/** The displayed state: a request in the queue is shown as queued. */
export const shownState = ({ state, placement_status }: Pick<Allocation, 'state' | 'placement_status'>): string =>
  placement_status === 'queued' && state === 'requested' ? 'queued' : state;

/** Allocations in a table. */
export const allocationColumns = (nameOf: (id: string) => string): readonly Column<Allocation>[] => [
  {
    head: 'Name',
    cell: (row) => <NameCell to="/allocations/$id" id={row.id} name={row.name} />,
  },
  {
    head: 'State',
    cell: (row) => (
      <span className="flex flex-wrap gap-1 xl:flex-nowrap">
        <StateChip state={shownState(row)} />
        <SimulatedChip of={row} />
      </span>
    ),
  },
  {
    head: 'GPUs',
    cell: (row) => (
      <span className="whitespace-nowrap">
        {row.sku} × {row.gpu_count}
      </span>
    ),
  },
  { head: 'Region', cell: (row) => row.region },
  { head: 'Created by', cell: (row) => <bdi className="line-clamp-1">{nameOf(row.requested_by)}</bdi> },
  {
    head: 'Uptime',
    end: true,
    cell: (row) => <Lasting from={row.active_at} until={row.releasing_at ?? row.ended_at} />,
  },
  {
    head: 'Per hour',
    end: true,
    cell: (row) => <span className="tabular whitespace-nowrap">{spellMoney(row.price.per_hour)}</span>,
  },
  { head: 'Created', end: true, cell: (row) => <Ago at={row.created_at} /> },
];
