import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { Page } from '../parts/page.tsx';
import { Rows, wholeList } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { shortId } from '../words/sizes.ts';

/** Who waits for capacity, in the order in which it would be given, and why nothing fits. */
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
  const go = (next: { sku?: string; region?: string }) =>
    void navigate({
      to: '/ops/queue',
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <Page
      title="Queue"
      lead="Who waits for capacity, in the order in which it would be given."
      actions={
        <>
          <select
            aria-label="SKU"
            className="field w-auto"
            value={search.sku ?? ''}
            onChange={(event) => go({ sku: event.target.value })}
          >
            <option value="">any SKU</option>
            {all.data?.data.map(({ sku }) => (
              <option key={sku}>{sku}</option>
            ))}
          </select>
          <select
            aria-label="Region"
            className="field w-auto"
            value={search.region ?? ''}
            onChange={(event) => go({ region: event.target.value })}
          >
            <option value="">any region</option>
            {regions.data?.data.map(({ slug }) => (
              <option key={slug}>{slug}</option>
            ))}
          </select>
        </>
      }
      shown={{ operation: 'admin_allocation_queue', input: { sku: search.sku, region: search.region } }}
    >
      <Rows
        label="Waiting in line"
        list={wholeList(queue)}
        keyOf={({ allocation_id }) => allocation_id}
        columns={[
          {
            head: 'Place',
            cell: (row) => (
              <span>
                <span className="tabular text-lg font-semibold">{row.position}.</span>{' '}
                <span className="font-mono text-xs text-dim">{shortId(row.allocation_id)}</span>
              </span>
            ),
          },
          {
            head: 'Wants',
            cell: (row) => (
              <span className="whitespace-nowrap">
                {row.sku} × {row.gpu_count}
              </span>
            ),
          },
          { head: 'Region', cell: (row) => row.region },
          {
            head: 'Tenant',
            cell: (row) => (
              <Link
                to="/ops/tenants/$id"
                params={{ id: row.organization_id }}
                className="font-mono text-[13px] whitespace-nowrap text-accent underline-offset-2 hover:underline"
              >
                {shortId(row.organization_id)}
              </Link>
            ),
          },
          { head: 'Waits since', cell: (row) => <Ago at={row.waiting_since} /> },
          { head: 'Gives up', cell: (row) => <Ago at={row.deadline_at} /> },
          {
            head: '',
            end: true,
            cell: (row) => (
              <Link
                to="/ops/allocations/$id"
                params={{ id: row.allocation_id }}
                className="text-accent underline underline-offset-2"
              >
                Why it waits
              </Link>
            ),
          },
        ]}
        empty={<Empty icon="stack" title="Nobody waits" />}
      />
    </Page>
  );
}
