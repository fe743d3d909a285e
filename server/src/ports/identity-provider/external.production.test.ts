import { vi } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { startIssuerProcess } from '../../testing/issuer.ts';
import { identityProviderConformance } from './conformance.ts';
import { openIdentityProvider } from './open.ts';

identityProviderConformance('external', async () => {
  const clock = makeTestClock(new Date());
  const issuer = await startIssuerProcess(clock.now());
  return {
    clock,
    person: { login: 'anna', password: 'whatever' },
    native: issuer.native,
    service: issuer.service,
    accessTokenMs: 300_000,
    open: () => openIdentityProvider({ kind: 'external', issuerUrl: issuer.url, audience: 'gpuaas' }, { clock }),
    async advance(ms) {
      await issuer.order({ kind: 'advance', ms });
      await clock.advance(ms);
      vi.setSystemTime(clock.now());
    },
    rotateKeys: () => issuer.order({ kind: 'rotate' }),
    breakDown: () => issuer.order({ kind: 'leave' }),
    recover: () => issuer.order({ kind: 'return' }),
    close: () => issuer.close(),
  };
});
