import { type NamespaceRef, namespacePath, readStoragePath, type StoragePath } from '@gpuaas/contract';
import type { ReadTx, Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Reader } from './parts.ts';
import { levelsAmong, levelsOf } from './stores/grants-store.ts';
import { findNamespace, type NamespaceRow } from './stores/namespaces-store.ts';

/** What a caller may do in a namespace. Each level includes those before it. */
const levels = ['none', 'read', 'write', 'manage'] as const;
export type Level = (typeof levels)[number];
export const includes = (held: Level, wanted: Level): boolean => levels.indexOf(held) >= levels.indexOf(wanted);

/** A path, whose it is, and what the caller may do there. */
export interface Place {
  readonly path: StoragePath;
  readonly projectId: string;
  /** Undefined where nobody has stored anything there yet. */
  readonly namespace: NamespaceRow | undefined;
  readonly level: Level;
}

export const absent = () => new Fault('storage_object_not_found', 'There is nothing at this path that you may see.');
export const denied = () =>
  new Fault('storage_access_denied', 'You may read this but not change it. Ask who manages it for a grant.');

/** Project roles hold in every namespace of the project but those of other people, which only administrators enter. */
function levelByRole({ actorRole, actorId }: Viewer, { kind, name }: NamespaceRef): Level {
  if (actorRole === 'owner' || actorRole === 'admin') return 'manage';
  if (kind === 'users') return name === actorId ? 'manage' : 'none';
  return actorRole === 'member' ? 'write' : 'read';
}

/** Asked anew by every request, so a revoked grant opens nothing from the next one on. */
export async function levelIn(
  tx: ReadTx,
  who: Reader,
  of: NamespaceRef,
  owner: { readonly projectId: string; readonly namespaceId: string | undefined },
): Promise<Level> {
  const isOwn = owner.projectId === who.projectId;
  let level: Level = isOwn ? levelByRole(who, of) : 'none';
  if (owner.namespaceId === undefined || level === 'manage') return level;
  const grantees = isOwn ? [who.actorId] : [who.actorId, who.projectId];
  for (const granted of await levelsOf(tx, owner.namespaceId, grantees)) if (includes(granted, level)) level = granted;
  return level;
}

/** The same for namespaces of the caller's own project, with one question for all of them. */
export async function withLevels(tx: ReadTx, who: Reader, rows: readonly NamespaceRow[]) {
  const granted = await levelsAmong(
    tx,
    rows.map(({ id }) => id),
    who.actorId,
  );
  return rows.flatMap((row) => {
    let level = levelByRole(who, row);
    for (const each of granted) if (each.namespace_id === row.id && includes(each.level, level)) level = each.level;
    return level === 'none' ? [] : [{ ...row, level }];
  });
}

export async function findPlace(
  tx: ReadTx,
  who: Reader,
  asked: { readonly path: string; readonly owner_project_id?: string },
): Promise<Place | Fault<'storage_path_invalid' | 'storage_object_not_found'>> {
  const path = readStoragePath(asked.path);
  if (typeof path === 'string') return new Fault('storage_path_invalid', path);
  const projectId = asked.owner_project_id ?? who.projectId;
  const namespace = await findNamespace(tx, projectId, path.kind, path.name);
  const level = await levelIn(tx, who, path, { projectId, namespaceId: namespace?.id });
  return level === 'none' ? absent() : { path, projectId, namespace, level };
}

/** The whole path of what lies in a namespace. */
export const pathIn = (
  of: NamespaceRef,
  { folder, name }: { readonly folder: string; readonly name: string },
): string => `${namespacePath(of)}${folder}${name}`;
