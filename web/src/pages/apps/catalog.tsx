import type { CatalogApp } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { useSession } from '../../client/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty, NoProject } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

const columns: readonly Column<CatalogApp>[] = [
  {
    head: 'App',
    cell: (app) => (
      <span>
        <Link to="/apps/$id" params={{ id: app.id }} className="font-medium text-accent underline">
          <bdi>{app.name}</bdi>
        </Link>{' '}
        {app.own && <Chip tone="calm">yours</Chip>}
        <code className="block font-mono text-[13px] break-all text-dim">{app.reference}</code>
      </span>
    ),
  },
  { head: 'What it does', cell: (app) => <bdi className="line-clamp-2">{app.summary}</bdi> },
  { head: 'Published', cell: (app) => <Ago at={app.created_at} /> },
];

/** The apps that the selected project finds. */
export function AppsPage() {
  const { project } = useSession();
  const list = useList(['app-catalog'], (from, options) => api.apps.catalogList(from, options), {
    enabled: project !== undefined,
  });
  return (
    <Page
      title="Apps"
      lead="Programs to launch on a whole node, from your organization and from others."
      actions={
        <ButtonLink icon="box" to="/app-instances">
          App instances
        </ButtonLink>
      }
      shown={{ operation: 'catalog_app_list', input: {} }}
    >
      {project ? (
        <Rows
          label="Apps"
          list={list}
          keyOf={({ id }) => id}
          columns={columns}
          empty={
            <Empty icon="box" title="No apps yet">
              <p>Publish one of your own with the command line:</p>
              <pre className="overflow-x-auto rounded-lg bg-sunk px-3 py-2 text-start font-mono text-sm">
                {'gpuaas app init my-app\ngpuaas app publish'}
              </pre>
              <a href="/docs/guides/publish-an-app" className="text-accent underline">
                How to publish an app
              </a>
            </Empty>
          }
        />
      ) : (
        <NoProject />
      )}
    </Page>
  );
}
