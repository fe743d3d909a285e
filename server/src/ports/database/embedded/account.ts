import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The account that the database server runs under. PostgreSQL refuses to run as root, and rightly so. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** True when we are root and every file of the server must be given to this account. */
  readonly dropped: boolean;
}

/** The current account. A container may run us under a number without a user entry. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly hasName: boolean;
}

/** The server cannot run on this machine or under this user; the message says what would help. */
export class EmbeddedPostgresUnavailable extends Error {
  override readonly name = 'EmbeddedPostgresUnavailable';
}

/**
 * Chooses the account. An ordinary user runs the server as itself. Root keeps the account that already owns the
 * cluster, so that a user added to the machine later does not take the data away from itself; a new cluster goes to
 * `gpuaas-postgres` where the operator made such a user, otherwise to `nobody`.
 */
export async function chooseAccount(clusterDir: string, { uid, gid, hasName }: User = currentUser()): Promise<Account> {
  if (uid !== 0 && hasName) return { uid, gid, dropped: false };
  if (uid !== 0) {
    throw new EmbeddedPostgresUnavailable(
      `PostgreSQL needs a user name, and uid ${uid} has no entry in the user database of this machine. ` +
        'Add the uid to /etc/passwd (or start as a user that is there), or use a PostgreSQL server by URL.',
    );
  }
  const cluster = await stat(clusterDir).catch(() => undefined);
  if (cluster && cluster.uid !== 0) return { uid: cluster.uid, gid: cluster.gid, dropped: true };
  const account = (await lookUp('gpuaas-postgres')) ?? (await lookUp('nobody'));
  if (account) return account;
  throw new EmbeddedPostgresUnavailable(
    'PostgreSQL does not run as root, and this machine has no user "gpuaas-postgres" or "nobody" to run it as. ' +
      'Create one of them, start as an ordinary user, or use a PostgreSQL server by URL.',
  );
}

function currentUser(): User {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  try {
    return { uid, gid, hasName: userInfo().username !== '' };
  } catch {
    return { uid, gid, hasName: false };
  }
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    // Some systems print the uid of nobody unsigned (4294967294) where the call wants it signed (-2).
    return { uid: Number(uid.stdout.trim()) | 0, gid: Number(gid.stdout.trim()) | 0, dropped: true };
  } catch {
    return undefined;
  }
}

/** The nearest folder on the way to `path`, `path` included, that the account may not pass; none when it may reach it. */
export async function firstClosedFolder(path: string, account: Account): Promise<string | undefined> {
  if (!account.dropped) return undefined;
  const parent = dirname(path);
  const closedAbove = parent === path ? undefined : await firstClosedFolder(parent, account);
  if (closedAbove !== undefined) return closedAbove;
  const found = await stat(path);
  const needed = found.isDirectory() ? 0o1 : 0o4;
  const shift = found.uid === account.uid ? 6 : found.gid === account.gid ? 3 : 0;
  return ((found.mode >> shift) & needed) === needed ? undefined : path;
}
