import type { StorageNamespace, StorageUsage } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk, useList } from '../../client/ask.ts';
import { useNames } from '../../client/names.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { LevelBar } from '../../parts/charts/level-bar.tsx';
import { Choice, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty, Loading, NoProject, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { kindWords, spellSize } from '../../words/files.ts';

const columns = (nameOf: (id: string) => string): readonly Column<StorageNamespace>[] => [
  {
    head: 'Namespace',
    cell: (row) => (
      <span className="flex items-start gap-2.5">
        <span className="mt-0.5 text-dim">
          <Icon name="folder" />
        </span>
        <span className="min-w-0">
          <Link to="/storage/files" search={{ path: row.path }} className="font-medium break-all text-accent underline">
            <bdi>{row.kind === 'users' ? `users/${nameOf(row.name)}` : row.path.slice(0, -1)}</bdi>
          </Link>
          <span className="block text-sm text-dim">{kindWords[row.kind]}</span>
        </span>
      </span>
    ),
  },
  { head: 'Size', end: true, cell: (row) => <span className="tabular">{spellSize(row.stored_bytes)}</span> },
  {
    head: 'You may',
    cell: ({ level }) => ({ read: 'read', write: 'read and write', manage: 'read, write and share' })[level],
  },
  { head: 'Created', cell: (row) => <Ago at={row.created_at} /> },
];

/** The namespaces of the selected project, and how much of its quota they take. */
export function StoragePage() {
  const { project } = useSession();
  const mayCreate = useMay()('storage_namespace_create');
  const nameOf = useNames();
  const [making, setMaking] = useState(false);
  const list = useList(['storage', 'namespaces'], (from, options) => api.storage.namespaceList(from, options), {
    enabled: project !== undefined,
  });
  const make = mayCreate && (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New namespace
    </Button>
  );
  return (
    <Page
      title="Files"
      lead="Datasets, checkpoints and results of this project. They outlive every machine."
      actions={project && make}
      shown={{ operation: 'storage_namespace_list', input: {} }}
    >
      {project ? (
        <>
          <UsagePanel />
          <Rows
            label="Namespaces"
            list={list}
            keyOf={({ id }) => id}
            columns={columns(nameOf)}
            empty={
              <Empty icon="folder" title="Nothing is stored yet">
                <p>
                  A namespace holds files of one kind, such as datasets/imagenet. An upload creates the one that it
                  needs.
                </p>
                {mayCreate && (
                  <>
                    {make}
                    <pre className="max-w-full overflow-x-auto rounded-lg bg-sunk px-3 py-2 text-start font-mono text-sm">
                      gpuaas cp model.bin storage:shared/
                    </pre>
                  </>
                )}
              </Empty>
            }
          />
        </>
      ) : (
        <NoProject />
      )}
      {making && <NewNamespace onClose={() => setMaking(false)} />}
    </Page>
  );
}

/** The quota as a bar: what is stored, and what uploads have reserved. */
function UsagePanel() {
  const usage = useAsk(['storage', 'usage'], (options) => api.storage.get(options));
  if (usage.error && !usage.data) return <Problem error={usage.error} again={() => void usage.refetch()} />;
  if (!usage.data) return <Loading rows={2} />;
  return <Panel title="Quota">{<Quota {...usage.data} />}</Panel>;
}

function Quota({ stored_bytes, reserved_bytes, quota_bytes }: StorageUsage) {
  const used = stored_bytes + reserved_bytes;
  const percent = quota_bytes > 0 ? (used / quota_bytes) * 100 : used > 0 ? 100 : 0;
  return (
    <div className="grid gap-2">
      <p>
        <span className="text-lg font-semibold tabular">{spellSize(used)}</span>{' '}
        <span className="text-dim">of {spellSize(quota_bytes)}</span>
      </p>
      <LevelBar label="Quota" percent={percent} tone={percent >= 95 ? 'bad' : percent >= 80 ? 'warn' : 'ok'} />
      <p className="text-sm text-dim">
        Files in the trash count as well
        {reserved_bytes > 0 && `, and so do uploads on their way (${spellSize(reserved_bytes)})`}.
        {percent >= 80 && ' Delete files and empty the trash, or ask an operator for more.'}
      </p>
    </div>
  );
}

function NewNamespace({ onClose }: { onClose(): void }) {
  const { me } = useSession();
  const navigate = useNavigate();
  const [kind, setKind] = useState<StorageNamespace['kind']>('datasets');
  const [name, setName] = useState('');
  const isNamed = kind !== 'shared' && kind !== 'artifacts' && kind !== 'users';
  const make = useAct(
    'storage namespace create',
    (input: Parameters<typeof api.storage.namespaceCreate>[0], options) => api.storage.namespaceCreate(input, options),
    { stale: ['storage'], done: ({ path }) => void navigate({ to: '/storage/files', search: { path } }) },
  );
  return (
    <FormDialog
      title="New namespace"
      lead={`${kind}/ is for ${kindWords[kind]}.`}
      verb="Create"
      busy={make.isPending}
      error={make.error}
      onClose={onClose}
      onSubmit={() =>
        make.mutate({ kind, ...(isNamed ? { name: name.trim() } : kind === 'users' ? { name: me.id } : {}) })
      }
    >
      <Choice
        label="Kind"
        value={kind}
        options={choices.storage_namespace_create.kind.map((each) => [each, `${each}/`] as const)}
        onChoose={(chosen) => setKind(chosen as StorageNamespace['kind'])}
      />
      {isNamed && (
        <TextField
          label={kind === 'workloads' ? 'Id of the allocation or app' : 'Name'}
          hint={kind === 'workloads' ? undefined : 'Small letters, digits, dots, hyphens and underscores.'}
          required
          maxLength={63}
          value={name}
          onChange={setName}
        />
      )}
      {kind === 'users' && (
        <p className="text-dim">It is for you. Others have theirs; administrators see all of them.</p>
      )}
    </FormDialog>
  );
}
