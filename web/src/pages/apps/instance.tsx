import type { AppInstance } from '@gpuaas/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk, useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { RunbookLink } from '../../parts/operators/runbook-link.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { runbookOfInstance } from '../../words/health/runbooks.ts';
import { shortId } from '../../words/sizes.ts';
import { MoveVersion } from './move-version.tsx';
import { Use } from './use.tsx';

const lookEveryMs = 2_000;
const moves: Readonly<Record<NonNullable<AppInstance['version_change']>, string>> = {
  upgrading: 'The container of the old version ends before the new one is launched',
  trying: 'The new version is launched; the old one comes back if it does not become ready',
  returning: 'The container ends before the other version is launched',
};

/** One app instance: its addresses, what it prints, and what happened to it. */
export function AppInstancePage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const found = useAsk(['app-instance', id], (options) => api.appInstances.get({ app_instance_id: id }, options), {
    everyMs: lookEveryMs,
  });
  const instance = found.data;
  return (
    <Page
      title={instance?.name ?? 'App instance'}
      {...(instance?.simulated && { lead: 'It runs on a simulated host: a small server answers in its place.' })}
      shown={{ operation: 'app_instance_get', input: { app_instance_id: id } }}
    >
      {found.error && <Problem error={found.error} />}
      {!instance && !found.error && <Loading />}
      {instance && (
        <>
          <Overview instance={instance} />
          <Use id={id} />
          <Log id={id} />
          <Timeline id={id} />
        </>
      )}
    </Page>
  );
}

function Overview({ instance }: { instance: AppInstance }) {
  const of = { app_instance_id: instance.id };
  const after = { stale: ['app-instance', 'app-instance-timeline'] };
  const stop = useAct('app instance stop', (_: string, options) => api.appInstances.stop(of, options), after);
  const start = useAct('app instance start', (_: string, options) => api.appInstances.start(of, options), after);
  const [going, setGoing] = useState<AppInstance>();
  const may = useMay();
  const { state } = instance;
  const error = stop.error ?? start.error;
  const runbook = may('runbook_get') ? runbookOfInstance(instance) : undefined;
  return (
    <Panel
      title="Overview"
      aside={
        <div className="flex flex-wrap gap-2">
          {(state === 'running' || state === 'launching') && may('app_instance_stop') && (
            <Button busy={stop.isPending} onClick={() => stop.mutate(instance.id)}>
              Stop
            </Button>
          )}
          {(state === 'stopped' || state === 'failed') && may('app_instance_start') && (
            <Button busy={start.isPending} onClick={() => start.mutate(instance.id)}>
              Start
            </Button>
          )}
          {may('app_instance_upgrade') && <MoveVersion instance={instance} />}
          {state !== 'released' && state !== 'releasing' && may('app_instance_release') && (
            <Button look="danger" onClick={() => setGoing(instance)}>
              {instance.owns_allocation ? 'Release with its allocation' : 'Release'}
            </Button>
          )}
        </div>
      }
    >
      {error && <Problem error={error} />}
      <Facts
        rows={[
          ['State', <StateChip key="state" state={state} />],
          ...(instance.phase ? [['Phase', instance.phase] as const] : []),
          ...(instance.failure_reason ? [['Why', <bdi key="why">{instance.failure_reason}</bdi>] as const] : []),
          ['App', <bdi key="app">{`${instance.app_reference} ${instance.app_version}`}</bdi>],
          ...(instance.version_change ? [['Version', moves[instance.version_change]] as const] : []),
          [
            'Allocation',
            <Link
              key="allocation"
              to="/allocations/$id"
              params={{ id: instance.allocation_id }}
              className="text-accent underline"
            >
              {shortId(instance.allocation_id)}
            </Link>,
          ],
          ...(runbook === undefined
            ? []
            : [['If it cannot be opened', <RunbookLink key="runbook" id={runbook} />] as const]),
          ['Launched', <Ago key="at" at={instance.created_at} />],
          ...instance.routes.map(
            (route) =>
              [
                route.family === 'browser' ? 'Open' : `API ${route.endpoint}`,
                route.url === null ? (
                  'No address'
                ) : route.family === 'browser' ? (
                  <a
                    key={route.id}
                    href={route.url}
                    target="_blank"
                    rel="noreferrer noopener"
                    className="break-all text-accent underline"
                  >
                    {route.url}
                  </a>
                ) : (
                  <code key={route.id} className="break-all">
                    {route.url}
                  </code>
                ),
              ] as const,
          ),
        ]}
      />
      <Removal
        it={going}
        name="app instance release"
        title={({ name }) => `Release ${name}?`}
        verb="Release"
        act={(_, options) => api.appInstances.release(of, options)}
        stale={['app-instance', 'app-instances', 'app-instance-timeline', 'allocations']}
        onClose={() => setGoing(undefined)}
      >
        <p>
          {instance.owns_allocation
            ? 'The app ends with its volumes, and its allocation is released with it.'
            : 'The app ends with its volumes. The allocation stays.'}
        </p>
      </Removal>
    </Panel>
  );
}

function Log({ id }: { id: string }) {
  const may = useMay();
  const of = { app_instance_id: id };
  const logs = useAsk(['app-instance-logs', id], (options) => api.appInstances.logs(of, options), {
    everyMs: lookEveryMs,
  });
  const ask = useAct('app instance logs', (_: string, options) => api.appInstances.logsRequest(of, options));
  const lines = logs.data?.lines ?? [];
  return (
    <Panel
      title="Log"
      aside={
        may('app_instance_logs_request') && (
          <Button busy={ask.isPending} onClick={() => ask.mutate(id)}>
            Fetch the last lines
          </Button>
        )
      }
    >
      {ask.error && <Problem error={ask.error} />}
      {logs.data?.fetched_at ? (
        <p className="text-sm text-dim">
          Fetched <Ago at={logs.data.fetched_at} />
        </p>
      ) : (
        <p className="text-sm text-dim">Nothing was fetched from the host yet.</p>
      )}
      {lines.length > 0 && (
        <pre className="max-h-96 overflow-auto rounded bg-sunk p-3 font-mono text-xs">
          {lines.map(({ text }) => text).join('\n')}
        </pre>
      )}
    </Panel>
  );
}

function Timeline({ id }: { id: string }) {
  const list = useList(
    ['app-instance-timeline', id],
    (from, options) => api.appInstances.timeline({ app_instance_id: id, ...from }, options),
    { everyMs: lookEveryMs },
  );
  return (
    <Panel title="Timeline">
      <Rows
        label="Timeline"
        list={list}
        keyOf={(row) => row.id}
        columns={[
          { head: 'When', cell: (row) => <Ago at={row.at} /> },
          { head: 'What', cell: (row) => row.name },
          { head: 'To', cell: (row) => row.to_state ?? '' },
        ]}
        empty={<Empty icon="activity" title="Nothing yet" />}
      />
    </Panel>
  );
}
