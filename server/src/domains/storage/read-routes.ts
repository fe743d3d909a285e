import {
  storageDownloadGet,
  storageGet,
  storageNamespaceCreate,
  storageNamespaceList,
  storageObjectGet,
  storageObjectList,
  whyNotName,
} from '@gpuaas/contract';
import { handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { absent, findPlace, levelIn, withLevels } from './access.ts';
import { belowOf, openNamespace, quotaOf } from './change.ts';
import type { Reader, StorageParts } from './parts.ts';
import { showNamespace, showObject } from './show.ts';
import { findBucket, listNamespaces } from './stores/namespaces-store.ts';
import { findObject, listBelowFolder, listFolder } from './stores/objects-store.ts';
import { shownAs } from './transfers.ts';

const on = handlers<StorageParts>();

/** Administrators see the namespaces of all people, others their own. */
export const onlyUserOf = ({ actorRole, actorId }: Reader): string | undefined =>
  actorRole === 'owner' || actorRole === 'admin' ? undefined : actorId;

const usage = on(storageGet, async (parts, who) => {
  const { money } = parts;
  const [bucket, isReadOnly, price] = await parts.db.read(who, (tx) =>
    Promise.all([
      findBucket(tx, who.projectId),
      money.isReadOnly(tx, who.organizationId),
      money.price(tx, who.organizationId),
    ]),
  );
  if (!bucket) return new Fault('project_not_found', 'There is no such object.');
  return {
    project_id: who.projectId,
    stored_bytes: Number(bucket.stored_bytes),
    reserved_bytes: Number(bucket.reserved_bytes),
    quota_bytes: quotaOf(parts, who),
    read_only: isReadOnly,
    price,
  };
});

const namespaces = on(storageNamespaceList, ({ db }, who, { query }) =>
  readPage({
    name: 'storage-namespaces',
    query,
    read: (after, limit) =>
      db.read(who, async (tx) =>
        withLevels(tx, who, await listNamespaces(tx, { ...who, onlyUser: onlyUserOf(who) }, after, limit)),
      ),
    keyOf: ({ id }) => id,
    show: showNamespace,
  }),
);

const create = on(storageNamespaceCreate, async (parts, act, { body }) => {
  const { kind, name = '' } = body;
  const isSingle = kind === 'shared' || kind === 'artifacts';
  const wrong = isSingle
    ? name === ''
      ? undefined
      : `A project has one ${kind}/: leave the name out.`
    : whyNotName(kind, name);
  if (wrong) return new Fault('storage_path_invalid', wrong);
  const path = { kind, name, folder: '', leaf: '', isFolder: true };
  return parts.db.write(act, async (tx) => {
    const level = await levelIn(tx, act, path, { projectId: act.projectId, namespaceId: undefined });
    if (level === 'none') return tx.abandon(absent());
    const opened = await openNamespace(tx, parts, act, { projectId: act.projectId, path });
    if (opened instanceof Fault) return tx.abandon(opened);
    if (opened.events.length === 0) {
      return tx.abandon(new Fault('storage_path_occupied', 'The project has this namespace already.'));
    }
    return tx.commit(showNamespace({ ...opened.namespace, level }), {
      target: { type: 'storage_namespace', id: opened.namespace.id },
      change: { kind },
      events: opened.events,
    });
  });
});

const list = on(storageObjectList, async ({ db }, who, { query }) => {
  const place = await db.read(who, (tx) => findPlace(tx, who, query));
  if (place instanceof Fault) return place;
  const { path, namespace } = place;
  if (!namespace) return path.leaf === '' ? { data: [], next_cursor: null, has_more: false } : absent();
  const folder = path.leaf === '' ? path.folder : `${path.folder}${path.leaf}/`;
  if (path.leaf !== '') {
    const there = await db.read(who, (tx) => findObject(tx, namespace.id, path.folder, path.leaf));
    if (!there?.is_folder) return absent();
  }
  return readPage({
    name: query.recursive ? 'storage-files' : 'storage-folder',
    key: 'path',
    query,
    read: (after = '', limit) =>
      db.read(who, (tx) => {
        const at = after.lastIndexOf('/') + 1;
        const [inside, name] = [after.slice(0, at), after.slice(at)];
        if (!query.recursive) return listFolder(tx, namespace.id, folder, name, limit);
        const from = after === '' ? { folder, name } : { folder: inside, name };
        return listBelowFolder(tx, belowOf(namespace.id, folder), from, limit);
      }),
    keyOf: (row) => `${row.folder}${row.name}`,
    show: (row) => showObject(namespace, row),
  });
});

const get = on(storageObjectGet, async ({ db }, who, { query }) =>
  db.read(who, async (tx) => {
    const place = await findPlace(tx, who, query);
    if (place instanceof Fault) return place;
    const { namespace, path } = place;
    const row = namespace && path.leaf !== '' && (await findObject(tx, namespace.id, path.folder, path.leaf));
    return row && (row.is_folder || !path.isFolder) ? showObject(namespace, row) : absent();
  }),
);

const download = on(storageDownloadGet, async ({ db, transfers, policies }, who, { query }) => {
  const found = await db.read(who, async (tx) => {
    const place = await findPlace(tx, who, query);
    if (place instanceof Fault) return place;
    const { namespace, path } = place;
    const row = namespace && (await findObject(tx, namespace.id, path.folder, path.leaf));
    return row && (row.is_folder || !path.isFolder) ? row : absent();
  });
  if (found instanceof Fault) return found;
  if (found.blob_id === null) return new Fault('storage_is_folder', 'This is a folder: fetch its files one by one.');
  return transfers.read(
    { projectId: found.project_id, blobId: found.blob_id },
    shownAs(found.content_type, found.name, Number(found.size_bytes)),
    policies.number('storage.address_seconds', who),
  );
});

export const readRoutes = (parts: StorageParts): Mounted[] =>
  [usage, namespaces, create, list, get, download].map((bind) => bind(parts));
