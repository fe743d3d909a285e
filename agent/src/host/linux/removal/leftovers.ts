import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Proof } from '@gpuaas/contract/node';
import type { Accounts } from './accounts.ts';
import { type Login, removeShared } from './argv.ts';
import type { Commands } from './commands.ts';
import type { Disposal } from './disposal.ts';
import { isThere, namesIn, readText } from './sysfs.ts';

/** Where somebody without rights can leave something outside of a home. */
const scratch = ['tmp', 'var/tmp', 'dev/shm'];
const kept = (username: string) => [
  `var/spool/cron/crontabs/${username}`,
  `var/lib/systemd/linger/${username}`,
  `var/mail/${username}`,
];
export const sharedKinds = ['shm', 'msg', 'sem'] as const;
type SharedKind = (typeof sharedKinds)[number];
const firstTenantUid = 1_000;
const mostNamed = 5;

async function scratchOf(root: string, uid: number): Promise<string[]> {
  const found: string[] = [];
  for (const folder of scratch) {
    for (const name of await namesIn(root, folder)) {
      const path = join(root, folder, name);
      const entry = await lstat(path).catch(() => undefined);
      if (entry?.uid === uid) found.push(path);
    }
  }
  return found;
}

/** Memory, queues and semaphores that outlive those who made them, as the kernel lists them. */
async function sharedOf(root: string, uid: number): Promise<{ readonly kind: SharedKind; readonly id: number }[]> {
  const found = await Promise.all(
    sharedKinds.map(async (kind) => {
      const [heading = '', ...lines] = (await readText(root, `proc/sysvipc/${kind}`)).split('\n');
      const columns = heading.trim().split(/\s+/);
      const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
      const of = (row: readonly number[], name: string) => row[columns.indexOf(name)];
      // Whoever made it may have given it away; then it is no less theirs.
      const isTheirs = (row: readonly number[]) => of(row, 'uid') === uid || of(row, 'cuid') === uid;
      return rows.filter(isTheirs).map((row) => ({ kind, id: row[1] ?? -1 }));
    }),
  );
  return found.flat().filter(({ id }) => Number.isInteger(id) && id >= 0);
}

/** Takes away what the login left outside of its home. Only once nothing runs in its name. */
export async function removeLeftovers(
  parts: { readonly root: string; readonly commands: Commands; readonly disposal: Disposal },
  login: Login,
): Promise<void> {
  const { root, commands, disposal } = parts;
  for (const path of await scratchOf(root, login.uid)) await disposal.remove(path);
  for (const folder of scratch) await disposal.finish(join(root, folder));
  for (const path of kept(login.username)) await rm(join(root, path), { force: true });
  for (const { kind, id } of await sharedOf(root, login.uid)) await commands.run(removeShared(kind, id));
}

/**
 * Whether anything of an earlier tenant could be found by the next one. This is what taking a login away can promise,
 * and it says so: disks are not wiped by it, that is what imaging is for.
 */
export async function proveClean(root: string, homes: string, accounts: Accounts, login: Login): Promise<Proof> {
  const found = await scratchOf(root, login.uid);
  for (const path of kept(login.username)) if (await isThere(root, path)) found.push(path);
  for (const { kind, id } of await sharedOf(root, login.uid)) found.push(`${kind} ${id}`);
  const owners = new Set((await accounts.list()).map(({ uid }) => uid));
  for (const name of await namesIn('/', homes)) {
    const entry = await lstat(join(homes, name)).catch(() => undefined);
    const isAbandoned = entry !== undefined && entry.uid >= firstTenantUid && !owners.has(entry.uid);
    if (isAbandoned || name === login.username) found.push(join(homes, name));
  }
  return found.length === 0
    ? { passed: true, detail: 'No home, scratch file or crontab of an earlier login is left. Disks were not wiped.' }
    : { passed: false, detail: `Left by an earlier login: ${found.slice(0, mostNamed).join(', ')}.`.slice(0, 500) };
}
