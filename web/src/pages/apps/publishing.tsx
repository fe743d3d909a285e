import type { App } from '@gpuaas/sdk';
import { Link, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { useSession } from '../../client/session.tsx';
import { Evidence } from '../../parts/apps/evidence.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty, NoProject } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

const lookEveryMs = 10_000;
const columns: readonly Column<App>[] = [
  {
    head: 'App',
    cell: (row) => (
      <Link to="/apps/publishing" search={{ app: row.id }} className="text-accent underline">
        <bdi>{row.reference}</bdi>
      </Link>
    ),
  },
  { head: 'Name', cell: (row) => <bdi>{row.name}</bdi> },
  { head: 'Found by', cell: (row) => row.visibility },
  { head: 'Created', cell: (row) => <Ago at={row.created_at} /> },
];

/** The apps that the selected project publishes, and the versions of one of them with what verification found. */
export function PublishingPage() {
  const { project } = useSession();
  const { app } = useSearch({ strict: false }) as { app?: string };
  const list = useList(
    ['apps'],
    (from, options) => api.apps.list({ ...from, project_id: project?.id ?? '' }, options),
    { enabled: project !== undefined, everyMs: lookEveryMs },
  );
  return (
    <Page
      title="Publishing"
      lead="Apps that this project publishes, and how far their versions have come."
      shown={{ operation: 'app_list', input: {} }}
    >
      {project ? (
        <>
          <Rows
            label="Apps"
            list={list}
            keyOf={({ id }) => id}
            columns={columns}
            empty={
              <Empty icon="stack" title="This project publishes no apps">
                <p>
                  Begin with a manifest: <code>gpuaas app init echo</code>, then <code>gpuaas app publish</code>.
                </p>
              </Empty>
            }
          />
          {app !== undefined && <Versions app={app} />}
        </>
      ) : (
        <NoProject />
      )}
    </Page>
  );
}

function Versions({ app }: { app: string }) {
  const list = useList(
    ['app-versions', app],
    (from, options) => api.apps.versionList({ ...from, app_id: app }, options),
    { everyMs: lookEveryMs },
  );
  return (
    <Rows
      label="Versions"
      list={list}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Version',
          cell: (row) => (
            <bdi>
              {row.app_reference} {row.version}
            </bdi>
          ),
        },
        { head: 'Trust', cell: (row) => <StateChip state={row.trust_state} /> },
        { head: 'Channel', cell: (row) => `${row.channel} (${row.lifecycle_state})` },
        { head: 'Evidence', cell: (row) => <Evidence version={row} /> },
        { head: 'Published', cell: (row) => <Ago at={row.created_at} /> },
      ]}
      empty={<Empty icon="stack" title="The app has no versions" />}
    />
  );
}
