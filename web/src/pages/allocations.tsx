import type { Allocation } from '@gpuaas/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useList } from '../client/ask.ts';
import { useSession } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Page } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { spellMoney } from '../words/money.ts';
import { allocationStates } from '../words/rail.ts';
import { plainWord } from '../words/sizes.ts';

const columns: readonly Column<Allocation>[] = [
  {
    head: 'Name',
    cell: (row) => (
      <Link
        to="/allocations/$id"
        params={{ id: row.id }}
        className="font-medium text-accent underline-offset-2 hover:underline"
      >
        <bdi className="line-clamp-2">{row.name}</bdi>
      </Link>
    ),
  },
  { head: 'State', cell: (row) => <StateChip state={row.placement_status === 'queued' ? 'queued' : row.state} /> },
  {
    head: 'GPUs',
    cell: (row) => (
      <span className="whitespace-nowrap">
        {row.sku} × {row.gpu_count}
      </span>
    ),
  },
  { head: 'Region', cell: (row) => row.region },
  { head: 'Per hour', end: true, cell: (row) => <span className="tabular">{spellMoney(row.price.per_hour)}</span> },
  { head: 'Asked for', end: true, cell: (row) => <Ago at={row.created_at} /> },
];

export function AllocationsPage() {
  const session = useSession();
  const search = useSearch({ strict: false }) as { state?: string };
  const navigate = useNavigate();
  const state = allocationStates.find((each) => each === search.state);
  const list = useList(
    ['allocations', state],
    (from, options) => api.allocations.list({ ...from, ...(state && { state }) }, options),
    { enabled: session.project !== undefined },
  );
  return (
    <Page
      title="Allocations"
      lead="Everything that was rented in this project, latest first."
      actions={
        <>
          <label className="flex items-center gap-2 text-sm text-dim">
            State
            <select
              className="field w-auto"
              value={state ?? ''}
              onChange={(event) =>
                void navigate({ to: '/allocations', search: event.target.value ? { state: event.target.value } : {} })
              }
            >
              <option value="">any</option>
              {allocationStates.map((each) => (
                <option key={each} value={each}>
                  {plainWord(each)}
                </option>
              ))}
            </select>
          </label>
          <ButtonLink look="primary" icon="launch" to="/launch">
            Launch
          </ButtonLink>
        </>
      }
      shown={{ operation: 'allocation_list', input: { state, limit: 50 } }}
    >
      <Rows
        label="Allocations"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          state ? (
            <Empty icon="cpu" title={`Nothing is ${plainWord(state)}`}>
              <ButtonLink to="/allocations">Show all</ButtonLink>
            </Empty>
          ) : (
            <Empty icon="cpu" title="No GPUs are running. You are paying nothing.">
              <ButtonLink look="primary" icon="launch" to="/launch">
                Launch a GPU
              </ButtonLink>
            </Empty>
          )
        }
      />
    </Page>
  );
}
