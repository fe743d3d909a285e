import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tree.ts';

export interface Ran {
  /** The exit code; 127 when there is no such program, 124 when it was stopped at its deadline. */
  readonly code: number;
  /** Both streams, in the order in which they were written. */
  readonly output: string;
  readonly stdout: string;
}

/** Runs a program with its arguments as they are: no shell reads them. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly timeoutMs?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly onOutput?: (chunk: string) => void;
  } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let stdout = '';
    let late = false;
    const deadline = setTimeout(
      () => {
        late = true;
        child.kill('SIGKILL');
      },
      options.timeoutMs ?? 5 * 60_000,
    );
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      stdout += chunk.toString();
      options.onOutput?.(chunk.toString());
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      options.onOutput?.(chunk.toString());
    });
    child.once('error', (error) => {
      clearTimeout(deadline);
      resolve({ code: 127, output: `${program}: ${error.message}`, stdout });
    });
    child.once('close', (code) => {
      clearTimeout(deadline);
      if (late) output += `\n${program} was stopped at its deadline\n`;
      resolve({ code: late ? 124 : (code ?? 1), output, stdout });
    });
  });
}

/** A tool of the lockfile. A missing one is a failure with a name, never a check that silently did not run. */
export function runTool(
  name: string,
  args: readonly string[],
  options?: Parameters<typeof runProgram>[2],
): Promise<Ran> {
  const program = join(root, 'node_modules', '.bin', name);
  if (!existsSync(program)) {
    return Promise.resolve({ code: 127, output: `${name} is not installed; run: npm ci --ignore-scripts`, stdout: '' });
  }
  return runProgram(program, args, options);
}

/** A TypeScript program of ours, on the Node that runs us. */
export const runScript = (
  path: string,
  args: readonly string[],
  options?: Parameters<typeof runProgram>[2],
): Promise<Ran> => runProgram(process.execPath, [join(root, path), ...args], options);
