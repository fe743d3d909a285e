import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { codeOf, commandOf, processBegan } from './owner.ts';

/** The orders for the guardian, in `guardian.mjs`. */
export interface Charge {
  readonly postgres: string;
  readonly options: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly account?: { readonly uid: number; readonly gid: number };
  readonly logFile: string;
  /** How long the server may take to stop before it is stopped immediately. */
  readonly stopWithinMs: number;
}

/** What it tells us. */
export type Report =
  | { readonly kind: 'ready'; readonly pid: number }
  | { readonly kind: 'ended'; readonly said: string };

/** A running server and the guardian that holds it. */
export interface Running {
  readonly pid: number;
  /** True when a server of an earlier owner was still there and had to be stopped first. */
  readonly replacedOrphan: boolean;
  /** Resolves with the server's last words when it has ended, for whatever reason. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface LaunchSpec extends Charge {
  readonly clusterDir: string;
  /** The socket's path, by which a dead server's leftovers are found. */
  readonly socket: string;
}

const readyWithinMs = 120_000;
const orphanStopsWithinMs = 10_000;
const remainsGoneWithinMs = 15_000;

/**
 * What a server says while something of its killed predecessor is still there: a process that nobody has collected
 * yet, or a backend that has not noticed. Both pass by themselves within a second or two.
 */
const remains = /lock file ".*" already exists|pre-existing shared memory block|is another postmaster/i;

/** Starts the server. Only the owner of the data directory may call this. */
export async function launch(spec: LaunchSpec): Promise<Running> {
  const replacedOrphan = await clearPredecessor(spec);
  const deadline = Date.now() + remainsGoneWithinMs;
  for (;;) {
    const outcome = await attempt(spec);
    if (typeof outcome !== 'string') return { ...outcome, replacedOrphan };
    if (!remains.test(outcome) || Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start (its log is ${spec.logFile}): ${outcome}`);
    }
    await pause(200);
    await clearPredecessor(spec);
  }
}

/** One start: a running server, or what it said when it gave up. */
async function attempt(spec: LaunchSpec): Promise<Omit<Running, 'replacedOrphan'> | string> {
  const charge: Charge = {
    postgres: spec.postgres,
    options: spec.options,
    cwd: spec.cwd,
    env: spec.env,
    ...(spec.account ? { account: spec.account } : {}),
    logFile: spec.logFile,
    stopWithinMs: spec.stopWithinMs,
  };
  const guardian = spawn(
    process.execPath,
    [
      '--max-old-space-size=32',
      '--max-semi-space-size=1',
      fileURLToPath(new URL('./guardian.mjs', import.meta.url)),
      JSON.stringify(charge),
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached: true, cwd: '/', env: {} },
  );
  let lastWords = 'its guardian ended without a word';
  const ready = new Promise<number>((resolve) => {
    guardian.on('message', (report: Report) => {
      if (report.kind === 'ready') resolve(report.pid);
      else lastWords = report.said;
    });
  });
  const ended = new Promise<string>((resolve) => {
    guardian.once('error', (error) => resolve(error.message));
    guardian.once('exit', () => resolve(lastWords));
  });
  const patience = new AbortController();
  const late = pause(readyWithinMs, 'late' as const, { signal: patience.signal }).catch(() => 'late' as const);
  const first = await Promise.race([ready, ended, late]);
  patience.abort();
  if (first === 'late') {
    await stop(guardian, ended);
    return `it was not ready within ${readyWithinMs} ms`;
  }
  if (typeof first === 'string') return first;
  // A program that has nothing else to do may end: the guardian sees it go and stops the server.
  guardian.unref();
  guardian.channel?.unref();
  return { pid: first, ended, stop: () => stop(guardian, ended) };
}

async function stop(guardian: ChildProcess, ended: Promise<string>): Promise<void> {
  guardian.ref();
  if (guardian.connected) guardian.send('stop', () => undefined);
  await ended;
}

/**
 * Stops a server that outlived its owner and its guardian, and removes what a dead one left behind.
 *
 * The pid in its file may belong to another process by now (after a reboot, or in a new container, it often does), or to
 * remains that nobody collects. PostgreSQL would then refuse to start for ever, so the file goes when its process is
 * not a server of this cluster. When no such process exists, PostgreSQL tidies up better than we could. Backends that
 * outlive a killed server stay safe either way: a new server finds their shared memory by the cluster's own folder.
 */
async function clearPredecessor(spec: LaunchSpec): Promise<boolean> {
  const pidFile = join(spec.clusterDir, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  const isPid = Number.isInteger(pid) && pid > 1;
  const orphaned = isPid && ((await commandOf(pid))?.includes(spec.clusterDir) ?? false);
  if (orphaned) await stopOrphan(pid);
  else if (isPid && isTaken(pid)) await rm(pidFile, { force: true });
  await rm(spec.socket, { force: true });
  await rm(`${spec.socket}.lock`, { force: true });
  return orphaned;
}

function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function stopOrphan(pid: number): Promise<void> {
  const began = await processBegan(pid);
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    // It is no child of ours, so nothing tells us when it is gone.
    const deadline = Date.now() + orphanStopsWithinMs;
    while (Date.now() < deadline) {
      if ((await processBegan(pid)) !== began) return;
      await pause(50);
    }
  }
}
