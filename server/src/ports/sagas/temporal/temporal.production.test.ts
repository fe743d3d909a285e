import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { startTemporal } from '../../../testing/servers/temporal.ts';
import { sagasConformance } from '../conformance.ts';
import { bundleSagaWorkflow } from './worker.ts';

sagasConformance('temporal', async () => {
  const server = await startTemporal();
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-sagas-'));
  const workflowBundlePath = join(folder, 'workflow.js');
  const bundle = await bundleSagaWorkflow(silentLog);
  if ('code' in bundle) await writeFile(workflowBundlePath, bundle.code);
  return {
    config: (identity) => ({
      kind: 'temporal',
      address: new URL(server.url).host,
      namespace: 'default',
      leaseMs: 1_500,
      closeWithinMs: 200,
      // All but one start as a build does, with the workflow bundled before; that one bundles it from the sources.
      ...(identity === 'heir' ? {} : { workflowBundlePath }),
    }),
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
