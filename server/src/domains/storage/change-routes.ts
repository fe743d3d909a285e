import {
  storageFolderCreate,
  storageObjectCopy,
  storageObjectDelete,
  storageObjectDeleted,
  storageObjectMove,
} from '@gpuaas/contract';
import { handlers, type Mounted, type ReadTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { dayMs } from '../../kernel/units.ts';
import { absent, denied, findPlace, includes, type Place, pathIn } from './access.ts';
import { belowOf, makeFoldersAbove, makeRoom, openNamespace, quotaOf, whyNotMore } from './change.ts';
import { longestPath } from './facts.ts';
import type { StorageParts, Writer } from './parts.ts';
import { showObject } from './show.ts';
import { holdBucket, type NamespaceRow, resizeNamespace } from './stores/namespaces-store.ts';
import {
  findObject,
  insertObject,
  measureBelow,
  moveFolder,
  moveObject,
  type ObjectRow,
  removeObject,
  trashFolder,
  trashObject,
} from './stores/objects-store.ts';
import { changeUses } from './stores/uploads-store.ts';

const on = handlers<StorageParts>();
const target = (id: string) => ({ type: 'storage_object', id });
const tooMany = (most: number) =>
  new Fault('storage_too_many_entries', `The folder has more than ${most} entries: take its folders one by one.`);

interface Found extends Place {
  readonly namespace: NamespaceRow;
  readonly row: ObjectRow;
}
/** What is at a path that the caller may change. */
async function findToChange(tx: ReadTx, act: Writer, asked: { path: string; owner_project_id?: string }) {
  const place = await findPlace(tx, act, asked);
  if (place instanceof Fault) return place;
  const { namespace, path } = place;
  const row = namespace && path.leaf !== '' && (await findObject(tx, namespace.id, path.folder, path.leaf));
  if (!row || (path.isFolder && !row.is_folder)) return absent();
  return includes(place.level, 'write') ? ({ ...place, namespace, row } satisfies Found) : denied();
}

const remove = on(storageObjectDelete, ({ db, clock, policies }, act, { query }) =>
  db.write(act, async (tx) => {
    if (!(await holdBucket(tx, query.owner_project_id ?? act.projectId))) return tx.abandon(absent());
    const found = await findToChange(tx, act, query);
    if (found instanceof Fault) return tx.abandon(found);
    const { row, namespace } = found;
    const purgeAt = new Date(clock.now().getTime() + policies.number('storage.trash_days', act) * dayMs);
    let [entries, sizeBytes] = [1, Number(row.size_bytes)];
    if (row.is_folder) {
      const below = belowOf(namespace.id, `${row.folder}${row.name}/`);
      const most = policies.number('storage.entries_per_change_max', act);
      const inside = await measureBelow(tx, below, most + 1);
      if (inside.entries > most) return tx.abandon(tooMany(most));
      if (inside.entries > 0 && !query.recursive) {
        return tx.abandon(
          new Fault(
            'storage_folder_not_empty',
            'The folder is not empty: delete it with everything in it (recursive).',
          ),
        );
      }
      [entries, sizeBytes] = [1 + inside.entries, inside.sizeBytes];
      await trashFolder(tx, below, act.actorId, purgeAt);
      await removeObject(tx, row.id);
    } else {
      await trashObject(tx, row.id, act.actorId, purgeAt);
    }
    const about = { namespace_id: namespace.id, organization_id: row.organization_id, project_id: row.project_id };
    return tx.commit(
      { id: row.id, path: pathIn(namespace, row), entries, size_bytes: sizeBytes },
      {
        target: target(row.id),
        change: { namespace_id: namespace.id, entries, size_bytes: sizeBytes },
        events: [
          storageObjectDeleted.of(namespace.id, { object_id: row.id, ...about, entries, size_bytes: sizeBytes }),
        ],
      },
    );
  }),
);

const mkdir = on(storageFolderCreate, (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const place = await findPlace(tx, act, body);
    if (place instanceof Fault) return tx.abandon(place);
    if (!includes(place.level, 'write')) return tx.abandon(denied());
    const { folder, leaf } = place.path;
    if (leaf === '') {
      return tx.abandon(new Fault('storage_path_occupied', 'This is the namespace itself: name a folder in it.'));
    }
    const opened = await openNamespace(tx, parts, act, place);
    if (opened instanceof Fault) return tx.abandon(opened);
    const { namespace, events } = opened;
    const occupied = await makeFoldersAbove(tx, parts, act, namespace, `${folder}${leaf}/`);
    if (occupied) return tx.abandon(occupied);
    const row = await findObject(tx, namespace.id, folder, leaf);
    if (!row) throw new Error('a folder was not stored');
    return tx.commit(showObject(namespace, row), {
      ...{ target: target(row.id), change: { namespace_id: namespace.id } },
      events: events.length > 0 ? events : 'none',
    });
  }),
);

