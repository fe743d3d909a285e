import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, DatabaseError } from 'pg';
import { freePort, startServer, type TestServer } from './start.ts';

const run = promisify(execFile);

/** PostgreSQL does not run as root; the distribution's package brings an account for it. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The oldest version that is promised to work (docs/guides/run-on-your-own-servers.md). */
export const oldestPromised = 15;

/** Promised versions first, the oldest of them before the newer ones; then what is too old, the newest first. */
export function sortVersions(installed: readonly string[]): string[] {
  const isPromised = (version: string) => Number(version) >= oldestPromised;
  const promised = installed.filter(isPromised).sort((a, b) => Number(a) - Number(b));
  const others = installed.filter((version) => !isPromised(version)).sort((a, b) => Number(b) - Number(a));
  return [...promised, ...others];
}

/** The programs of the distribution's own server, of the oldest version that is promised to work. */
async function findPrograms(): Promise<string> {
  const home = '/usr/lib/postgresql';
  for (const version of sortVersions(await readdir(home).catch(() => []))) {
    const programs = join(home, version, 'bin');
    const complete = await access(join(programs, 'initdb')).then(
      () => true,
      () => false,
    );
    if (complete) return programs;
  }
  throw new Error('There is no PostgreSQL server here: install the Debian package postgresql');
}

async function findAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** The port opens before the server is ready; until then it answers that it is starting, and nothing else tells. */
async function acceptsQueries(url: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch (error) {
      const isStarting = error instanceof DatabaseError && error.code === '57P03';
      if (!isStarting || Date.now() > deadline) throw error;
      await pause(25);
    } finally {
      await client.end();
    }
  }
}

/**
 * The PostgreSQL of the distribution, as an operator would bring it, in a cluster of its own: never the cluster that
 * the package made. Its address is the superuser's.
 */
export async function startPostgres(): Promise<TestServer> {
  const [programs, account, port] = await Promise.all([findPrograms(), findAccount(), freePort()]);
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-pg-'));
  await chmod(folder, 0o700);
  const cluster = join(folder, 'cluster');
  const passwordFile = join(folder, 'password');
  const password = randomBytes(16).toString('hex');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid);
  await run(
    join(programs, 'initdb'),
    ['-D', cluster, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8', '-N'],
    { ...account, cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } },
  );
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'];
  const server = await startServer({
    // setpriv becomes the server instead of staying above it, so that a kill meets the server itself.
    command: 'setpriv',
    args: [
      ...(account ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : []),
      join(programs, 'postgres'),
      '-D',
      cluster,
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
    port,
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
  });
  await acceptsQueries(server.url);
  return {
    ...server,
    async start() {
      await server.start();
      await acceptsQueries(server.url);
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
