import type { StorageGrant } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '../../client/api.ts';
import { useAsk, useList } from '../../client/ask.ts';
import { useNames } from '../../client/names.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty, NoProject } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { plainWord } from '../../words/sizes.ts';
import { spellMoment } from '../../words/time.ts';
import { NewGrant } from './new-grant.tsx';

const ends = (row: StorageGrant) =>
  row.expires_at ? (
    Date.parse(row.expires_at) > Date.now() ? (
      spellMoment(row.expires_at)
    ) : (
      <span className="text-warn">ended</span>
    )
  ) : (
    <span className="text-dim">when it is revoked</span>
  );

const common: readonly Column<StorageGrant>[] = [
  { head: 'Right', cell: ({ level }) => level },
  { head: 'Since', cell: (row) => <Ago at={row.created_at} /> },
  { head: 'Ends', cell: ends },
];
const endBy = (
  verb: string,
  allowed: (row: StorageGrant) => boolean,
  onEnd: (row: StorageGrant) => void,
): Column<StorageGrant> => ({
  head: '',
  end: true,
  cell: (row) =>
    allowed(row) && (
      <Button look="danger" aria-label={`${verb} the grant on ${row.path}`} onClick={() => onEnd(row)}>
        {verb}
      </Button>
    ),
});

/** Who else may use files of this project, and which files of others it may use. */
export function StorageGrantsPage() {
  const { project } = useSession();
  const may = useMay();
  const [making, setMaking] = useState(false);
  const [going, setGoing] = useState<StorageGrant>();
  const own = useAsk(['storage', 'level'], (options) => api.storage.namespaceList({ limit: 200 }, options), {
    enabled: project !== undefined,
  });
  const managed = (own.data?.data ?? []).filter(({ level }) => level === 'manage').map(({ path }) => path);
  return (
    <Page
      title="Storage grants"
      lead="A grant lets a person, a service account or another project of the organization use one namespace."
      actions={
        may('storage_grant_create') &&
        managed.length > 0 && (
          <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
            New grant
          </Button>
        )
      }
      shown={{ operation: 'storage_grant_list', input: {} }}
    >
      {project ? (
        <>
          <Given managed={managed} onEnd={setGoing} />
          <Received projectId={project.id} onEnd={setGoing} />
        </>
      ) : (
        <NoProject />
      )}
      {making && <NewGrant namespaces={managed} onClose={() => setMaking(false)} />}
      <Removal
        it={going}
        name="storage grant revoke"
        title={({ path }) => `End the grant on ${path}?`}
        verb="Revoke"
        act={({ id: storage_grant_id }, options) => api.storage.grantRevoke({ storage_grant_id }, options)}
        stale={['storage']}
        onClose={() => setGoing(undefined)}
      >
        <p>It opens nothing from the next request on. Downloads that run may take a minute longer.</p>
      </Removal>
    </Page>
  );
}

function Given({ managed, onEnd }: { managed: readonly string[]; onEnd(row: StorageGrant): void }) {
  const { me, projects } = useSession();
  const may = useMay();
  const nameOf = useNames();
  const list = useList(['storage', 'grants', 'given'], (from, options) =>
    api.storage.grantList({ ...from, side: 'given' }, options),
  );
  const projectName = (id: string) => projects.find((each) => each.id === id)?.name ?? id;
  const who = ({ grantee_kind, grantee_id }: StorageGrant) => (
    <span>
      <bdi>{grantee_kind === 'project' ? projectName(grantee_id) : nameOf(grantee_id)}</bdi>{' '}
      <span className="text-sm text-dim">{plainWord(grantee_kind)}</span>
    </span>
  );
  const mayEnd = (row: StorageGrant): boolean =>
    may('storage_grant_revoke') && (row.grantee_id === me.id || managed.includes(row.path));
  return (
    <Section title="Given by this project">
      <Rows
        label="Grants that this project has given"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Namespace', cell: ({ path }) => <bdi className="break-all">{path}</bdi> },
          { head: 'To', cell: who },
          ...common,
          endBy('Revoke', mayEnd, onEnd),
        ]}
        empty={<Empty icon="share" title="Nothing is shared with others" />}
      />
    </Section>
  );
}

function Received({ projectId, onEnd }: { projectId: string; onEnd(row: StorageGrant): void }) {
  const { me, projects } = useSession();
  const may = useMay();
  const list = useList(['storage', 'grants', 'received'], (from, options) =>
    api.storage.grantList({ ...from, side: 'received' }, options),
  );
  return (
    <Section title="Received from others">
      <Rows
        label="Grants that this project and you have received"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Namespace',
            cell: ({ path, project_id }) => (
              <Link
                to="/storage/files"
                search={{ path, ...(project_id !== projectId && { owner: project_id }) }}
                className="break-all text-accent underline"
              >
                <bdi>{path}</bdi>
              </Link>
            ),
          },
          {
            head: 'Of',
            cell: ({ project_id }) => <bdi>{projects.find(({ id }) => id === project_id)?.name ?? project_id}</bdi>,
          },
          ...common,
          endBy('Give back', (row) => may('storage_grant_revoke') && row.grantee_id === me.id, onEnd),
        ]}
        empty={<Empty icon="share" title="Others have shared nothing with this project or you" />}
      />
    </Section>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="grid gap-3">
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}
