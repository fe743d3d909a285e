import type { Adapted } from '../adapter.ts';
import { type EmbeddedIssuerOptions, type EmbeddedIssuerParts, openEmbeddedIssuer } from './embedded.ts';
import { openExternalIssuer } from './external.ts';
import type { EmbeddedIssuer, IdentityProvider } from './port.ts';

export type IdentityProviderConfig =
  | ({ readonly kind: 'embedded' } & EmbeddedIssuerOptions)
  | {
      readonly kind: 'external';
      readonly issuerUrl: string;
      readonly audience: string;
      readonly secondFactorAcr?: string | undefined;
    };

/**
 * The only place that knows which identity provider is used. A process that only verifies tokens opens the embedded
 * issuer of another process as an external one, by its address.
 */
export function openIdentityProvider(
  config: Extract<IdentityProviderConfig, { kind: 'embedded' }>,
  parts: EmbeddedIssuerParts,
): Promise<EmbeddedIssuer & Adapted>;
export function openIdentityProvider(
  config: Extract<IdentityProviderConfig, { kind: 'external' }>,
  parts: Pick<EmbeddedIssuerParts, 'clock' | 'log'>,
): Promise<IdentityProvider & Adapted>;
export function openIdentityProvider(
  config: IdentityProviderConfig,
  parts: Pick<EmbeddedIssuerParts, 'clock' | 'log'> & Partial<EmbeddedIssuerParts>,
): Promise<IdentityProvider & Adapted> {
  const { clock, ids, pages, log, revocations, onFactorTry } = parts;
  if (config.kind === 'external') return openExternalIssuer({ ...config, clock, ...(log && { log }) });
  if (!ids || !pages) throw new Error('the embedded issuer needs ids and pages');
  return openEmbeddedIssuer(config, {
    ...{ clock, ids, pages, onFactorTry },
    ...(log && { log }),
    ...(revocations && { revocations }),
  });
}
