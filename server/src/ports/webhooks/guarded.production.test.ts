import { startReceiver } from '../../testing/servers/receiver.ts';
import { makeLoopbackCertificate } from '../../testing/servers/smtp.ts';
import { webhooksConformance } from './conformance.ts';
import { openWebhooks } from './open.ts';

webhooksConformance('guarded', async () => {
  const certificate = await makeLoopbackCertificate();
  const receiver = await startReceiver(certificate);
  // As an operator whose tenants have receivers in the own network allows it.
  const config = { kind: 'guarded', allowedNetworks: '127.0.0.0/8', ca: certificate.cert } as const;
  return { ...receiver, config, open: () => openWebhooks(config) };
});
