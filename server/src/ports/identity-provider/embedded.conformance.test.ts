import { vi } from 'vitest';
import { makeDatabaseOutage } from '../../testing/servers/outage.ts';
import { identityProviderConformance } from './conformance.ts';
import { openEmbeddedBench, person } from './conformance-embedded.ts';

identityProviderConformance('embedded', async () => {
  const bench = await openEmbeddedBench();
  const service = {
    id: 'reporting',
    ...(await bench.issuer().clients.registerService({ id: 'reporting', name: 'R' })),
  };
  const outage = makeDatabaseOutage(bench.databaseUrl);
  return {
    clock: bench.clock,
    person,
    native: 'gpuaas-cli',
    service,
    accessTokenMs: 10 * 60_000,
    open: () => bench.open(),
    async advance(ms) {
      await bench.clock.advance(ms);
      vi.setSystemTime(bench.clock.now());
    },
    rotateKeys: () => bench.issuer().rotateKeys(),
    breakDown: () => outage.begin(),
    recover: () => outage.end(),
    close: () => bench.close(),
  };
});
