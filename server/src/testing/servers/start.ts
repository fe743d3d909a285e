import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A real server that a suite started for itself, on loopback. */
export interface TestServer {
  readonly url: string;
  /** Stops it without a goodbye, as a crash would; `start` brings it back on the same port and data. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Starts a program and waits until its port accepts connections. */
export async function startServer(spec: {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly readyWithinMs?: number;
  /** Where it listens; 127.0.0.1 when left out. */
  readonly host?: string;
}): Promise<TestServer> {
  let child: ChildProcess | undefined;
  let said = '';
  const stop = async (signal: NodeJS.Signals) => {
    const dying = child;
    child = undefined;
    if (!dying || dying.exitCode !== null) return;
    const gone = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill(signal);
    const patience = setTimeout(() => dying.kill('SIGKILL'), 5_000);
    await gone;
    clearTimeout(patience);
  };
  const start = async () => {
    child = spawn(spec.command, spec.args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: homedir(), ...spec.env },
    });
    const note = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    };
    child.stdout?.on('data', note);
    child.stderr?.on('data', note);
    const failed = new Promise<never>((_, reject) => {
      child?.once('error', reject);
      child?.once('exit', (code) => reject(new Error(`${spec.command} ended with ${code}: ${said}`)));
    });
    failed.catch(() => undefined);
    await Promise.race([answering(spec.host ?? '127.0.0.1', spec.port, spec.readyWithinMs ?? 30_000), failed]);
  };
  // One that is not ready in time must not go on without anybody who stops it.
  await start().catch(async (error: unknown) => {
    await stop('SIGKILL');
    throw error;
  });
  return { url: spec.url, kill: () => stop('SIGKILL'), start, close: () => stop('SIGTERM') };
}

async function answering(host: string, port: number, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, host, () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (open) return;
    if (Date.now() > deadline) throw new Error(`nothing answered on port ${port} within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Where built servers are kept between runs. */
export const toolCache = process.env['GPUAAS_TOOL_CACHE'] ?? join(homedir(), '.cache', 'gpuaas-tools');

/** A server that is built from its public module once and kept; the version is part of the path. */
export async function goProgram(
  name: string,
  module: string,
  version: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = join(toolCache, `${name}-${version}`);
  const program = join(folder, name);
  try {
    await access(program);
    return program;
  } catch {
    await mkdir(folder, { recursive: true });
    await run('go', ['install', '-trimpath', `${module}@${version}`], {
      env: { ...process.env, ...env, GOBIN: folder },
      timeout: 20 * 60_000,
    });
    return program;
  }
}
