import type { Allocation } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAsk, useList } from '../client/ask.ts';
import { useNames } from '../client/names.ts';
import { may, useSession } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { Filter, WordFilter } from '../parts/filter.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
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

/** The allocations of a project. The server searches, filters, orders and counts: a page of rows is not all rows. */
export function AllocationsPage() {
  const session = useSession();
  const search = useSearch({ strict: false }) as Wanted;
  const navigate = useNavigate();
  const nameOf = useNames();
  const [chosen, setChosen] = useState<ReadonlyMap<string, Allocation>>(new Map());
  const state = choices.allocation_list.state.find((each) => each === search.state);
  const order = search.order === 'oldest' ? ('oldest' as const) : undefined;
  const filter = {
    ...(search.q && { q: search.q }),
    ...(search.by === 'me' && { requested_by: session.me.id }),
  };
  const wanted = { ...filter, ...(state && { state }), ...(order && { order }) };
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
  const go = (next: { [K in keyof Wanted]?: string | undefined }) =>
    void navigate({
      to: '/allocations',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  if (!session.project) {
    return (
      <Page title="Allocations">
        <NoProject />
      </Page>
    );
  }
  const isFiltered = state !== undefined || Object.keys(filter).length > 0;
  const total = state ? counts.data?.states[state] : counts.data?.total;
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
      <div className="flex flex-wrap items-center gap-3">
        <WordFilter label="Search" placeholder="Name, SKU, region or id" value={search.q} onChange={(q) => go({ q })} />
        <Filter
          label="State"
          value={state}
          options={choices.allocation_list.state.map((each) => [
            each,
            `${plainWord(each)}${counts.data ? ` (${counts.data.states[each]})` : ''}`,
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
        {mayWrite && chosen.size > 0 && (
          <ReleaseSeveral chosen={[...chosen.values()]} onDone={() => setChosen(new Map())} />
        )}
      </div>
      <Rows
        label="Allocations"
        list={list}
        columns={[
          ...(mayWrite
            ? [
                {
                  head: 'Select',
                  cell: (row: Allocation) =>
                    row.actions.some(({ action, allowed }) => action === 'release' && allowed) && (
                      <input
                        type="checkbox"
                        className="size-4 accent-accent"
                        aria-label={`Select ${row.name}`}
                        checked={chosen.has(row.id)}
                        onChange={(event) => choose(row, event.target.checked)}
                      />
                    ),
                },
              ]
            : []),
          ...allocationColumns(nameOf),
        ]}
        keyOf={({ id }) => id}
        empty={
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
          )
        }
      />
    </Page>
  );
}
