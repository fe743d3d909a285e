import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../clock.ts';
import { sleepWell } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Releases } from './releases.ts';

/**
 * Runs the agent as a child and starts it again when it ends. A release that is on trial has a while to report that it
 * is healthy; if it does not, or ends before, the link goes back to the release before it.
 *
 * The supervisor belongs to the release it was started from and is not replaced by an update: it is small, it rarely
 * changes, and the next start of the service brings the new one.
 */
export interface Supervisor {
  /** Resolves when the child has ended after `close`. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** What the child says when its first heartbeat was answered. */
export const healthyMessage = 'healthy';
const restart = { firstMs: 1_000, maxMs: 30_000 };
const mercyMs = 15_000;

export function startSupervisor(parts: {
  readonly releases: Releases;
  /** The program that runs a release, and what comes behind the file. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly healthyWithinMs: number;
  readonly clock: Clock;
  readonly log: Log;
}): Supervisor {
  const { releases, clock, log } = parts;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  const rollBack = async (reason: string): Promise<void> => {
    const trial = await releases.readTrial();
    if (trial?.state !== 'trying') return;
    log.error({ from: trial.from, to: trial.to, reason }, 'the new release did not work; the old one comes back');
    // The record first: if this process dies between the two, the next one finds a trial that is over and a link to it.
    await releases.writeTrial({ ...trial, state: 'rolled_back', reason });
    await releases.use(trial.from);
  };
  /** A trial that an earlier supervisor could not bring to an end. */
  const settleTrial = async (): Promise<boolean> => {
    const trial = await releases.readTrial();
    if (trial?.state === 'rolled_back' && (await releases.current()) === trial.to) await releases.use(trial.from);
    if (trial?.state === 'trying') await rollBack('the supervisor was restarted during the trial');
    if (trial?.state !== 'staged') return false;
    await releases.writeTrial({ ...trial, state: 'trying' });
    return true;
  };
  const runOnce = async (): Promise<{ readonly wasTrial: boolean; readonly code: number | null }> => {
    const isTrial = await settleTrial();
    const digest = await releases.current();
    if (digest === undefined) throw new Error('there is no release of the agent to run');
    const over = new AbortController();
    const running = spawn(parts.program, [releases.fileOf(digest), ...parts.args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: parts.env,
    });
    child = running;
    let reason = 'it ended before it was healthy';
    const exited = new Promise<number | null>((resolve) => {
      running.once('exit', resolve);
      running.once('error', (error) => {
        log.error({ err: error }, 'the agent could not be started');
        resolve(null);
      });
    });
    if (isTrial) {
      running.on('message', (message) => message === healthyMessage && over.abort());
      sleepWell(clock, parts.healthyWithinMs, over.signal)
        .then(async (isLate) => {
          if (!isLate) return;
          reason = 'it was not healthy in time';
          await end(running);
        })
        .catch((error: unknown) => log.error({ err: error }, 'a trial could not be watched'));
    }
    const code = await exited;
    const wasHealthy = over.signal.aborted;
    over.abort();
    child = undefined;
    if (isTrial && !wasHealthy && !stopping.signal.aborted) await rollBack(reason);
    return { wasTrial: isTrial, code };
  };
  const run = async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const { wasTrial, code } = await runOnce();
      if (stopping.signal.aborted) return;
      // A release that asked for its replacement, or was replaced, does not have to wait.
      failures = code === 0 || wasTrial ? 0 : failures + 1;
      log.warn({ code, failures }, 'the agent ended and is started again');
      if (failures > 0)
        await sleepWell(clock, Math.min(restart.maxMs, restart.firstMs * 2 ** (failures - 1)), stopping.signal);
    }
  };
  const ended = run();
  return {
    ended,
    async close() {
      stopping.abort();
      if (child) await end(child);
      await ended;
    },
  };
}

/** Asks, and insists. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), mercyMs);
  await gone;
  clearTimeout(timer);
}
