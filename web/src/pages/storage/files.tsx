import type { StorageObject } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isAbsent } from '../../client/api.ts';
import { useAct, useAsk, useList } from '../../client/ask.ts';
import type { Chosen } from '../../client/files/dropped.ts';
import { previewOf } from '../../client/files/preview.ts';
import { startUploads } from '../../client/files/uploads.ts';
import { useNames } from '../../client/names.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty, NoProject, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { crumbsOf, namespaceOf, spellSize } from '../../words/files.ts';
import { DropArea } from './drop-area.tsx';
import { type Choice, EntryDialogs } from './entry-dialogs.tsx';
import { RowActions } from './row-actions.tsx';
import { UploadList } from './upload-list.tsx';

/** What the caller may do in the namespace of a path, of this project or by a grant. Undefined while it is not known. */
function useLevel(path: string, owner: string | undefined) {
  const namespace = namespaceOf(path);
  const { project } = useSession();
  const own = useAsk(['storage', 'level'], (options) => api.storage.namespaceList({ limit: 200 }, options), {
    enabled: project !== undefined && owner === undefined,
  });
  const received = useAsk(
    ['storage', 'received'],
    (options) => api.storage.grantList({ side: 'received', limit: 200 }, options),
    { enabled: project !== undefined && owner !== undefined },
  );
  if (owner === undefined) return own.data?.data.find((each) => each.path === namespace)?.level;
  const levels = (received.data?.data ?? [])
    .filter((each) => each.path === namespace && each.project_id === owner)
    .map(({ level }) => level);
  return choices.storage_grant_create.level.findLast((level) => levels.includes(level));
}

/** One folder: what lies in it, and what can be done with that. */
export function FilesPage() {
  const { path = 'shared/', owner } = useSearch({ from: '/storage/files' });
  const { project, projects } = useSession();
  const may = useMay();
  const level = useLevel(path, owner);
  // A namespace that nobody has used yet has no level, and an upload creates it.
  const isOpen = owner === undefined ? level !== 'read' : level === 'write' || level === 'manage';
  const mayWrite = isOpen && may('storage_upload_create');
  const mayShare = owner === undefined && level === 'manage' && may('storage_link_create');
  const [chosen, choose] = useState<Choice>();
  const nameOf = useNames();
  const of = owner === undefined ? {} : { owner_project_id: owner };
  const list = useList(
    ['storage', 'objects', path, owner],
    (from, options) => api.storage.objectList({ ...from, path, ...of }, options),
    { enabled: project !== undefined },
  );
  const fetchOne = useDownload(owner);
  const upload = (files: readonly Chosen[]) =>
    project &&
    startUploads(
      files.map((each) => ({ file: each.file, goal: { project: project.id, path: path + each.path, owner } })),
    );
  const ownerName = owner && (projects.find(({ id }) => id === owner)?.name ?? 'another project');
  if (!project) {
    return (
      <Page title="Files">
        <NoProject />
      </Page>
    );
  }
  const isGone = list.error !== null && isAbsent(list.error);
  return (
    <Page
      title={titleOf(path, nameOf)}
      lead={<Crumbs path={path} owner={owner} ownerName={ownerName} nameOf={nameOf} />}
      actions={
        mayWrite &&
        !isGone && (
          <Button icon="folder" onClick={() => choose({ kind: 'folder' })}>
            New folder
          </Button>
        )
      }
      shown={{ operation: 'storage_object_list', input: { path, ...of } }}
    >
      {fetchOne.error && <Problem error={fetchOne.error} />}
      <UploadList />
      {isGone ? (
        <div className="panel">
          <Empty icon="search" title="There is no such folder">
            <p>It was moved or deleted, or it is not shared with you.</p>
            <ButtonLink to="/storage">All namespaces</ButtonLink>
          </Empty>
        </div>
      ) : (
        <DropArea enabled={mayWrite} folder={path} onFiles={upload}>
          <Rows
            label={`What lies in ${path}`}
            list={list}
            keyOf={({ id }) => id}
            columns={columnsOf({
              owner,
              choose,
              mayWrite,
              mayShare,
              download: fetchOne.mutate,
              isFetching: fetchOne.isPending,
            })}
            empty={
              <Empty icon="folder" title="This folder is empty">
                {mayWrite && <p>Drop files here, or choose them with the button above.</p>}
              </Empty>
            }
          />
        </DropArea>
      )}
      {chosen && <EntryDialogs chosen={chosen} folder={path} owner={owner} onClose={() => choose(undefined)} />}
    </Page>
  );
}

