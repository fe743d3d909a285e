import type { AppInstance } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { useSession } from '../../client/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { SimulatedChip, StateChip } from '../../parts/chip.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty, NoProject } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { shortId } from '../../words/sizes.ts';

const lookEveryMs = 5_000;
const columns: readonly Column<AppInstance>[] = [
  {
    head: 'Instance',
    cell: (row) => (
      <Link to="/app-instances/$id" params={{ id: row.id }} className="text-accent underline">
        <bdi>{row.name}</bdi> <span className="font-mono text-xs">{shortId(row.id)}</span>
      </Link>
    ),
  },
  {
    head: 'State',
    cell: (row) => (
      <span className="inline-flex gap-2">
        <StateChip state={row.state} />
        <SimulatedChip of={row} />
      </span>
    ),
  },
  {
    head: 'App',
    cell: (row) => (
      <bdi>
        {row.app_reference} {row.app_version}
      </bdi>
    ),
  },
  {
    head: 'Allocation',
    cell: (row) => (
      <Link
        to="/allocations/$id"
        params={{ id: row.allocation_id }}
        className="font-mono text-xs text-accent underline"
      >
        {shortId(row.allocation_id)}
      </Link>
    ),
  },
  { head: 'Launched', cell: (row) => <Ago at={row.created_at} /> },
];

/** What runs of apps in the selected project. */
export function AppInstancesPage() {
  const { project } = useSession();
  const list = useList(['app-instances'], (from, options) => api.appInstances.list(from, options), {
    enabled: project !== undefined,
    everyMs: lookEveryMs,
  });
  return (
    <Page
      title="App instances"
      lead="Apps that run on allocations of this project."
      actions={
        <ButtonLink icon="tag" to="/apps">
          Apps
        </ButtonLink>
      }
      shown={{ operation: 'app_instance_list', input: {} }}
    >
      {project ? (
        <Rows
          label="App instances"
          list={list}
          keyOf={({ id }) => id}
          columns={columns}
          empty={
            <Empty icon="box" title="No app runs here">
              <p>Choose an app and launch it on a whole node.</p>
              <ButtonLink look="primary" icon="tag" to="/apps">
                See the apps
              </ButtonLink>
            </Empty>
          }
        />
      ) : (
        <NoProject />
      )}
    </Page>
  );
}
