import type { Surroundings } from './command.ts';

/** The same process with another place to answer to. A process is more than this, and its input wakes up when touched. */
export const answeringTo = (around: Surroundings, stdout: Surroundings['stdout']): Surroundings => ({
  env: around.env,
  get stdin() {
    return around.stdin;
  },
  stdout,
  stderr: around.stderr,
  ...(around.cwd && { cwd: around.cwd }),
  ...(around.once && { once: (signal, stop) => around.once?.(signal, stop) }),
  ...(around.parts && { parts: around.parts }),
});
