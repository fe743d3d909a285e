import { type ActOrigin, systemViewer } from '../../kernel/act.ts';
import { makeApart, type Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { removedAfterMs, sweptAtOnce } from './facts.ts';
import type { StorageParts } from './parts.ts';
import { holdBucket, resizeNamespace } from './stores/namespaces-store.ts';
import { holdTrashed, removeObject } from './stores/objects-store.ts';
import {
  changeUses,
  type DueRow,
  listDue,
  listExpired,
  listRemovable,
  removeBlob,
  removeUpload,
  type UploadRow,
} from './stores/uploads-store.ts';
import { giveUp } from './upload-routes.ts';

/**
 * Gives up uploads whose time is over, empties the trash, and removes bytes that no file uses. Each object is apart, so one
 * that cannot be removed keeps no other one waiting.
 */
export function makeStorageUpkeep(
  parts: Pick<StorageParts, 'db' | 'ids' | 'clock' | 'storage' | 'begin'> & {
    readonly log: Log;
    readonly metrics: Metrics;
  },
): Reconciler {
  const { db, ids, clock, storage, begin } = parts;
  const apart = makeApart('storage-upkeep', parts);
  const removed = parts.metrics.counter(
    'gpuaas_storage_blobs_removed_total',
    'Files of tenants whose bytes were removed for good.',
    [],
  );
  const originOf = (row: { readonly organization_id: string; readonly project_id: string }): ActOrigin => ({
    ...{ correlationId: ids.next(), organizationId: row.organization_id, projectId: row.project_id },
  });
  const target = (type: string, id: string) => ({ target: { type, id }, events: 'none' as const });

  const expire = (row: UploadRow) =>
    db.write(begin('storage.upload.expire', originOf(row)), async (tx) => {
      await holdBucket(tx, row.project_id);
      if (await removeUpload(tx, row.id)) await giveUp(tx, row);
      return tx.commit(undefined, target('storage_upload', row.id));
    });
  const purge = (row: DueRow) =>
    db.write(begin('storage.object.expire', originOf(row)), async (tx) => {
      await holdBucket(tx, row.project_id);
      const held = await holdTrashed(tx, row.id, row.project_id);
      if (held) {
        await removeObject(tx, row.id);
        if (row.blob_id !== null) await changeUses(tx, row.blob_id, -1);
        const of = { projectId: row.project_id, namespaceId: held.namespace_id };
        await resizeNamespace(tx, of, { stored: -Number(row.size_bytes), reserved: 0 });
      }
      return tx.commit(undefined, target('storage_object', row.id));
    });

  return {
    name: 'storage-upkeep',
    async round(signal) {
      const now = clock.now();
      const viewer = systemViewer('storage', { correlationId: ids.next() });
      const { expired, due, removable } = await db.read(viewer, async (tx) => ({
        expired: await listExpired(tx, now, sweptAtOnce),
        due: await listDue(tx, now, sweptAtOnce),
        removable: await listRemovable(tx, new Date(now.getTime() - removedAfterMs), sweptAtOnce),
      }));
      for (const row of expired) if (!signal.aborted) await apart({ upload: row.id }, () => expire(row));
      for (const row of due) if (!signal.aborted) await apart({ object: row.id }, () => purge(row));
      let gone = 0;
      for (const row of removable) {
        if (signal.aborted) break;
        await apart({ blob: row.id }, async () => {
          // The bytes first: a row that is gone would leave bytes that nobody finds.
          await storage.remove({ projectId: row.project_id, blobId: row.id, handle: row.handle });
          await db.write(begin('storage.blob.remove', originOf(row)), async (tx) => {
            await removeBlob(tx, row.id);
            return tx.commit(undefined, target('storage_blob', row.id));
          });
          removed.inc();
          gone += 1;
        });
      }
      return gone === sweptAtOnce || due.length === sweptAtOnce ? 'more' : 'idle';
    },
  };
}
