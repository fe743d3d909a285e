import { makeLoopbackCertificate } from '../../testing/servers/smtp.ts';
import { maasConformance } from './conformance.ts';
import { makeMaasWorld } from './testing.ts';

maasConformance('maas', async (apiKey) =>
  makeMaasWorld({ kind: 'maas', timeoutMs: 1_000 }, apiKey, await makeLoopbackCertificate()),
);
