import type { Surroundings } from './command.ts';

/**
 * The same process with another output. Its input is passed through untouched, because reading a property would start
 * it.
 */
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
