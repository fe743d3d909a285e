import type { Allocation } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct } from '../client/ask.ts';
import { letGo } from '../client/let-go.ts';
import { useSession } from '../client/session.tsx';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { csvOf } from '../parts/csv.ts';
import { counted } from '../words/sizes.ts';

/** Releases them one after the other. A refusal does not stop the others; the first refusal is shown. */
export function ReleaseSeveral({ chosen, onDone }: { chosen: readonly Allocation[]; onDone(): void }) {
  const [asking, setAsking] = useState(false);
  const release = useAct(
    'release several',
    async (ids: readonly string[], { idempotencyKey, ...options }) => {
      const refusals: unknown[] = [];
      for (const allocation_id of ids) {
        const key = { idempotencyKey: `${idempotencyKey}-${allocation_id}` };
        await api.allocations.release({ allocation_id }, { ...options, ...key }).then(
          () => undefined,
          (error: unknown) => refusals.push(error),
        );
      }
      if (refusals.length > 0) throw refusals[0];
    },
    {
      stale: ['allocations', 'allocation', 'groups', 'catalog', 'overview'],
      done: () => {
        setAsking(false);
        onDone();
      },
    },
  );
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Release {chosen.length}
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Release ${counted(chosen.length, 'allocation')}?`}
        verb={`Release ${chosen.length}`}
        danger
        busy={release.isPending}
        error={release.error}
        onConfirm={() => release.mutate(chosen.map(({ id }) => id))}
      >
        <p>Everything on these machines is lost: their disks are wiped.</p>
        <ul className="list-disc ps-5">
          {chosen.map(({ id, name }) => (
            <li key={id}>
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      </Confirm>
    </>
  );
}

const mostRows = 5_000;
/** All rows that match, not only those on the page; up to 5,000 of them. */
export function ExportAllocations({ filter }: { filter: Parameters<typeof api.allocations.list>[0] }) {
  const project = useSession().project?.id;
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const rows: Allocation[] = [];
      for await (const row of api.allocations.list({ ...filter, limit: 200 }, project ? { project } : {})) {
        rows.push(row);
        if (rows.length >= mostRows) break;
      }
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv' }));
      link.download = 'allocations.csv';
      link.click();
      URL.revokeObjectURL(link.href);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button busy={isBusy} onClick={() => letGo(save())}>
      Export CSV
    </Button>
  );
}
