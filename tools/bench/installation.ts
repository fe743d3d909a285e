import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openEmbeddedPostgres } from '../../server/src/ports/database/embedded.ts';
import { openDatabaseServer } from '../../server/src/ports/database/open.ts';
import { type Login, logins, type Passwords } from '../../server/src/ports/database/roles.ts';
import { root } from '../lib/tree.ts';

/** A database of our own with synced commits, and our processes on it: what a benchmark measures. */
export interface Installation {
  readonly folder: string;
  readonly postgresPid: number;
  readonly admin: Client;
  adminUrl(): string;
  urlFor(login: Login): string;
  /** Stopped before the database, also when the benchmark fails. */
  keep<T extends { stop(): Promise<void> }>(member: T): T;
  close(): Promise<void>;
}

export async function openInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-bench-'));
  // The account that runs the database has to pass through.
  await chmod(folder, 0o711);
  const server = await openEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
  const passwords = Object.fromEntries(logins.map((login) => [login, randomBytes(16).toString('hex')])) as Passwords;
  const database = await openDatabaseServer({
    kind: 'url',
    adminUrl: server.url('postgres', server.superuserPassword, 'postgres'),
    passwords,
  });
  const adminUrl = server.url('postgres', server.superuserPassword, 'gpuaas');
  const admin = new Client({ connectionString: adminUrl, application_name: 'bench' });
  await admin.connect();
  const kept: { stop(): Promise<void> }[] = [];
  return {
    folder,
    postgresPid: server.serverPid(),
    admin,
    adminUrl: () => adminUrl,
    urlFor: database.urlFor,
    keep(member) {
      kept.push(member);
      return member;
    },
    async close() {
      for (const member of kept.splice(0).reverse()) await member.stop();
      await admin.end();
      await database.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Member {
  readonly pid: number;
  stop(): Promise<void>;
}

/** One of our processes, alone, as in production. Resolves when it serves. */
export async function startMember(
  name: string,
  env: Readonly<Record<string, string>>,
  options: { readonly profileInto?: string } = {},
): Promise<Member> {
  const flags = options.profileInto
    ? [
        '--cpu-prof',
        `--cpu-prof-dir=${options.profileInto}`,
        `--cpu-prof-name=${name}-${env['GPUAAS_PORT'] ?? ''}.cpuprofile`,
      ]
    : [];
  return startProgram(join(root, 'server/src/bin', name, 'main.ts'), [], {
    env: { GPUAAS_LOG_LEVEL: 'warn', ...env },
    flags,
  });
}

/** A Node program that says over IPC when it is ready. */
export async function startProgram(
  path: string,
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly flags?: readonly string[] } = {},
): Promise<Member & { readonly child: ChildProcess }> {
  const child = fork(path, [...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...options.env },
    execArgv: [
      '--disable-warning=DeprecationWarning',
      '--disable-warning=ExperimentalWarning',
      ...(options.flags ?? []),
    ],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // Whatever ends us, also a Ctrl-C in the middle of a run, ends what we started.
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  child.once('exit', () => process.off('exit', killed));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
  }
  const gone = new Promise<never>((_, reject) =>
    child.once('exit', (code, signal) => reject(new Error(`${path} ended (${signal ?? code}):\n${said}`))),
  );
  gone.catch(() => undefined);
  await Promise.race([new Promise((resolve) => child.once('message', resolve)), gone]);
  return {
    child,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(patience);
    },
  };
}
