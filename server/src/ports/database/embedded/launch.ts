import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Charge, Report } from './guardian.ts';
import { commandOf, processBegan } from './owner.ts';

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
  readonly socketDir: string;
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
      '--no-warnings',
      fileURLToPath(new URL('./guardian.ts', import.meta.url)),
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
 * Stops a server that outlived its owner and its guardian, and removes what a dead one left behind. Its pid may belong
 * to somebody else by now (after a reboot, or in a new container, it often does); PostgreSQL would then refuse to
 * start for ever, so the file is removed when the process is not a server of this cluster.
 */
async function clearPredecessor(spec: LaunchSpec): Promise<boolean> {
  const pidFile = join(spec.clusterDir, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  const found = Number.isInteger(pid) && pid > 1 ? await commandOf(pid) : undefined;
  const orphan = found?.includes(spec.clusterDir) ? pid : undefined;
  if (orphan !== undefined) await stopOrphan(orphan);
  if (found !== undefined && orphan === undefined) await rm(pidFile, { force: true });
  const port = /^\d+$/;
  const socket = spec.options
    .map((option) => /^port=(\d+)$/.exec(option)?.[1])
    .find((value) => value && port.test(value));
  for (const name of [`.s.PGSQL.${socket}`, `.s.PGSQL.${socket}.lock`]) {
    await rm(join(spec.socketDir, name), { force: true });
  }
  return orphan !== undefined;
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
