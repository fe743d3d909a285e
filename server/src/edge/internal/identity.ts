import { identityRenew } from '@gpuaas/contract/internal';
import { Fault } from '../../kernel/fault.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import { type InternalHandler, internalHandler } from './handlers.ts';

/** A copy that was stopped for longer needs a new first identity. */
export const processCertificateMs = 30 * 24 * 3_600_000;

/** A process renews its own identity, under the names that its certificate has and no others. */
export const makeIdentityHandlers = (parts: {
  readonly certificates: Pick<Certificates, 'certifyProcess' | 'authority'>;
}): readonly InternalHandler[] => [
  internalHandler(identityRenew, async ({ csr }, { peer }) => {
    const order = { process: peer.process, names: peer.names, csr, ttlMs: processCertificateMs };
    const issued = await parts.certificates.certifyProcess(order);
    if (issued instanceof Fault) return issued;
    const { roots } = await parts.certificates.authority();
    return { chain: issued.chain, roots, expires_at: issued.notAfter.toISOString() };
  }),
];
