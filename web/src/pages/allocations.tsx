import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useList } from '../client/ask.ts';
import { useNames } from '../client/names.ts';
import { useSession } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { Filter, SearchBox } from '../parts/filter.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, NoProject } from '../parts/states.tsx';
import { plainWord } from '../words/sizes.ts';
import { allocationColumns } from './allocation-rows.tsx';

interface Wanted {
  readonly state?: string;
  readonly q?: string;
  readonly by?: string;
}

export function AllocationsPage() {
  const session = useSession();
  const search = useSearch({ strict: false }) as Wanted;
  const navigate = useNavigate();
  const nameOf = useNames();
  const state = choices.allocation_list.state.find((each) => each === search.state);
  const list = useList(
    ['allocations', state],
    (from, options) => api.allocations.list({ ...from, limit: 100, ...(state && { state }) }, options),
    { enabled: session.project !== undefined },
  );
  const go = (next: { [K in keyof Wanted]?: string | undefined }) =>
    void navigate({
      to: '/allocations',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  const words = (search.q ?? '').trim().toLowerCase();
  const rows = list.rows?.filter(
    (row) =>
      (search.by !== 'me' || row.requested_by === session.me.id) &&
      (words === '' || [row.name, row.sku, row.region, row.id].some((text) => text.toLowerCase().includes(words))),
  );
  const isFiltered = state !== undefined || words !== '' || search.by === 'me';
  if (!session.project) {
    return (
      <Page title="Allocations">
        <NoProject />
      </Page>
    );
  }
  return (
    <Page
      title="Allocations"
      lead="All allocations of this project."
      actions={
        <ButtonLink look="primary" icon="launch" to="/launch">
          Launch
        </ButtonLink>
      }
      shown={{ operation: 'allocation_list', input: { state, limit: 50 } }}
    >
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox label="Find by name" value={search.q ?? ''} onChange={(q) => go({ q })} />
        <Filter
          label="State"
          value={state}
          options={choices.allocation_list.state.map((each) => [each, plainWord(each)])}
          onChoose={(next) => go({ state: next })}
        />
        <Filter
          label="Of"
          any="everybody"
          value={search.by === 'me' ? 'me' : undefined}
          options={[['me', 'me']]}
          onChoose={(by) => go({ by })}
        />
      </div>
      <Rows
        label="Allocations"
        list={{ ...list, rows }}
        columns={allocationColumns(nameOf)}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty icon="cpu" title={list.hasMore ? 'None of the latest fits' : 'Nothing fits'}>
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
