import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, lchown, lstat, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, EmbeddedPostgresUnavailable } from './account.ts';
import { type Binaries, exists } from './binaries.ts';
import { makePrivateFolder } from './folders.ts';
import { codeOf } from './owner.ts';

const run = promisify(execFile);

/** The whole environment of PostgreSQL's programs: nothing of ours leaks in, and no locale changes their words. */
export const bareEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Makes the cluster unless it is there. It is built beside its final place and renamed, so a cluster under its own
 * name is always a whole one, however the making of an earlier one ended.
 */
export async function makeCluster(spec: {
  readonly binaries: Binaries;
  readonly account: Account;
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly password: string;
  /** A cluster that nobody will miss need not reach the disk. */
  readonly ephemeral: boolean;
}): Promise<void> {
  const { account, dataDir, clusterDir } = spec;
  if (await exists(join(clusterDir, 'PG_VERSION'))) return adoptFiles(clusterDir, account);
  await removeDrafts(dataDir);
  // Never the same name twice: the making of an earlier draft may have outlived the process that asked for it.
  const draft = join(dataDir, `${draftPrefix}${randomBytes(6).toString('hex')}`);
  const secrets = `${draft}-secret`;
  await makePrivateFolder(draft, account);
  try {
    await makePrivateFolder(secrets, account);
    const passwordFile = join(secrets, 'password');
    await writeFile(passwordFile, `${spec.password}\n`, { mode: 0o600, flag: 'wx' });
    if (account.dropped) await chown(passwordFile, account.uid, account.gid);
    await initialise(spec.binaries, account, draft, passwordFile, spec.ephemeral);
  } finally {
    await rm(secrets, { recursive: true, force: true });
  }
  await rename(draft, clusterDir);
  if (!spec.ephemeral) await syncFolder(dataDir);
}

const draftPrefix = 'cluster.new-';

async function removeDrafts(dataDir: string): Promise<void> {
  const drafts = (await readdir(dataDir)).filter((name) => name.startsWith(draftPrefix));
  for (const name of drafts) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 });
}

/** A cluster that root put back from a backup belongs to root, and the account could not open it. */
async function adoptFiles(path: string, account: Account): Promise<void> {
  const found = await lstat(path);
  if (!account.dropped || found.uid === account.uid) return;
  await lchown(path, account.uid, account.gid);
  if (found.isDirectory()) for (const name of await readdir(path)) await adoptFiles(join(path, name), account);
}

/** A rename is certain to survive a power cut only when the folder it happened in was synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function initialise(
  binaries: Binaries,
  account: Account,
  folder: string,
  passwordFile: string,
  ephemeral: boolean,
): Promise<void> {
  const options = [
    `--pgdata=${folder}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The server's own collation: rows sort the same way on every machine and after every upgrade of it.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(ephemeral ? ['--no-sync'] : []),
  ];
  try {
    await run(binaries.initdb, options, {
      ...(account.dropped ? { uid: account.uid, gid: account.gid } : {}),
      cwd: folder,
      env: bareEnvironment,
      timeout: 120_000,
    });
  } catch (cause) {
    // The program is there (we have just looked), so what is missing is the loader that it names.
    if (codeOf(cause) === 'ENOENT') {
      throw new EmbeddedPostgresUnavailable(
        'The PostgreSQL programs do not run on this system: they need the GNU C library. ' +
          'Use a PostgreSQL server by URL.',
        { cause },
      );
    }
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    throw new Error(`PostgreSQL could not create its files in ${folder}: ${said}`, { cause });
  }
}
