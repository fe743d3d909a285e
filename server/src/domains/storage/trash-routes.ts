import { storageTrashList, storageTrashPurge, storageTrashRestore } from '@gpuaas/contract';
import { handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { absent, denied, includes, levelIn } from './access.ts';
import { makeFoldersAbove, makeRoom } from './change.ts';
import type { StorageParts, Writer } from './parts.ts';
import { onlyUserOf } from './read-routes.ts';
import { showObject } from './show.ts';
import { getNamespace, holdBucket, type NamespaceRow, resizeNamespace } from './stores/namespaces-store.ts';
import { holdTrashed, listTrash, removeObject, restoreObject } from './stores/objects-store.ts';
import { changeUses } from './stores/uploads-store.ts';

const on = handlers<StorageParts>();
const target = (id: string) => ({ type: 'storage_object', id });

const list = on(storageTrashList, ({ db }, who, { query }) =>
  readPage({
    name: 'storage-trash',
    query,
    read: (before, limit) => db.read(who, (tx) => listTrash(tx, { ...who, onlyUser: onlyUserOf(who) }, before, limit)),
    keyOf: ({ id }) => id,
    show: (row) => showObject({ kind: row.kind, name: row.namespace_name }, row),
  }),
);

/** A file in the trash that the caller may change. */
async function findTrashed(tx: WriteTx, act: Writer, id: string) {
  if (!(await holdBucket(tx, act.projectId))) return absent();
  const row = await holdTrashed(tx, id, act.projectId);
  const namespace = row && (await getNamespace(tx, row.namespace_id));
  if (!row || !namespace) return absent();
  const owner = { projectId: row.project_id, namespaceId: namespace.id };
  const level = await levelIn(tx, act, namespace, owner);
  if (level === 'none') return absent();
  return includes(level, 'write') ? { row, namespace } : denied();
}

const restore = on(storageTrashRestore, (parts, act, { params }) =>
  parts.db.write(act, async (tx) => {
    const found = await findTrashed(tx, act, params.storage_object_id);
    if (found instanceof Fault) return tx.abandon(found);
    const { row, namespace } = found;
    const occupied = await makeFoldersAbove(tx, parts, act, namespace, row.folder);
    if (occupied) return tx.abandon(occupied);
    const room = await makeRoom(tx, parts, act, namespace, { folder: row.folder, name: row.name, replace: false });
    if (room instanceof Fault) return tx.abandon(room);
    await restoreObject(tx, row.id);
    return tx.commit(showObject(namespace, { ...row, deleted_at: null, purge_at: null }), receiptOf(row.id, namespace));
  }),
);

const purge = on(storageTrashPurge, (parts, act, { params }) =>
  parts.db.write(act, async (tx) => {
    const found = await findTrashed(tx, act, params.storage_object_id);
    if (found instanceof Fault) return tx.abandon(found);
    const { row, namespace } = found;
    await removeObject(tx, row.id);
    if (row.blob_id !== null) await changeUses(tx, row.blob_id, -1);
    const of = { projectId: row.project_id, namespaceId: namespace.id };
    await resizeNamespace(tx, of, { stored: -Number(row.size_bytes), reserved: 0 });
    return tx.commit(showObject(namespace, row), receiptOf(row.id, namespace));
  }),
);

const receiptOf = (id: string, namespace: NamespaceRow) => ({
  ...{ target: target(id), change: { namespace_id: namespace.id } },
  events: 'none' as const,
});

export const trashRoutes = (parts: StorageParts): Mounted[] => [list, restore, purge].map((bind) => bind(parts));
