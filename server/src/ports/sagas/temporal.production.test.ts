import { startTemporal } from '../../testing/servers/temporal.ts';
import { sagasConformance } from './conformance.ts';

sagasConformance('temporal', async () => {
  const server = await startTemporal();
  return {
    config: () => ({
      kind: 'temporal',
      address: new URL(server.url).host,
      namespace: 'default',
      taskQueue: 'sagas',
      leaseMs: 1_500,
      closeWithinMs: 200,
    }),
    close: () => server.close(),
  };
});
