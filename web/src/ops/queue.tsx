import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { Filter } from '../parts/filter.tsx';
import { Page } from '../parts/page.tsx';
import { Rows, wholeList } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { TenantLink } from '../parts/tenant-link.tsx';
import { Ago } from '../parts/time.tsx';
import { shortId } from '../words/sizes.ts';

/** The queue in order, and why nothing fits. */
export function QueuePage() {
  const search = useSearch({ strict: false }) as { sku?: string; region?: string };
  const navigate = useNavigate();
  const queue = useAsk(
    ['fleet', 'queue', search.sku, search.region],
    (options) =>
      api.adminAllocations.queue(
        { ...(search.sku && { sku: search.sku }), ...(search.region && { region: search.region }) },
        options,
      ),
    { everyMs: 30_000, keep: true },
  );
  const all = useAsk(['skus', 'all'], (options) => api.adminSkus.list({ limit: 100 }, options));
  const regions = useAsk(['regions', 'admin'], (options) => api.adminRegions.list({ limit: 100 }, options));
  const go = (next: { sku?: string | undefined; region?: string | undefined }) =>
    void navigate({
      to: '/ops/queue',
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <Page
      title="Queue"
      lead="Requests that wait for capacity, in order."
      actions={
        <>
          <Filter
            label="SKU"
            value={search.sku}
            options={all.data?.data.map(({ sku }) => [sku, sku] as const) ?? []}
            onChoose={(sku) => go({ sku })}
          />
          <Filter
            label="Region"
            value={search.region}
            options={regions.data?.data.map(({ slug }) => [slug, slug] as const) ?? []}
            onChoose={(region) => go({ region })}
          />
        </>
      }
      shown={{ operation: 'admin_allocation_queue', input: { sku: search.sku, region: search.region } }}
    >
      <Rows
        label="Queue"
        list={wholeList(queue)}
        keyOf={({ allocation_id }) => allocation_id}
        columns={[
          {
            head: 'Position',
            cell: (row) => (
              <span>
                <span className="tabular text-lg font-semibold">{row.position}.</span>{' '}
                <span className="font-mono text-xs text-dim">{shortId(row.allocation_id)}</span>
              </span>
            ),
          },
          {
            head: 'Request',
            cell: (row) => (
              <span className="whitespace-nowrap">
                {row.sku} × {row.gpu_count}
              </span>
            ),
          },
          { head: 'Region', cell: (row) => row.region },
          {
            head: 'Tenant',
            cell: (row) => <TenantLink id={row.organization_id} />,
          },
          { head: 'Queued', cell: (row) => <Ago at={row.waiting_since} /> },
          {
            head: 'Expected start',
            cell: (row) =>
              row.expected_start_at ? (
                <Ago at={row.expected_start_at} />
              ) : row.host_reserved ? (
                'host reserved'
              ) : (
                'not known'
              ),
          },
          { head: 'Expires', cell: (row) => <Ago at={row.deadline_at} /> },
          {
            head: '',
            end: true,
            cell: (row) => (
              <Link
                to="/ops/allocations/$id"
                params={{ id: row.allocation_id }}
                className="text-accent underline underline-offset-2"
              >
                Why queued
              </Link>
            ),
          },
        ]}
        empty={<Empty icon="stack" title="The queue is empty" />}
      />
    </Page>
  );
}
