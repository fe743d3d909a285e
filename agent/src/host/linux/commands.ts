import { type ChildProcess, spawn } from 'node:child_process';

/** A program and its arguments, each a word of its own. There is no shell on the way, so no word means more than itself. */
export type Argv = readonly [program: string, ...words: string[]];

export interface CommandResult {
  /** What it exited with; 127 when there is no such program, as shells say it, and 124 when it took too long. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly limitMs?: number;
  /** Kills the program. Only for one that leaves nothing half done. */
  readonly signal?: AbortSignal;
}
/** The programs of the host. The only way in which this adapter starts anything but a terminal. */
export interface Commands {
  run(argv: Argv, options?: CommandOptions): Promise<CommandResult>;
}

export const statusMissing = 127;
export const statusLate = 124;
const statusRefused = 126;
const statusKilled = 128;
/** Where programs of the system are, whatever the agent itself was started with. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const usualLimitMs = 30_000;
/** What a program may say before the rest is thrown away. The longest answer we ask for has a few lines per GPU. */
const mostBytes = 256 * 1_024;

/**
 * Programs see a small environment and no input, and answer in one language. Without a signal of their own they are not ended when the
 * work that wanted them is called off: half a `useradd` is worse than a whole one that nobody needs.
 *
 * Each leads a process group, which is killed at its limit. The answer comes then in any case: a program that waits for a
 * broken GPU cannot be killed, and one that it started may hold its output open. While such a program is still there, the
 * same one is not started again, so that they do not pile up.
 */
export function makeCommands(): Commands {
  const stuck = new Set<string>();
  return {
    run: async (argv, { limitMs = usualLimitMs, signal } = {}) => {
      const [program, ...words] = argv;
      const name = argv.join('\0');
      if (stuck.has(name)) return { status: statusLate, stdout: '', stderr: '' };
      const { promise, resolve } = Promise.withResolvers<CommandResult>();
      const child = spawn(program, words, {
        env: { PATH: systemPath, LC_ALL: 'C', HOME: '/' },
        cwd: '/',
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
        shell: false,
      });
      const said = { stdout: '', stderr: '' };
      const end = (status: number) => {
        clearTimeout(patience);
        signal?.removeEventListener('abort', kill);
        resolve({ status, ...said });
      };
      const patience = setTimeout(() => {
        if (child.exitCode === null && child.signalCode === null) stuck.add(name);
        killGroup(child);
        child.stdout.destroy();
        child.stderr.destroy();
        child.unref();
        end(statusLate);
      }, limitMs);
      const kill = () => killGroup(child);
      signal?.addEventListener('abort', kill, { once: true });
      if (signal?.aborted) kill();
      for (const stream of ['stdout', 'stderr'] as const) {
        child[stream].setEncoding('utf8');
        child[stream].on('data', (text: string) => {
          if (said[stream].length < mostBytes) said[stream] += text;
        });
      }
      child.once('error', (error: NodeJS.ErrnoException) => {
        said.stderr ||= error.message;
        end(error.code === 'ENOENT' ? statusMissing : statusRefused);
      });
      child.once('exit', () => stuck.delete(name));
      child.once('close', (code) => end(code ?? statusKilled));
      return promise;
    },
  };
}

/** The program and what it started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** What went wrong, in the program's own first words. */
export function complaintOf({ status, stdout, stderr }: CommandResult): string {
  if (status === statusMissing) return 'it is not installed';
  if (status === statusLate) return 'it did not answer in time';
  const words = (stderr.trim() || stdout.trim()).split('\n', 1)[0] ?? '';
  return words.slice(0, 200) || `it ended with ${status}`;
}
