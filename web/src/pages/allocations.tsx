import type { Allocation, AllocationCountsAnswer } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '../client/api.ts';
import { useAsk, useList } from '../client/ask.ts';
import { useNames } from '../client/names.ts';
import { may, useSession } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { Filter, WordFilter } from '../parts/filter.tsx';
import { Page } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { Empty, NoProject } from '../parts/states.tsx';
import { counted, plainWord } from '../words/sizes.ts';
import { ExportAllocations, ReleaseSeveral } from './allocation-many.tsx';
import { allocationColumns } from './allocation-rows.tsx';

interface Wanted {
  readonly state?: string;
  readonly q?: string;
  readonly by?: string;
  readonly order?: string;
}

/** What the address asks for, as the server takes it. */
function useWanted() {
  const session = useSession();
  const search = useSearch({ strict: false }) as Wanted;
  const navigate = useNavigate();
  const state = choices.allocation_list.state.find((each) => each === search.state);
  const order = search.order === 'oldest' ? ('oldest' as const) : undefined;
  const filter = {
    ...(search.q && { q: search.q }),
    ...(search.by === 'me' && { requested_by: session.me.id }),
  };
  const go = (next: { [K in keyof Wanted]?: string | undefined }) =>
    void navigate({
      to: '/allocations',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  const wanted = { ...filter, ...(state && { state }), ...(order && { order }) };
  return { search, state, order, filter, wanted, go };
}
type Asked = ReturnType<typeof useWanted>;

/** The allocations of a project. The server searches, filters, orders and counts: a page of rows is not all rows. */
export function AllocationsPage() {
  const session = useSession();
  const nameOf = useNames();
  const [chosen, setChosen] = useState<ReadonlyMap<string, Allocation>>(new Map());
  const asked = useWanted();
  const { wanted, filter, state } = asked;
  const isIn = session.project !== undefined;
  const list = useList(
    ['allocations', wanted],
    (from, options) => api.allocations.list({ ...from, ...wanted }, options),
    {
      enabled: isIn,
    },
  );
  const counts = useAsk(['allocations', 'counts', filter], (options) => api.allocations.counts(filter, options), {
    enabled: isIn,
    keep: true,
  });
  if (!isIn) {
    return (
      <Page title="Allocations">
        <NoProject />
      </Page>
    );
  }
  const mayWrite = may(session, 'allocation_release');
  const choose = (row: Allocation, on: boolean) => {
    const next = new Map(chosen);
    if (on) next.set(row.id, row);
    else next.delete(row.id);
    setChosen(next);
  };
  return (
    <Page
      title="Allocations"
      lead="All allocations of this project."
      actions={
        <>
          <ExportAllocations filter={wanted} />
          <ButtonLink look="primary" icon="launch" to="/launch">
            Launch
          </ButtonLink>
        </>
      }
      shown={{ operation: 'allocation_list', input: { ...wanted, limit: 50 } }}
    >
      <AllocationFilters asked={asked} counts={counts.data}>
        {mayWrite && chosen.size > 0 && (
          <ReleaseSeveral chosen={[...chosen.values()]} onDone={() => setChosen(new Map())} />
        )}
      </AllocationFilters>
      <Rows
        label="Allocations"
        list={list}
        columns={[...(mayWrite ? [selection(chosen, choose)] : []), ...allocationColumns(nameOf)]}
        keyOf={({ id }) => id}
        empty={<NoAllocations isFiltered={state !== undefined || Object.keys(filter).length > 0} />}
      />
    </Page>
  );
}

function AllocationFilters(parts: { asked: Asked; counts: AllocationCountsAnswer | undefined; children: ReactNode }) {
  const { search, state, order, go } = parts.asked;
  const { counts } = parts;
  const total = state ? counts?.states[state] : counts?.total;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <WordFilter label="Search" placeholder="Name, SKU, region or id" value={search.q} onChange={(q) => go({ q })} />
      <Filter
        label="State"
        value={state}
        options={choices.allocation_list.state.map((each) => [
          each,
          `${plainWord(each)}${counts ? ` (${counts.states[each]})` : ''}`,
        ])}
        onChoose={(next) => go({ state: next })}
      />
      <Filter
        label="Created by"
        any="anyone"
        value={search.by === 'me' ? 'me' : undefined}
        options={[['me', 'me']]}
        onChoose={(by) => go({ by })}
      />
      <Filter
        label="Order"
        any="newest first"
        value={order}
        options={[['oldest', 'oldest first']]}
        onChoose={(next) => go({ order: next })}
      />
      {total !== undefined && <span className="text-sm text-dim">{counted(total, 'allocation')}</span>}
      {parts.children}
    </div>
  );
}

const selection = (
  chosen: ReadonlyMap<string, Allocation>,
  choose: (row: Allocation, on: boolean) => void,
): Column<Allocation> => ({
  head: 'Select',
  cell: (row) =>
    row.actions.some(({ action, allowed }) => action === 'release' && allowed) && (
      <input
        type="checkbox"
        className="size-4 accent-accent"
        aria-label={`Select ${row.name}`}
        checked={chosen.has(row.id)}
        onChange={(event) => choose(row, event.target.checked)}
      />
    ),
});

const NoAllocations = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty icon="cpu" title="No allocation matches">
      <ButtonLink to="/allocations">Show all</ButtonLink>
    </Empty>
  ) : (
    <Empty icon="cpu" title="No allocations yet">
      <ButtonLink look="primary" icon="launch" to="/launch">
        Launch a GPU
      </ButtonLink>
      <p className="text-sm">
        or <code className="font-mono">npx gpuaas launch h200-sxm-slice</code>
      </p>
    </Empty>
  );
