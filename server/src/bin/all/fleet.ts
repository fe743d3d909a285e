import { type ChildProcess, fork } from 'node:child_process';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import type { Environment } from '../../kernel/process/config.ts';
import { type AnyProcess, startProcess } from '../../kernel/process/process.ts';
import { makeLog } from '../../kernel/telemetry/log.ts';
import { openLogDestination } from '../../kernel/telemetry/log-destination.ts';
import { openPorts, portsConfig } from '../../ports/open.ts';
import { withSecrets } from '../../ports/secrets/open.ts';
import { release } from '../release.ts';

/** A started process, in this Node process or in one of its own. */
export interface Member {
  readonly name: string;
  readonly healthUrl: string;
  /** Resolves when it ended without being asked to. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}

const maxLogBytes = 20 * 1_024 * 1_024;
const stopWithinMs = 25_000;

/** The log of the last runs, bounded: one file and its predecessor. */
export async function openLogFile(dataDir: string): Promise<string> {
  const path = join(dataDir, 'gpuaas.log');
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > maxLogBytes) await rename(path, `${path}.1`);
  return path;
}

/** The log of something that runs in this process; `flush` before the process ends. */
export function openLog(name: string, env: Environment, logPath: string | undefined) {
  const level = env['GPUAAS_LOG_LEVEL'] === 'debug' ? 'debug' : 'info';
  const destination = openLogDestination(logPath);
  return { log: makeLog(name, level, destination), flush: destination.flush };
}

export async function startHere(spec: AnyProcess, given: Environment, logPath: string | undefined): Promise<Member> {
  const env = await withSecrets(spec.name, given);
  const { log, flush } = openLog(spec.name, env, logPath);
  const running = await startProcess(spec, {
    env,
    clock: systemClock,
    ids: systemIds,
    log,
    version: release,
    portsConfig,
    openPorts: openPorts(env),
  });
  return {
    name: spec.name,
    healthUrl: running.healthUrl,
    died: new Promise(() => undefined),
    stop: async () => {
      await running.stop();
      // The last lines say how it ended, and nobody waits for them any more.
      flush();
    },
  };
}

export async function startApart(spec: AnyProcess, env: Environment, logPath: string | undefined): Promise<Member> {
  const child: ChildProcess = fork(join(import.meta.dirname, '..', spec.name, 'main.ts'), [], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let lastWords = '';
  const sink = openLogDestination(logPath);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      lastWords = (lastWords + chunk.toString()).slice(-2_000);
      sink.write(chunk.toString());
    });
  }
  const gone = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => resolve(`${spec.name} ended (${signal ?? `exit code ${code}`})`)),
  );
  const healthUrl = await Promise.race([
    new Promise<string>((resolve) =>
      child.on('message', (message: { healthUrl?: string }) => message.healthUrl && resolve(message.healthUrl)),
    ),
    gone.then((how) => {
      throw new Error(`${how} while it started:\n${lastWords}`);
    }),
  ]);
  let asked = false;
  return {
    name: spec.name,
    healthUrl,
    died: gone.then((how) => (asked ? new Promise<string>(() => undefined) : how)),
    stop: async () => {
      asked = true;
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await gone;
      clearTimeout(patience);
      sink.flush();
    },
  };
}
