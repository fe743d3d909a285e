import { spawn } from 'node:child_process';

/** A program and its arguments, each a word of its own. There is no shell on the way, so no word means more than itself. */
export type Argv = readonly [program: string, ...words: string[]];

export interface CommandResult {
  /** What it exited with; 127 when there is no such program, as shells say it, and 124 when it took too long. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The programs of the host. The only way in which this adapter starts anything but a terminal. */
export interface Commands {
  run(argv: Argv, options?: { readonly limitMs?: number }): Promise<CommandResult>;
}

export const statusMissing = 127;
export const statusLate = 124;
/** Where programs of the system are, whatever the agent itself was started with. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const usualLimitMs = 30_000;
/** What a program may say before the rest is thrown away. The longest answer we ask for has a few lines per GPU. */
const mostBytes = 256 * 1_024;

/**
 * Programs see a small environment and no input, and answer in one language. They are not ended when the work that
 * wanted them is called off: half a `useradd` is worse than a whole one that nobody needs.
 */
export function makeCommands(): Commands {
  return {
    run: ([program, ...words], { limitMs = usualLimitMs } = {}) =>
      new Promise((resolve) => {
        const child = spawn(program, words, {
          env: { PATH: systemPath, LC_ALL: 'C', HOME: '/' },
          cwd: '/',
          stdio: ['ignore', 'pipe', 'pipe'],
          shell: false,
        });
        const said = { stdout: '', stderr: '' };
        let isLate = false;
        const patience = setTimeout(() => {
          isLate = true;
          child.kill('SIGKILL');
        }, limitMs);
        for (const name of ['stdout', 'stderr'] as const) {
          child[name].setEncoding('utf8');
          child[name].on('data', (text: string) => {
            if (said[name].length < mostBytes) said[name] += text;
          });
        }
        const end = (status: number) => {
          clearTimeout(patience);
          resolve({ status, ...said });
        };
        child.once('error', (error: NodeJS.ErrnoException) => {
          said.stderr ||= error.message;
          end(error.code === 'ENOENT' ? statusMissing : 126);
        });
        child.once('close', (code) => end(isLate ? statusLate : (code ?? 128)));
      }),
  };
}

/** What went wrong, in the program's own first words. */
export function complaintOf({ status, stdout, stderr }: CommandResult): string {
  if (status === statusMissing) return 'it is not installed';
  if (status === statusLate) return 'it did not answer in time';
  const words = (stderr.trim() || stdout.trim()).split('\n', 1)[0] ?? '';
  return words.slice(0, 200) || `it ended with ${status}`;
}
