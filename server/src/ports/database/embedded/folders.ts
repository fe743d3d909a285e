import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, EmbeddedPostgresUnavailable, firstClosedFolder } from './account.ts';
import { codeOf } from './owner.ts';

/** The kernel keeps about a hundred bytes for the path of a socket, and the socket's own name takes some of them. */
const longestSocketPath = 99;

/**
 * Makes the data directory: ours, closed to others. The account of a dropped server may walk through it to the
 * cluster (and see nothing else), so every folder above must let it pass.
 */
export async function makeDataDirectory(path: string, account: Account): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(path);
  const owner = (await stat(dataDir)).uid;
  const me = process.getuid?.() ?? owner;
  if (me !== 0 && owner !== me) {
    throw new EmbeddedPostgresUnavailable(
      `The data directory ${dataDir} belongs to uid ${owner}, and we run as uid ${me}. ` +
        'Start as its owner, or choose another data directory.',
    );
  }
  if (account.dropped) await chown(dataDir, 0, account.gid);
  await chmod(dataDir, account.dropped ? 0o710 : 0o700);
  const closed = await firstClosedFolder(dataDir, account);
  if (closed !== undefined) {
    throw new EmbeddedPostgresUnavailable(
      `PostgreSQL does not run as root, and the user it runs as (uid ${account.uid}) cannot reach ${dataDir}: ` +
        `${closed} is closed to it. Choose a data directory elsewhere, such as /var/lib/gpuaas.`,
    );
  }
  return dataDir;
}

/** A folder that only the account may enter (and root, whom nothing keeps out). */
export async function makePrivateFolder(path: string, account: Account): Promise<string> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  // In a shared place such as /tmp another user may have created the folder or a link before.
  const found = await lstat(path);
  const trusted = [account.uid, process.getuid?.() ?? account.uid];
  if (!found.isDirectory() || !trusted.includes(found.uid)) {
    throw new EmbeddedPostgresUnavailable(`${path} is not a folder of ours; remove it and start again.`);
  }
  if (account.dropped) await chown(path, account.uid, account.gid);
  await chmod(path, 0o700);
  return path;
}

/** Where the server's socket lives: with the data when the path is short enough, otherwise in a short place. */
export async function makeSocketFolder(dataDir: string, port: number, account: Account): Promise<string> {
  const near = join(dataDir, 'run');
  if (socketFits(near, port)) return makePrivateFolder(near, account);
  const name = `gpuaas-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const short = [join(await realpath(tmpdir()), name), join('/tmp', name)].find((path) => socketFits(path, port));
  return makePrivateFolder(short ?? join('/tmp', name), account);
}

/** The setting that names the folder is itself a list, so a path with a comma or a quote would need care: avoid it. */
function socketFits(folder: string, port: number): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= longestSocketPath && /^[\w/.-]+$/.test(folder);
}

/** The superuser's password: made once, kept with the data, readable by us alone. */
export async function superuserPassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'superuser.password');
  try {
    await writeFile(path, `${randomBytes(24).toString('base64url')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  await chmod(path, 0o600);
  return (await readFile(path, 'utf8')).trim();
}
