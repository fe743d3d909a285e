import type { CatalogApp, CatalogVersion } from '@gpuaas/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAsk, useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { parametersOf, tellNeeds, unitPrices } from '../../words/apps.ts';
import { LaunchAppDialog } from './launch-dialog.tsx';
import { type VersionMove, VersionMoves } from './version-moves.tsx';

const pageSize = 200;
/** The catalog has no call for one app: it is found among those that the project finds. */
async function findApp(id: string, options: Parameters<typeof api.apps.catalogList>[1]): Promise<CatalogApp | null> {
  for await (const app of api.apps.catalogList({ limit: pageSize }, options)) if (app.id === id) return app;
  return null;
}

/** One app of the catalog: what it needs, its versions, and the way to launch each. */
export function AppPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const may = useMay();
  const found = useAsk(['app-catalog', 'one', id], (options) => findApp(id, options));
  const list = useList(['app-catalog', 'versions', id], (from, options) =>
    api.apps.catalogVersionList({ app_id: id, ...from }, options),
  );
  const [launching, setLaunching] = useState<CatalogVersion>();
  const [move, setMove] = useState<VersionMove>();
  const app = found.data;
  const newest = list.rows?.[0];
  return (
    <Page
      title={app?.name ?? 'App'}
      {...(app && { lead: <bdi>{app.summary}</bdi> })}
      actions={<ButtonLink to="/apps">All apps</ButtonLink>}
      shown={{ operation: 'catalog_version_list', input: { app_id: id } }}
    >
      {found.error && <Problem error={found.error} again={() => void found.refetch()} />}
      {found.isLoading && <Loading />}
      {app === null && (
        <div className="panel">
          <Empty icon="search" title="No such app">
            <p>It does not exist, or this project does not find it.</p>
          </Empty>
        </div>
      )}
      {app && (
        <>
          {newest && <About app={app} version={newest} />}
          <section aria-label="Versions" className="grid gap-3">
            <h2 className="text-lg font-semibold">Versions</h2>
            <Rows
              label="Versions"
              list={list}
              keyOf={(version) => version.id}
              columns={[
                {
                  head: 'Version',
                  cell: (version) => <span className="tabular font-medium">{version.version}</span>,
                },
                { head: 'State', cell: (version) => <StateChip state={version.lifecycle_state} /> },
                { head: 'Trust', cell: (version) => <StateChip state={version.trust_state} /> },
                { head: 'Channel', cell: (version) => version.channel },
                { head: 'Published', cell: (version) => <Ago at={version.created_at} /> },
                {
                  head: '',
                  end: true,
                  cell: (version) => (
                    <span className="flex flex-wrap justify-end gap-2">
                      {app.own && may('app_version_promote') && <VersionButtons version={version} onMove={setMove} />}
                      {version.launchable
                        ? may('app_instance_create') && (
                            <Button
                              look="primary"
                              icon="launch"
                              aria-label={`Launch ${version.version}`}
                              onClick={() => setLaunching(version)}
                            >
                              Launch
                            </Button>
                          )
                        : version.reason && <span className="max-w-72 text-sm text-dim">{version.reason}</span>}
                    </span>
                  ),
                },
              ]}
              empty={<Empty icon="box" title="No version that you may see" />}
            />
          </section>
        </>
      )}
      {app && launching && (
        <LaunchAppDialog reference={app.reference} version={launching} onClose={() => setLaunching(undefined)} />
      )}
      <VersionMoves move={move} onClose={() => setMove(undefined)} />
    </Page>
  );
}

/** What a publisher may do with a version now. The server has the last word. */
function VersionButtons({ version, onMove }: { version: CatalogVersion; onMove(move: VersionMove): void }) {
  const { lifecycle_state: state, version: number } = version;
  if (state === 'retired') return null;
  const verbs = [
    ...(version.channel === 'prod' || state === 'deprecated' ? [] : (['promote'] as const)),
    ...(state === 'deprecated' ? [] : (['deprecate'] as const)),
    'retire' as const,
  ];
  const words = { promote: 'Promote', deprecate: 'Deprecate', retire: 'Retire' } as const;
  return verbs.map((verb) => (
    <Button
      key={verb}
      look={verb === 'retire' ? 'danger' : 'plain'}
      aria-label={`${words[verb]} ${number}`}
      onClick={() => onMove({ verb, version })}
    >
      {words[verb]}
    </Button>
  ));
}

function About({ app, version: { manifest } }: { app: CatalogApp; version: CatalogVersion }) {
  const { metadata, runtime, endpoints } = manifest;
  const parameters = parametersOf(manifest);
  const prices = unitPrices(manifest);
  return (
    <Panel title="About">
      <Facts
        rows={[
          ['Name', <code key="name">{app.reference}</code>],
          ['Needs', tellNeeds(manifest)],
          ...(prices.length > 0 ? [['Costs beside its allocation', prices.join(', ')] as const] : []),
          [
            'Listens',
            endpoints.length === 0
              ? 'nowhere'
              : endpoints.map(({ name, kind, port }) => `${name} (${kind}, port ${port})`).join(', '),
          ],
          ['Internet', runtime.egress === 'internet' ? 'the app may reach it' : 'the app cannot reach it'],
          ...(parameters.length > 0
            ? [['Asks for', parameters.map(([, { title }]) => title).join(', ')] as const]
            : []),
          ...(metadata.license ? [['Licence', metadata.license] as const] : []),
          [
            'Image',
            <code key="image" className="font-mono text-[13px] break-all">
              {runtime.image}
            </code>,
          ],
        ]}
      />
    </Panel>
  );
}
