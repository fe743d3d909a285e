import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Proof } from '@gpuaas/contract/node';
import type { Accounts } from '../accounts.ts';
import { clearKeyring, type Login, removeShared } from '../argv.ts';
import type { Commands } from '../commands.ts';
import type { Disposal } from './disposal.ts';
import { entriesIn, entryAt, hasEntry, textAt } from './entries.ts';
import { isAtOrBelow, type Mounts } from './mounts.ts';
import { firstUserId, isTenantId } from './tenant-ids.ts';

/** Where a user can leave files and folders outside of a home. */
const scratch = ['tmp', 'var/tmp', 'dev/shm', 'run/lock', 'run/screen', 'run/user', 'var/crash'];
/** Where programs of the system keep files for users, each owned by its user: jobs, mail, queues of messages. */
const spools = [
  'var/spool/cron/crontabs',
  'var/spool/cron/tabs',
  'var/spool/cron',
  'var/spool/cron/atjobs',
  'var/spool/cron/atspool',
  'var/spool/at',
  'var/spool/at/spool',
  'var/spool/atjobs',
  'var/spool/atspool',
  'var/mail',
  'var/spool/mail',
  'dev/mqueue',
];
/** Where there may be a file with the name of the login, whatever its owner. */
const named = [...spools, 'var/lib/systemd/linger'];
export const sharedKinds = ['shm', 'msg', 'sem'] as const;
type SharedKind = (typeof sharedKinds)[number];
const mostNamed = 5;

interface Owned {
  readonly path: string;
  readonly uid: number;
  readonly isFolder: boolean;
}
async function ownedIn(root: string, folders: readonly string[]): Promise<Owned[]> {
  const found = new Map<string, Owned>();
  for (const folder of folders) {
    for (const name of await entriesIn(join(root, folder))) {
      const path = join(root, folder, name);
      const entry = await entryAt(path);
      if (entry) found.set(path, { path, uid: entry.uid, isFolder: entry.isDirectory() });
    }
  }
  return [...found.values()];
}
async function namedFilesOf(root: string, username: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of named) {
    const path = join(root, folder, username);
    const entry = await entryAt(path);
    // A folder of the system may have the name of a login, as /var/spool/cron/atjobs has.
    if (entry && !entry.isDirectory()) found.push(path);
  }
  return found;
}

/** Memory, queues and semaphores that outlive those who made them, as the kernel lists them. */
async function sharedOf(root: string, uid: number): Promise<{ readonly kind: SharedKind; readonly id: number }[]> {
  const found = await Promise.all(
    sharedKinds.map(async (kind) => {
      const [heading = '', ...lines] = (await textAt(join(root, 'proc/sysvipc', kind))).trim().split('\n');
      const columns = heading.trim().split(/\s+/);
      const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
      const of = (row: readonly number[], name: string) => row[columns.indexOf(name)];
      // Its creator may have changed the owner; it still belongs to the tenant.
      const isTheirs = (row: readonly number[]) => of(row, 'uid') === uid || of(row, 'cuid') === uid;
      return rows.filter(isTheirs).map((row) => ({ kind, id: row[1] ?? -1 }));
    }),
  );
  return found.flat().filter(({ id }) => Number.isInteger(id) && id >= 0);
}

/** Takes away what the login left outside of its home. Only once nothing runs in its name. */
export async function removeLeftovers(
  parts: { readonly root: string; readonly commands: Commands; readonly disposal: Disposal },
  { username, uid, gid }: Login,
): Promise<void> {
  const { root, commands, disposal } = parts;
  await disposal.unmountOf(uid);
  // What would start a program again goes first.
  for (const path of await namedFilesOf(root, username)) await rm(path, { force: true });
  for (const { path, uid: owner, isFolder } of await ownedIn(root, spools)) {
    if (owner === uid) await (isFolder ? disposal.remove(path) : rm(path, { force: true }));
  }
  for (const { path, uid: owner } of await ownedIn(root, scratch)) if (owner === uid) await disposal.remove(path);
  for (const folder of scratch) await disposal.finish(join(root, folder));
  for (const { kind, id } of await sharedOf(root, uid)) await commands.run(removeShared(kind, id));
  if (await hasEntry(join(root, 'usr/bin/keyctl'))) await commands.run(clearKeyring({ username, uid, gid }));
}

