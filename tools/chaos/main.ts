import { runTool } from '../lib/program.ts';

/** `npm run chaos`: every cell of the kill matrix in both modes, with what each batch took to come to its end. */
const matrices = ['kill-matrix', 'kill-matrix-through-sagas'].map(
  (name) => `server/test/chaos/${name}.production.test.ts`,
);
const { code } = await runTool('vitest', ['run', '--project', 'production', ...matrices], {
  timeoutMs: 60 * 60_000,
  env: { GPUAAS_CHAOS: 'all', GPUAAS_CHAOS_SAY: 'yes' },
  onOutput: (chunk) => process.stdout.write(chunk),
});
process.exitCode = code;
