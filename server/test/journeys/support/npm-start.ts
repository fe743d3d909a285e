import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const main = join(import.meta.dirname, '../../../src/bin/all/main.ts');
const flags = ['--disable-warning=DeprecationWarning'];

/** `npm start` as a person sees it: what it prints, and how it ends. */
export interface Started {
  readonly pid: number;
  /** Everything printed so far. */
  output(): string;
  /** What stands behind a name in the list of facts: `URL`, `Data`, `Try`. */
  fact(name: string): string;
  /** Resolves with the exit code, or the name of the signal. */
  readonly ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): Promise<number | string>;
}
export interface As {
  readonly uid?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const running = new Set<ChildProcess>();

function launch(args: readonly string[], as: As): Started {
  const child = spawn(process.execPath, [...flags, main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...as.env },
    ...(as.uid !== undefined && { uid: as.uid, gid: as.uid }),
  });
  running.add(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      child.emit('printed');
    });
  }
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(signal ?? code ?? -1);
    }),
  );
  return {
    pid: child.pid ?? -1,
    output: () => printed,
    fact: (name) => new RegExp(`^  ${name} +(.*)$`, 'm').exec(printed)?.[1] ?? `no ${name} in: ${printed}`,
    ended,
    async kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts and waits for the line that says it is ready. */
export async function start(args: readonly string[], as: As = {}): Promise<Started> {
  const started = launch(args, as);
  const child = [...running].find(({ pid }) => pid === started.pid);
  const ready = new Promise<void>((resolve) => {
    const look = () => started.output().includes('  Stop     Ctrl-C\n') && resolve();
    child?.on('printed', look);
    look();
  });
  await Promise.race([
    ready,
    started.ended.then((how) => {
      throw new Error(`npm start ended (${how}) before it was ready:\n${started.output()}`);
    }),
  ]);
  return started;
}

/** Runs to its end: for starts that cannot succeed. */
export async function run(args: readonly string[], as: As = {}): Promise<{ code: number | string; output: string }> {
  const started = launch(args, as);
  return { code: await started.ended, output: started.output() };
}

export async function endAll(): Promise<void> {
  await Promise.all(
    [...running].map((child) => new Promise((resolve) => child.once('close', resolve) && child.kill('SIGKILL'))),
  );
}

/** Does what the person would do with a printed line. */
export async function inShell(line: string): Promise<string> {
  return (await promisify(execFile)('/bin/sh', ['-c', line])).stdout;
}

/** Processes whose command line names this folder, or that work in it: nobody may be left behind there. */
export function processesOn(folder: string): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return command.includes(folder) && Number(name) !== process.pid ? [{ pid: Number(name), command }] : [];
    } catch {
      return [];
    }
  });
}

/** The children of a process, by their command lines. */
export function childrenOf(parent: number): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return ppid === parent ? [{ pid: Number(name), command }] : [];
    } catch {
      return [];
    }
  });
}
