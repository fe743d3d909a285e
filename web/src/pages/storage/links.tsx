import type { StorageLink } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAsk, useList } from '../../client/ask.ts';
import { useNames } from '../../client/names.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Page } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, NoProject } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { folderOf, namespaceOf } from '../../words/files.ts';
import { counted } from '../../words/sizes.ts';
import { spellMoment } from '../../words/time.ts';

/** The links by which strangers can open files of the selected project. */
export function ShareLinksPage() {
  const { project, me } = useSession();
  const may = useMay();
  const nameOf = useNames();
  const [going, setGoing] = useState<StorageLink>();
  const enabled = project !== undefined;
  const list = useList(['storage', 'links'], (from, options) => api.storage.linkList(from, options), { enabled });
  const own = useAsk(['storage', 'level'], (options) => api.storage.namespaceList({ limit: 200 }, options), {
    enabled,
  });
  const managed = (own.data?.data ?? []).filter(({ level }) => level === 'manage').map(({ path }) => path);
  const mayEnd = (row: StorageLink): boolean =>
    may('storage_link_revoke') && (row.created_by === me.id || managed.includes(namespaceOf(row.path)));
  return (
    <Page
      title="Share links"
      lead="Each opens one file without a sign-in, until it ends or is revoked."
      shown={{ operation: 'storage_link_list', input: {} }}
    >
      {project ? (
        <Rows
          label="Share links"
          list={list}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'File',
              cell: (row) => (
                <span>
                  <Link
                    to="/storage/files"
                    search={{ path: folderOf(row.path) }}
                    className="break-all text-accent underline"
                  >
                    <bdi>{row.path}</bdi>
                  </Link>{' '}
                  {!row.works && <Chip tone="warn">in the trash</Chip>}
                </span>
              ),
            },
            { head: 'Ends', cell: (row) => spellMoment(row.expires_at) },
            {
              head: 'Opened',
              cell: (row) => (
                <span>
                  {counted(row.opened, 'time')}
                  {row.last_opened_at && (
                    <span className="block text-sm text-dim">
                      last <Ago at={row.last_opened_at} />
                    </span>
                  )}
                </span>
              ),
            },
            { head: 'By', cell: (row) => <bdi>{nameOf(row.created_by)}</bdi> },
            {
              head: '',
              end: true,
              cell: (row) =>
                mayEnd(row) && (
                  <Button look="danger" aria-label={`Revoke the link to ${row.path}`} onClick={() => setGoing(row)}>
                    Revoke
                  </Button>
                ),
            },
          ]}
          empty={
            <Empty icon="share" title="No file is shared by a link">
              {may('storage_link_create') && <p>Choose Share by link in the menu of a file to make one.</p>}
            </Empty>
          }
        />
      ) : (
        <NoProject />
      )}
      <Removal
        it={going}
        name="storage link revoke"
        title={({ path }) => `Revoke the link to ${path}?`}
        verb="Revoke"
        act={({ id: storage_link_id }, options) => api.storage.linkRevoke({ storage_link_id }, options)}
        stale={['storage']}
        onClose={() => setGoing(undefined)}
      >
        <p>It opens nothing any more. Downloads that run may take a minute longer.</p>
      </Removal>
    </Page>
  );
}
