import type { Surroundings } from './node-agent.ts';

/** The bundler writes the version in; from source there is none. */
declare const GPUAAS_AGENT_VERSION: string | undefined;

export function surroundingsOf(process: NodeJS.Process): Surroundings {
  const [, program = '', ...args] = process.argv;
  return {
    args,
    env: process.env,
    program,
    version: typeof GPUAAS_AGENT_VERSION === 'string' ? GPUAAS_AGENT_VERSION : '0.0.0-source',
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    tell: process.send ? (message) => void process.send?.(message) : undefined,
    stop: new Promise((resolve) => {
      process.once('SIGTERM', resolve);
      process.once('SIGINT', resolve);
      // A child whose supervisor is gone has nobody who would start its successor.
      if (process.send) process.once('disconnect', () => resolve(undefined));
    }),
  };
}