const move = on(storageObjectMove, (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const of = { ...(body.owner_project_id && { owner_project_id: body.owner_project_id }) };
    if (!(await holdBucket(tx, body.owner_project_id ?? act.projectId))) return tx.abandon(absent());
    const from = await findToChange(tx, act, { path: body.from, ...of });
    if (from instanceof Fault) return tx.abandon(from);
    const to = await findPlace(tx, act, { path: body.to, ...of });
    if (to instanceof Fault) return tx.abandon(to);
    const { row, namespace } = from;
    if (to.namespace?.id !== namespace.id || to.path.leaf === '') {
      const words = 'A move stays within one namespace and names the new path: copy to another one, then delete.';
      return tx.abandon(new Fault('storage_path_invalid', words));
    }
    const { folder, leaf: name } = to.path;
    const [source, goal] = [`${row.folder}${row.name}/`, `${folder}${name}/`];
    if (row.is_folder && goal.startsWith(source)) {
      return tx.abandon(new Fault('storage_path_invalid', 'A folder cannot be moved into itself.'));
    }
    const occupied = await makeFoldersAbove(tx, parts, act, namespace, folder);
    if (occupied) return tx.abandon(occupied);
    const replace = body.replace === true && !row.is_folder;
    const isSame = row.folder === folder && row.name === name;
    const room = isSame ? undefined : await makeRoom(tx, parts, act, namespace, { folder, name, replace });
    if (room instanceof Fault) return tx.abandon(room);
    let entries = 1;
    if (row.is_folder) {
      const most = parts.policies.number('storage.entries_per_change_max', act);
      const below = belowOf(namespace.id, source);
      const inside = await measureBelow(tx, below, most + 1);
      if (inside.entries > most) return tx.abandon(tooMany(most));
      const longer = Buffer.byteLength(goal) - Buffer.byteLength(source);
      if (inside.longest + longer > longestPath) {
        return tx.abandon(new Fault('storage_path_invalid', 'A path in the folder would become too long.'));
      }
      entries += inside.entries;
      await moveFolder(tx, below, goal);
    }
    await moveObject(tx, row.id, folder, name);
    const moved = await findObject(tx, namespace.id, folder, name);
    if (!moved) throw new Error('what was moved is not there');
    return tx.commit(showObject(namespace, moved), {
      ...{
        target: target(row.id),
        change: { namespace_id: namespace.id, entries, replaced: room?.replaced?.id ?? null },
      },
      events: 'none',
    });
  }),
);

const copy = on(storageObjectCopy, (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const of = { ...(body.owner_project_id && { owner_project_id: body.owner_project_id }) };
    const projectId = body.owner_project_id ?? act.projectId;
    const to = await findPlace(tx, act, { path: body.to, ...of });
    if (to instanceof Fault) return tx.abandon(to);
    if (!includes(to.level, 'write')) return tx.abandon(denied());
    if (to.path.leaf === '')
      return tx.abandon(new Fault('storage_path_invalid', 'Name the file that the copy becomes.'));
    const opened = await openNamespace(tx, parts, act, to);
    if (opened instanceof Fault) return tx.abandon(opened);
    const { namespace, bucket, events } = opened;
    const from = await findPlace(tx, act, { path: body.from, ...of });
    if (from instanceof Fault) return tx.abandon(from);
    const source = from.namespace && (await findObject(tx, from.namespace.id, from.path.folder, from.path.leaf));
    if (!source) return tx.abandon(absent());
    if (source.blob_id === null)
      return tx.abandon(new Fault('storage_is_folder', 'Copy the files of a folder one by one.'));
    const sizeBytes = Number(source.size_bytes);
    const quota = quotaOf(parts, { organizationId: act.organizationId, projectId });
    const tooMuch = whyNotMore(quota, bucket, sizeBytes) ?? (await parts.money.whyNothingMore(tx, act));
    if (tooMuch) return tx.abandon(tooMuch);
    const { folder, leaf: name } = to.path;
    const occupied = await makeFoldersAbove(tx, parts, act, namespace, folder);
    if (occupied) return tx.abandon(occupied);
    const room = await makeRoom(tx, parts, act, namespace, { folder, name, replace: body.replace === true });
    if (room instanceof Fault) return tx.abandon(room);
    await changeUses(tx, source.blob_id, 1);
    await insertObject(tx, {
      ...{
        id: parts.ids.next(),
        organizationId: act.organizationId,
        projectId,
        namespaceId: namespace.id,
        folder,
        name,
      },
      ...{ sizeBytes, partBytes: Number(source.part_bytes), contentType: source.content_type },
      ...{ checksum: source.checksum, blobId: source.blob_id, createdBy: act.actorId },
    });
    await resizeNamespace(tx, { projectId, namespaceId: namespace.id }, { stored: sizeBytes, reserved: 0 });
    const made = await findObject(tx, namespace.id, folder, name);
    if (!made) throw new Error('a copy was not stored');
    return tx.commit(showObject(namespace, made), {
      ...{ target: target(made.id), change: { namespace_id: namespace.id, copy_of: source.id, size_bytes: sizeBytes } },
      events: events.length > 0 ? events : 'none',
    });
  }),
);

export const changeRoutes = (parts: StorageParts): Mounted[] => [remove, mkdir, move, copy].map((bind) => bind(parts));
