import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { startStepCa } from '../../testing/servers/step-ca.ts';
import { certificatesConformance } from './conformance.ts';
import { openCertificates } from './open.ts';

certificatesConformance('step-ca', async () => {
  const server = await startStepCa();
  const { url, root, provisioner, provisionerKey } = server;
  const config = { kind: 'step-ca', url, root, provisioner, provisionerKey } as const;
  return {
    open: () => openCertificates(config, { clock: systemClock, ids: systemIds }),
    breakDown: () => server.kill(),
    recover: () => server.start(),
    close: () => server.close(),
  };
});
