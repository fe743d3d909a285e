import type { Clock } from '../../kernel/clock.ts';
import { Outage } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import type { Adapted } from '../adapter.ts';
import { type EmbeddedAuthorityOptions, openEmbeddedAuthority } from './embedded.ts';
import type { Certificates } from './port.ts';
import { openStepCa, type StepCaConfig } from './step-ca.ts';

export type CertificatesConfig =
  | ({ readonly kind: 'embedded'; readonly seal: Seal } & EmbeddedAuthorityOptions)
  | ({ readonly kind: 'step-ca' } & StepCaConfig)
  /** Nothing is issued, for a reason. */
  | { readonly kind: 'none'; readonly because: string };

/** The only place that knows which authority vouches for nodes and processes. */
export async function openCertificates(
  config: CertificatesConfig,
  parts: { readonly clock: Clock; readonly ids: Ids },
): Promise<Certificates & Adapted> {
  switch (config.kind) {
    case 'embedded':
      return openEmbeddedAuthority(config, { ...parts, seal: config.seal });
    case 'step-ca':
      return openStepCa(config, parts);
    case 'none':
      return closedAuthority(config.because);
  }
}

function closedAuthority(because: string): Certificates & Adapted {
  const refuse = () => Promise.reject(new Outage(because));
  return {
    adapter: { name: 'none', kind: 'none' },
    isOpen: false,
    certifyNode: refuse,
    certifyServer: refuse,
    certifyProcess: refuse,
    authority: refuse,
    check: async () => undefined,
    close: async () => undefined,
  };
}
