import { startReceiver } from '../../testing/servers/receiver.ts';
import { webhooksConformance } from './conformance.ts';
import { openWebhooks } from './open.ts';

webhooksConformance('local', async () => {
  const receiver = await startReceiver();
  const config = { kind: 'local' } as const;
  return { ...receiver, config, open: () => openWebhooks(config) };
});
