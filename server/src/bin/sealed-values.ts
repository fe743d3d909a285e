import { sealedConsoleSessions } from '../domains/identity/index.ts';
import { sealedMaasKeys } from '../domains/maas/index.ts';
import { sealedSigners } from '../domains/nodes/index.ts';
import { sealedSigningKeys } from '../domains/service-accounts/index.ts';
import { sealedSshKeys } from '../domains/terminal/index.ts';
import { sealedWebhookSecrets } from '../domains/webhooks/index.ts';
import { actsOf, type Database } from '../kernel/act.ts';
import type { Ids } from '../kernel/id.ts';
import type { Keyring, Purpose } from '../kernel/secrets/keyring.ts';
import type { Seal } from '../kernel/secrets/seal.ts';
import type { SealedValues } from '../kernel/secrets/sealed-values.ts';

/** What lies sealed in the tables of the domains, as far as the keyring reaches. */
export function sealedInDatabase(
  keyring: Keyring | undefined,
  parts: { readonly db: Database; readonly ids: Ids },
): SealedValues[] {
  const begin = actsOf('secrets', parts.ids);
  const of = (purpose: Purpose, make: (all: typeof parts & { begin: typeof begin; seal: Seal }) => SealedValues) => {
    const seal = keyring?.find(purpose);
    return seal ? [make({ ...parts, begin, seal })] : [];
  };
  return [
    ...of('console', sealedConsoleSessions),
    ...of('maas', sealedMaasKeys),
    ...of('service-accounts', sealedSigningKeys),
    ...of('ssh', sealedSshKeys),
    ...of('task-signers', sealedSigners),
    ...of('webhooks', sealedWebhookSecrets),
  ];
}
