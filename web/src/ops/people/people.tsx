import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { Chip, StateChip } from '../../parts/chip.tsx';
import { Filter, WordFilter } from '../../parts/filter.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { roleName } from '../../words/ops/platform-roles.ts';

type State = 'active' | 'disabled' | 'erased';

/** Everyone who has ever signed in. */
export function PeoplePage() {
  const search = useSearch({ strict: false }) as { q?: string; state?: State };
  const navigate = useNavigate();
  const q = search.q?.trim();
  const { state } = search;
  const go = (next: { q?: string | undefined; state?: string | undefined }) =>
    void navigate({
      to: '/ops/people',
      replace: true,
      search: Object.fromEntries(Object.entries({ q, state, ...next }).filter(([, value]) => value)),
    });
  const list = useList(['people', q, state], (from, options) =>
    api.adminUsers.list({ ...from, ...(q && { q }), ...(state && { state }) }, options),
  );
  return (
    <Page
      title="People"
      lead="Everyone who has signed in, newest first."
      actions={
        <>
          <Filter
            label="State"
            value={state}
            options={[
              ['active', 'active'],
              ['disabled', 'disabled'],
              ['erased', 'erased'],
            ]}
            onChoose={(next) => go({ state: next })}
          />
          <WordFilter
            label="Find a person"
            placeholder="Name, subject or id"
            value={search.q}
            onChange={(next) => go({ q: next })}
          />
        </>
      }
      shown={{ operation: 'user_list', input: { q, state, limit: 50 } }}
    >
      <Rows
        label="People"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Name',
            cell: (row) => (
              <NameCell to="/ops/people/$id" id={row.id} name={row.display_name ?? row.username} also={row.subject} />
            ),
          },
          { head: 'State', cell: (row) => <StateChip state={row.state} /> },
          {
            head: 'Platform roles',
            cell: (row) => (
              <span className="inline-flex flex-wrap gap-1.5">
                {row.platform_roles.map((role) => (
                  <Chip key={role} tone="busy">
                    {roleName[role]}
                  </Chip>
                ))}
              </span>
            ),
          },
          { head: 'Organizations', end: true, cell: (row) => <span className="tabular">{row.organizations}</span> },
          { head: 'Last seen', end: true, cell: (row) => <Ago at={row.last_seen_at} /> },
        ]}
        empty={<Empty icon="team" title={q || state ? 'No people match' : 'No sign-ins yet'} />}
      />
    </Page>
  );
}
