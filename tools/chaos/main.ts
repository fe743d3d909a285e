import { runTool } from '../lib/program.ts';

/** `npm run chaos`: every cell of the kill matrix, with what each batch took to come to its end. */
const { code } = await runTool(
  'vitest',
  ['run', '--project', 'production', 'server/test/chaos/kill-matrix.production.test.ts'],
  {
    timeoutMs: 60 * 60_000,
    env: { GPUAAS_CHAOS: 'all', GPUAAS_CHAOS_SAY: 'yes' },
    onOutput: (chunk) => process.stdout.write(chunk),
  },
);
process.exitCode = code;
