import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { Chip } from '../../parts/chip.tsx';
import { WordFilter } from '../../parts/filter.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { tenantName } from '../../words/tenants.ts';

/** All organizations. */
export function TenantsPage() {
  const search = useSearch({ strict: false }) as { q?: string };
  const navigate = useNavigate();
  const q = search.q?.trim();
  const list = useList(
    ['tenants', q],
    (from, options) => api.adminOrganizations.list({ ...from, ...(q && { q }) }, options),
    { everyMs: 60_000 },
  );
  return (
    <Page
      title="Tenants"
      lead="Every organization, newest first."
      actions={
        <WordFilter
          label="Find a tenant"
          placeholder="Name, slug or id"
          value={search.q}
          onChange={(next) => void navigate({ to: '/ops/tenants', replace: true, search: next ? { q: next } : {} })}
        />
      }
      shown={{ operation: 'admin_organization_list', input: { q, limit: 50 } }}
    >
      <Rows
        label="Tenants"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Name',
            cell: (row) => <NameCell to="/ops/tenants/$id" id={row.id} name={tenantName(row)} also={row.slug} />,
          },
          {
            head: 'Plan',
            cell: (row) => (
              <span className="inline-flex gap-1.5">
                {row.plan}
                {row.type === 'personal' && <Chip tone="calm">personal</Chip>}
              </span>
            ),
          },
          { head: 'Projects', end: true, cell: (row) => <span className="tabular">{row.projects}</span> },
          { head: 'Members', end: true, cell: (row) => <span className="tabular">{row.members}</span> },
          { head: 'Allocations', end: true, cell: (row) => <span className="tabular">{row.allocations}</span> },
          { head: 'GPUs', end: true, cell: (row) => <span className="tabular">{row.gpus}</span> },
          { head: 'Since', end: true, cell: (row) => <Ago at={row.created_at} /> },
        ]}
        empty={<Empty icon="team" title={q ? 'No tenants match' : 'No tenants yet'} />}
      />
    </Page>
  );
}
