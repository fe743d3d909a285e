import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';

export const configFolder = (env: Environment): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'gpuaas');

/** Reads a cache file; a lost cache is no error. */
export const stateFolder = (env: Environment): string =>
  join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'gpuaas');

export async function readJson<T>(path: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(exitCodes.failed, `${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Failure(exitCodes.failed, `${path} is damaged.`, { next: 'Remove it and sign in again.' });
  }
}

/** Replaces a file atomically, readable by its owner only. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(value, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await chmod(path, 0o600);
}

const waitMs = 20;
const patienceMs = 60_000;

/**
 * One program at a time. A refresh token works once: if two terminals used the same one, the issuer would take it for
 * theft and end both sign-ins. The lock names its holder, so that the lock of a killed program is removed.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const deadline = performance.now() + patienceMs;
  while (!(await take(path))) {
    await clearAway(path);
    if (performance.now() > deadline) {
      throw new Failure(exitCodes.failed, `${path} is held by another program.`, {
        next: 'Remove the file if no other program runs.',
      });
    }
    await sleep(waitMs);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  // Written elsewhere and renamed into place, so that a lock always names its holder.
  const mine = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(mine, String(process.pid), { mode: 0o600 });
  try {
    await link(mine, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
}

async function clearAway(path: string): Promise<void> {
  const holder = await readFile(path, 'utf8').catch(() => '');
  if (holder === '' || isAlive(Number(holder))) return;
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
    // Another program may have removed and taken the lock meanwhile: then it is restored.
    if ((await readFile(aside, 'utf8')) !== holder) await link(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
