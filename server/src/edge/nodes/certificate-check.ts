import type { Denials } from '../../domains/nodes/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Peer } from './peer.ts';

/** Why this certificate may not call now; undefined when it may. */
export type CheckCertificate = (peer: Peer | undefined) => Fault<'node_certificate_invalid'> | undefined;

export const makeCheckCertificate =
  (parts: { readonly clock: Clock; readonly denials: () => Pick<Denials, 'denies'> }): CheckCertificate =>
  (peer) => {
    if (!peer) return new Fault('node_certificate_invalid', 'This path wants the certificate of a node.');
    if (peer.expiresAtMs <= parts.clock.now().getTime()) {
      return new Fault('node_certificate_invalid', 'The certificate has expired.');
    }
    return parts.denials().denies(peer)
      ? new Fault('node_certificate_invalid', 'The certificate was revoked.')
      : undefined;
  };
