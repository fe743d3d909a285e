import type { TerminalRecordingInfo } from '@gpuaas/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { usePeople } from '../../client/people.ts';
import { useSession } from '../../client/session.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { WordFilter } from '../../parts/filter.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty, NoProject } from '../../parts/states.tsx';
import { TenantLink } from '../../parts/tenant-link.tsx';
import { Ago } from '../../parts/time.tsx';
import { shortId, spellBytes } from '../../words/sizes.ts';

const isId = (text: string | undefined): text is string => /^[0-9a-f-]{36}$/.test(text ?? '');
type Search = { readonly allocation?: string; readonly user?: string };
const filtersIn = ({ allocation, user }: Search) => ({
  ...(isId(allocation) && { allocation }),
  ...(isId(user) && { user }),
});

const columnsFor = (
  to: '/recordings/$id' | '/ops/recordings/$id',
  nameOf: (id: string) => string | undefined,
): readonly Column<TerminalRecordingInfo>[] => [
  {
    head: 'Session',
    cell: (row) => (
      <Link to={to} params={{ id: row.id }} className="text-accent underline">
        <bdi>{row.name}</bdi> <span className="font-mono text-xs">{shortId(row.id)}</span>
      </Link>
    ),
  },
  { head: 'State', cell: (row) => (row.kind === 'metadata' ? 'metadata only' : <StateChip state={row.state} />) },
  { head: 'Person', cell: (row) => <bdi>{nameOf(row.user_id) ?? shortId(row.user_id)}</bdi> },
  { head: 'Allocation', cell: (row) => <span className="font-mono text-xs">{shortId(row.allocation_id)}</span> },
  { head: 'Opened', cell: (row) => <Ago at={row.created_at} /> },
  { head: 'Output', end: true, cell: (row) => spellBytes(row.output_bytes) },
];

function Filters({ to }: { to: '/recordings' | '/ops/recordings' }) {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const go = (next: { readonly [K in keyof Search]?: string | undefined }) =>
    void navigate({
      to,
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <WordFilter
        label="Id of the allocation"
        value={search.allocation}
        onChange={(allocation) => go({ allocation })}
      />
      <WordFilter label="Id of the person" value={search.user} onChange={(user) => go({ user })} />
    </div>
  );
}
const empty = <Empty icon="terminal" title="No recordings" />;

/** Recorded terminal sessions of the organization of the selected project. */
export function RecordingsPage() {
  const { project } = useSession();
  const filters = filtersIn(useSearch({ strict: false }) as Search);
  const organization_id = project?.organization_id ?? '';
  const list = useList(
    ['recordings', organization_id, filters],
    (from, options) => api.recordings.list({ organization_id, ...from, ...filters }, options),
    { enabled: project !== undefined },
  );
  const nameOf = usePeople(list.rows?.map(({ user_id }) => user_id) ?? []);
  if (!project) {
    return (
      <Page title="Recordings">
        <NoProject />
      </Page>
    );
  }
  return (
    <Page
      title="Recordings"
      lead="Terminal sessions that policy records, latest first. Watching and downloading are noted in the audit log."
      shown={{ operation: 'recording_list', input: { organization_id, ...filters } }}
    >
      <Filters to="/recordings" />
      <Rows
        label="Recordings"
        list={list}
        keyOf={({ id }) => id}
        columns={columnsFor('/recordings/$id', nameOf)}
        empty={empty}
      />
    </Page>
  );
}

/** The same of all tenants, for operators. */
export function AllRecordingsPage() {
  const filters = filtersIn(useSearch({ strict: false }) as Search);
  const list = useList(['recordings', 'all', filters], (from, options) =>
    api.adminRecordings.list({ ...from, ...filters }, options),
  );
  const nameOf = usePeople(list.rows?.map(({ user_id }) => user_id) ?? []);
  return (
    <Page
      title="Recordings"
      lead="Recorded terminal sessions of all tenants. The audit log of the tenant notes who watches, and why."
      shown={{ operation: 'admin_recording_list', input: filters }}
    >
      <Filters to="/ops/recordings" />
      <Rows
        label="Recordings"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          ...columnsFor('/ops/recordings/$id', nameOf),
          { head: 'Tenant', cell: (row) => <TenantLink id={row.organization_id} /> },
        ]}
        empty={empty}
      />
    </Page>
  );
}