/** What of a login is still outside of its home. */
export async function findLeftovers(root: string, { username, uid }: Login): Promise<string[]> {
  const owned = await ownedIn(root, [...scratch, ...spools]);
  const shared = (await sharedOf(root, uid)).map(({ kind, id }) => `${kind} ${id}`);
  const files = owned.filter((entry) => entry.uid === uid).map(({ path }) => path);
  return [...new Set([...files, ...(await namedFilesOf(root, username)), ...shared])];
}

/**
 * Whether anything of an earlier tenant could be found by the next one. This is what taking a login away can promise,
 * and it says so: disks are not wiped by it, that is what imaging is for.
 */
export async function proveClean(
  parts: { readonly root: string; readonly homes: string; readonly accounts: Accounts; readonly mounts: Mounts },
  login: Login,
): Promise<Proof> {
  const known = await parts.accounts.list();
  // A folder that something is mounted over cannot be looked at, and need not be.
  const mounted = await findMounts(parts, known);
  const found = mounted.length > 0 ? mounted : await findAbandoned(parts, known, login);
  return found.length === 0
    ? { passed: true, detail: 'No home, scratch file or crontab of an earlier login is left. Disks were not wiped.' }
    : { passed: false, detail: `Left by an earlier login: ${found.slice(0, mostNamed).join(', ')}.`.slice(0, 500) };
}

type Known = Awaited<ReturnType<Accounts['list']>>;

/** What the next login would find as its own, and what belongs to users who have no account any more. */
async function findAbandoned(
  { root, homes }: { readonly root: string; readonly homes: string },
  known: Known,
  login: Login,
): Promise<string[]> {
  const found = await findLeftovers(root, login);
  const owners = new Set(known.map(({ uid }) => uid));
  for (const { path, uid } of await ownedIn(root, [...scratch, ...spools])) {
    if (!owners.has(uid) && isTenantId(uid, login.uid)) found.push(path);
  }
  for (const name of await entriesIn(homes)) {
    const entry = await entryAt(join(homes, name));
    const isAbandoned = entry !== undefined && entry.uid >= firstUserId && !owners.has(entry.uid);
    if (isAbandoned || name === login.username) found.push(join(homes, name));
  }
  return [...new Set(found)];
}

/**
 * Mounts that hide what an earlier tenant left: any among the homes, but for those of accounts that belong to no tenant, and
 * FUSE, which is all that a tenant can mount, in scratch folders or in the name of a user who is gone.
 */
async function findMounts(
  { root, homes, mounts }: { readonly root: string; readonly homes: string; readonly mounts: Mounts },
  known: Known,
): Promise<string[]> {
  const own = known.filter(({ allocationId }) => allocationId === undefined);
  const kept = await Promise.all(own.map(({ home }) => realPathOf(home)));
  const homesPlace = await realPathOf(homes);
  const scratchPlaces = await Promise.all(scratch.map((folder) => realPathOf(join(root, folder))));
  const isKept = (point: string) =>
    kept.some((home) => home !== '/' && home !== homesPlace && isAtOrBelow(point, home));
  const isBelow = (point: string, folder: string) => point !== folder && isAtOrBelow(point, folder);
  const hides = ({ point, isFuse, userId }: Awaited<ReturnType<Mounts['list']>>[number]) => {
    const isOperators = userId !== undefined && own.some(({ uid }) => uid === userId);
    if (isBelow(point, homesPlace)) return !isKept(point);
    return isFuse && !isOperators && (userId !== undefined || scratchPlaces.some((place) => isBelow(point, place)));
  };
  return (await mounts.list()).filter(hides).map(({ point }) => `a mount at ${point}`);
}
const realPathOf = (path: string): Promise<string> => realpath(path).catch(() => path);
