import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Another living process owns the data directory. */
export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';
  readonly dataDir: string;
  readonly pid: number;

  constructor(dataDir: string, pid: number) {
    super(`The data directory ${dataDir} is in use by process ${pid}.`);
    this.dataDir = dataDir;
    this.pid = pid;
  }
}

interface Owner {
  readonly pid: number;
  /** When the process with this pid began: the pid alone may have been reused. */
  readonly began: string;
}

const lockName = 'owner.lock';
const attempts = 5;

/**
 * Takes the data directory for this process until the returned function is called.
 *
 * Node has no file locks, so the lock is a file that names its owner. It appears complete, by linking, and a dead
 * owner's file is moved aside under a name of our own before it is replaced: of several processes that find the same
 * dead owner, one gets the file and the others look again.
 */
export async function takeOwnership(dataDir: string): Promise<() => Promise<void>> {
  const lock = join(dataDir, lockName);
  const mine: Owner = { pid: process.pid, began: (await processBegan(process.pid)) ?? 'unknown' };
  const draft = `${lock}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, JSON.stringify(mine), { mode: 0o600, flag: 'wx' });
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (await linked(draft, lock)) return () => giveUp(lock, mine);
      const owner = await readOwner(lock);
      if (owner && (await isAlive(owner))) throw new DataDirectoryInUse(dataDir, owner.pid);
      await discard(lock, dataDir);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new Error(`The lock of ${dataDir} changed hands ${attempts} times while we tried to take it.`);
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function discard(lock: string, dataDir: string): Promise<void> {
  const aside = `${lock}.stale-${randomBytes(6).toString('hex')}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    // Another process may have replaced the dead owner meanwhile: then its lock is restored.
    const owner = await readOwner(aside);
    if (owner && (await isAlive(owner))) {
      await linked(aside, lock);
      throw new DataDirectoryInUse(dataDir, owner.pid);
    }
  } finally {
    await rm(aside, { force: true });
  }
}

async function giveUp(lock: string, mine: Owner): Promise<void> {
  const owner = await readOwner(lock);
  if (owner?.pid === mine.pid && owner.began === mine.began) await rm(lock, { force: true });
}

async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof found !== 'object' || found === null || !('pid' in found) || !('began' in found)) return undefined;
    const { pid, began } = found;
    return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive(owner: Owner): Promise<boolean> {
  const began = await processBegan(owner.pid);
  return began !== undefined && (began === owner.began || owner.began === 'unknown');
}

/** An opaque word for when the process began; nothing when there is no such process, or only its remains. */
export async function processBegan(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const fields = await readStat(pid);
    if (!fields || fields.state === 'Z' || fields.state === 'X') return undefined;
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return `${boot.trim()}:${fields.startTicks}`;
  }
  return ps(pid, 'lstart');
}

/** The command line of a living process, arguments separated by spaces. */
export async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return ps(pid, 'command');
  if ((await processBegan(pid)) === undefined) return undefined;
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return line?.replaceAll('\0', ' ');
}

async function readStat(pid: number): Promise<{ state: string; startTicks: string } | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field is the program's name in brackets and may itself hold blanks and brackets.
  const fields = line?.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields?.[0], fields?.[19]];
  return state !== undefined && startTicks !== undefined ? { state, startTicks } : undefined;
}

async function ps(pid: number, column: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', `${column}=`, '-p', String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
