import type { StorageObject } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, NoProject, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { spellSize } from '../../words/files.ts';
import { spellMoment } from '../../words/time.ts';

/** What was deleted or replaced, and can be brought back for some days. */
export function TrashPage() {
  const { project } = useSession();
  const may = useMay();
  const [going, setGoing] = useState<StorageObject>();
  const list = useList(['storage', 'trash'], (from, options) => api.storage.trashList(from, options), {
    enabled: project !== undefined,
  });
  const restore = useAct(
    'storage trash restore',
    (storage_object_id: string, options) => api.storage.trashRestore({ storage_object_id }, options),
    { stale: ['storage'] },
  );
  return (
    <Page
      title="Trash"
      lead="Files that were deleted or replaced. They count towards the quota until they are removed."
      shown={{ operation: 'storage_trash_list', input: {} }}
    >
      {restore.error && <Problem error={restore.error} />}
      {project ? (
        <Rows
          label="Trash"
          list={list}
          keyOf={({ id }) => id}
          columns={[
            { head: 'File', cell: (row) => <bdi className="break-all">{row.path}</bdi> },
            {
              head: 'Size',
              end: true,
              cell: (row) => <span className="whitespace-nowrap tabular">{spellSize(row.size_bytes)}</span>,
            },
            { head: 'Deleted', cell: (row) => <Ago at={row.deleted_at} /> },
            { head: 'Removed for good', cell: (row) => row.purge_at && spellMoment(row.purge_at) },
            {
              head: '',
              end: true,
              cell: (row) =>
                may('storage_trash_restore') && (
                  <span className="flex flex-wrap justify-end gap-2">
                    <Button
                      aria-label={`Restore ${row.path}`}
                      busy={restore.isPending && restore.variables === row.id}
                      onClick={() => restore.mutate(row.id)}
                    >
                      Restore
                    </Button>
                    <Button look="danger" aria-label={`Purge ${row.path}`} onClick={() => setGoing(row)}>
                      Purge
                    </Button>
                  </span>
                ),
            },
          ]}
          empty={<Empty icon="trash" title="The trash is empty" />}
        />
      ) : (
        <NoProject />
      )}
      <Removal
        it={going}
        name="storage trash purge"
        title={({ name }) => `Purge ${name}?`}
        verb="Remove for good"
        act={({ id: storage_object_id }, options) => api.storage.trashPurge({ storage_object_id }, options)}
        stale={['storage']}
        onClose={() => setGoing(undefined)}
      >
        <p>It cannot be brought back. Its space is free at once.</p>
      </Removal>
    </Page>
  );
}
