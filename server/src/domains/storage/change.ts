import { type DeclaredEvent, storageNamespaceCreated } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { dayMs, gibibyte } from '../../kernel/units.ts';
import { absent, type Place, pathIn } from './access.ts';
import { afterAll } from './facts.ts';
import type { StorageParts, Writer } from './parts.ts';
import {
  type BucketRow,
  countNamespaces,
  findNamespace,
  holdBucket,
  insertNamespace,
  mayTakeMore,
  type NamespaceRow,
} from './stores/namespaces-store.ts';
import { type Below, findObject, makeFolders, type ObjectRow, trashObject } from './stores/objects-store.ts';

/** What every change begins with: the locked row of the bucket, and the namespace, which is created where it is missing. */
export interface Opened {
  readonly bucket: BucketRow;
  readonly namespace: NamespaceRow;
  readonly events: readonly DeclaredEvent[];
}
const taken = (path: string) =>
  new Fault(
    'storage_path_occupied',
    `Something else is at ${path}. Choose another path, or say that it may be replaced.`,
  );

export async function openNamespace(
  tx: WriteTx,
  { ids, policies }: Pick<StorageParts, 'ids' | 'policies'>,
  act: Writer,
  { projectId, path }: Pick<Place, 'projectId' | 'path'>,
): Promise<Opened | Fault<'storage_limit_reached' | 'storage_object_not_found'>> {
  const bucket = (await mayTakeMore(tx, projectId)) ? await holdBucket(tx, projectId) : undefined;
  if (!bucket) return absent();
  const found = await findNamespace(tx, projectId, path.kind, path.name);
  if (found) return { bucket, namespace: found, events: [] };
  const most = policies.number('storage.namespaces_max', act);
  if ((await countNamespaces(tx, projectId)) >= most) {
    return new Fault('storage_limit_reached', `A project may have ${most} namespaces.`);
  }
  await insertNamespace(tx, ids.next(), projectId, path.kind, path.name);
  const namespace = await findNamespace(tx, projectId, path.kind, path.name);
  if (!namespace) throw new Error('a namespace was not stored');
  const { id, organization_id, kind } = namespace;
  const created = { namespace_id: id, organization_id, project_id: projectId, kind };
  return { bucket, namespace, events: [storageNamespaceCreated.of(id, created)] };
}

/** Makes the folders above a path. A file in their place is a refusal. */
export async function makeFoldersAbove(
  tx: WriteTx,
  { ids }: Pick<StorageParts, 'ids'>,
  act: Writer,
  namespace: NamespaceRow,
  folder: string,
): Promise<Fault<'storage_path_occupied'> | undefined> {
  const names = folder.split('/').slice(0, -1);
  const entries = names.map((name, depth) => ({
    ...{ id: ids.next(), name },
    folder: names
      .slice(0, depth)
      .map((each) => `${each}/`)
      .join(''),
  }));
  const made = await makeFolders(tx, {
    ...{ organizationId: namespace.organization_id, projectId: namespace.project_id, namespaceId: namespace.id },
    ...{ createdBy: act.actorId, entries },
  });
  return made ? undefined : taken(pathIn(namespace, { folder, name: '' }));
}

/** Makes room at a path: a file that may be replaced goes to the trash. */
export async function makeRoom(
  tx: WriteTx,
  { clock, policies }: Pick<StorageParts, 'clock' | 'policies'>,
  act: Writer,
  namespace: NamespaceRow,
  at: { readonly folder: string; readonly name: string; readonly replace: boolean },
): Promise<{ readonly replaced: ObjectRow | undefined } | Fault<'storage_path_occupied'>> {
  const there = await findObject(tx, namespace.id, at.folder, at.name);
  if (!there) return { replaced: undefined };
  if (there.is_folder || !at.replace) return taken(pathIn(namespace, at));
  const days = policies.number('storage.replaced_days', act);
  await trashObject(tx, there.id, act.actorId, new Date(clock.now().getTime() + days * dayMs));
  return { replaced: there };
}

export const quotaOf = (
  { policies }: Pick<StorageParts, 'policies'>,
  of: { readonly organizationId: string; readonly projectId: string },
): number => policies.number('storage.quota_gib', of) * gibibyte;

/** Why this many more bytes do not fit. */
export function whyNotMore(
  quota: number,
  bucket: BucketRow,
  more: number,
): Fault<'storage_quota_exceeded'> | undefined {
  const used = Number(bucket.stored_bytes) + Number(bucket.reserved_bytes);
  if (used + more <= quota) return undefined;
  const words = `The project stores ${used} of ${quota} bytes, so ${more} more do not fit. Delete files and empty the trash, or ask an operator for more.`;
  return new Fault('storage_quota_exceeded', words, { used_bytes: used, quota_bytes: quota, wanted_bytes: more });
}

/** Everything below a folder, as a range of folders. */
export const belowOf = (namespaceId: string, folder: string): Below => ({
  ...{ namespaceId, from: folder },
  // The sign after the slash: what begins with the folder lies before it.
  to: folder === '' ? afterAll : `${folder.slice(0, -1)}0`,
});