const titleOf = (path: string, nameOf: (id: string) => string): string => {
  const last = crumbsOf(path).at(-1)?.label ?? path;
  return last.startsWith('users/') ? `users/${nameOf(last.slice('users/'.length))}` : last;
};

/** An address is asked for when the button is pressed: it works for a minute. */
function useDownload(owner: string | undefined) {
  const of = owner === undefined ? {} : { owner_project_id: owner };
  return useAct('storage download', (path: string, options) => api.storage.downloadGet({ path, ...of }, options), {
    done: ({ url }) => {
      const link = document.createElement('a');
      link.href = url;
      link.download = '';
      link.rel = 'noreferrer';
      link.click();
    },
  });
}

function Crumbs({
  path,
  owner,
  ownerName,
  nameOf,
}: {
  path: string;
  owner: string | undefined;
  ownerName: string | undefined;
  nameOf: (id: string) => string;
}) {
  const crumbs = crumbsOf(path);
  return (
    <nav aria-label="Breadcrumb">
      <ol className="flex flex-wrap items-center gap-x-1.5 gap-y-1 break-all">
        <li>
          <Link to={owner === undefined ? '/storage' : '/storage/grants'} className="text-accent underline">
            {ownerName === undefined ? 'Files' : `Shared by ${ownerName}`}
          </Link>
        </li>
        {crumbs.map((crumb, index) => (
          <li key={crumb.path} className="flex items-center gap-1.5">
            <span aria-hidden="true">/</span>
            {index === crumbs.length - 1 ? (
              <bdi aria-current="page">{titleOf(crumb.path, nameOf)}</bdi>
            ) : (
              <Link
                to="/storage/files"
                search={{ path: crumb.path, ...(owner !== undefined && { owner }) }}
                className="text-accent underline"
              >
                <bdi>{titleOf(crumb.path, nameOf)}</bdi>
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function columnsOf(parts: {
  readonly owner: string | undefined;
  readonly mayWrite: boolean;
  readonly mayShare: boolean;
  readonly isFetching: boolean;
  choose(choice: Choice): void;
  download(path: string): void;
}): readonly Column<StorageObject>[] {
  const { owner, choose } = parts;
  return [
    {
      head: 'Name',
      cell: (row) => (
        <span className="flex items-start gap-2.5">
          <span className={`mt-0.5 ${row.is_folder ? 'text-accent' : 'text-dim'}`}>
            <Icon name={row.is_folder ? 'folder' : 'file'} />
          </span>
          {row.is_folder ? (
            <Link
              to="/storage/files"
              search={{ path: row.path, ...(owner !== undefined && { owner }) }}
              className="min-w-0 break-all text-accent underline"
            >
              <bdi>{row.name}</bdi>
            </Link>
          ) : previewOf(row) ? (
            <button
              type="button"
              className="min-w-0 text-start break-all text-accent underline"
              onClick={() => choose({ kind: 'preview', row })}
            >
              <bdi>{row.name}</bdi>
            </button>
          ) : (
            <bdi className="min-w-0 break-all">{row.name}</bdi>
          )}
        </span>
      ),
    },
    {
      head: 'Size',
      end: true,
      cell: (row) => !row.is_folder && <span className="whitespace-nowrap tabular">{spellSize(row.size_bytes)}</span>,
    },
    { head: 'Changed', cell: (row) => <Ago at={row.updated_at} /> },
    {
      head: '',
      end: true,
      cell: (row) => (
        <RowActions
          row={row}
          mayWrite={parts.mayWrite}
          mayShare={parts.mayShare}
          isFetching={parts.isFetching}
          onDownload={() => parts.download(row.path)}
          choose={choose}
        />
      ),
    },
  ];
}
