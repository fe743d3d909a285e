import type { AdminAllocation } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useAsk, useList } from '../client/ask.ts';
import { usePeople } from '../client/people.ts';
import { useMay } from '../client/session.tsx';
import { Button } from '../parts/button.tsx';
import { SimulatedChip, StateChip } from '../parts/chip.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Filter } from '../parts/filter.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { TenantLink } from '../parts/tenant-link.tsx';
import { Ago } from '../parts/time.tsx';
import { isLive } from '../words/rail.ts';
import { plainWord, shortId } from '../words/sizes.ts';
import { spellDuration } from '../words/time.ts';
import { CreatorLink } from './people/person-link.tsx';

/** Events report every change; this interval catches the rest. */
const everyMs = 30_000;
const states = choices.admin_allocation_list.state;

/** Allocations of all tenants: stuck ones, the queue, and all. */
export function AllAllocationsPage() {
  const search = useSearch({ strict: false }) as {
    state?: string;
    node?: string;
    organization?: string;
  };
  const navigate = useNavigate();
  const state = states.find((each) => each === search.state);
  const list = useList(
    ['allocations', 'all', state, search.node, search.organization],
    (from, options) =>
      api.adminAllocations.list(
        {
          ...from,
          ...(state && { state }),
          ...(search.node && { node: search.node }),
          ...(search.organization && { organization: search.organization }),
        },
        options,
      ),
    { everyMs },
  );
  const nameOf = usePeople(list.rows?.map(({ requested_by }) => requested_by) ?? []);
  const mayForce = useMay()('admin_allocation_force_release');
  const [going, setGoing] = useState<AdminAllocation>();
  const force = useAct(
    'force release',
    (input: { allocation_id: string; reason: string }, options) => api.adminAllocations.forceRelease(input, options),
    { stale: ['allocations', 'fleet'], done: () => setGoing(undefined) },
  );
  return (
    <Page
      title="All allocations"
      lead="Allocations of every tenant, newest first."
      actions={
        <Filter
          label="State"
          value={state}
          options={states.map((each) => [each, plainWord(each)])}
          onChoose={(next) =>
            void navigate({
              to: '/ops/allocations',
              search: {
                ...(next && { state: next }),
                ...(search.node && { node: search.node }),
                ...(search.organization && { organization: search.organization }),
              },
            })
          }
        />
      }
      shown={{
        operation: 'admin_allocation_list',
        input: { state, node: search.node, organization: search.organization, limit: 50 },
      }}
    >
      {(search.node ?? search.organization) && (
        <p className="flex items-center gap-3">
          Filtered by {search.node ? 'node' : 'tenant'}.
          <Link to="/ops/allocations" className="text-accent underline underline-offset-2">
            Show all
          </Link>
        </p>
      )}
      <div className="grid gap-6 lg:grid-cols-2">
        <Stuck />
        <Queue />
      </div>
      <Rows
        label="All allocations"
        list={list}
        keyOf={({ id }) => id}
        columns={columnsOf({ nameOf, onForce: mayForce ? setGoing : undefined })}
        empty={<Empty icon="cpu" title="No allocations" />}
      />
      {going && (
        <Confirm
          open
          onClose={() => setGoing(undefined)}
          title={`Force the release of ${going.name}?`}
          verb="Force release"
          danger
          reason
          busy={force.isPending}
          error={force.error}
          onConfirm={(reason) => force.mutate({ allocation_id: going.id, reason })}
        >
          <p>Ends it without waiting for the guest. The tenant loses all data on the machine.</p>
          <p>Release attempts so far: {going.release_attempts}.</p>
        </Confirm>
      )}
    </Page>
  );
}

function Stuck() {
  const stuck = useAsk(['fleet', 'stuck'], (options) => api.adminAllocations.stuckList(options), { everyMs });
  return (
    <Panel title="Stuck">
      {stuck.error ? (
        <Problem error={stuck.error} />
      ) : (stuck.data?.data.length ?? 0) === 0 ? (
        <p className="text-dim">No allocation is stuck.</p>
      ) : (
        <ul className="grid gap-2">
          {stuck.data?.data.map((each) => (
            <li key={each.allocation_id} className="flex flex-wrap items-baseline justify-between gap-2">
              <span>
                {each.sku}, <span className="font-medium">{plainWord(each.phase)}</span>
                <Link
                  to="/ops/allocations/$id"
                  params={{ id: each.allocation_id }}
                  className="block font-mono text-xs text-accent underline-offset-2 hover:underline"
                >
                  {each.allocation_id}
                </Link>
              </span>
              <span className="text-bad">
                for {spellDuration(each.seconds * 1_000)}
                <span className="block text-sm text-dim">
                  usually{' '}
                  {each.usual_seconds === null ? 'unknown' : `at most ${spellDuration(each.usual_seconds * 1_000)}`}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Queue() {
  const queue = useAsk(['fleet', 'queue'], (options) => api.adminAllocations.queue({}, options), { everyMs });
  return (
    <Panel
      title="Queue"
      aside={
        <Link to="/ops/queue" className="text-sm text-accent underline underline-offset-2">
          Full queue
        </Link>
      }
    >
      {queue.error ? (
        <Problem error={queue.error} />
      ) : (queue.data?.data.length ?? 0) === 0 ? (
        <p className="text-dim">The queue is empty.</p>
      ) : (
        <ol className="grid gap-2">
          {queue.data?.data.slice(0, 5).map((each) => (
            <li key={each.allocation_id} className="flex justify-between gap-3">
              <span>
                {each.position}. {each.sku} × {each.gpu_count} in {each.region}
              </span>
              <span className="text-sm text-dim">
                queued <Ago at={each.waiting_since} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

const columnsOf = ({
  nameOf,
  onForce,
}: {
  nameOf: ReturnType<typeof usePeople>;
  onForce: ((row: AdminAllocation) => void) | undefined;
}): readonly Column<AdminAllocation>[] => [
  {
    head: 'Name',
    cell: (row) => <NameCell to="/ops/allocations/$id" id={row.id} name={row.name} also={shortId(row.id)} />,
  },
  {
    head: 'State',
    cell: (row) => (
      <span className="flex flex-wrap gap-1">
        <StateChip state={row.placement_status === 'queued' ? 'queued' : row.state} />
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
  {
    head: 'Node',
    cell: (row) =>
      row.node_id ? (
        <Link
          to="/ops/nodes/$id"
          params={{ id: row.node_id }}
          className="whitespace-nowrap text-accent underline-offset-2 hover:underline"
        >
          {row.node_name ?? shortId(row.node_id)}
        </Link>
      ) : (
        '—'
      ),
  },
  {
    head: 'Tenant',
    cell: (row) => <TenantLink id={row.organization_id} />,
  },
  {
    head: 'Created by',
    cell: (row) => <CreatorLink id={row.requested_by} name={nameOf(row.requested_by)} />,
  },
  { head: 'Created', cell: (row) => <Ago at={row.created_at} /> },
  {
    head: '',
    end: true,
    cell: (row) =>
      onForce &&
      isLive(row.state) && (
        <Button look="danger" aria-label={`Force release of ${row.name}`} onClick={() => onForce(row)}>
          Force release
        </Button>
      ),
  },
];
