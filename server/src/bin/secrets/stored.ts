import { type Static, Type } from 'typebox';
import { countSealed } from '../../domains/secrets/index.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { Secret } from '../../kernel/process/config.ts';
import { openKeyring } from '../../kernel/secrets/keyring.ts';
import { resealAll, type SealedValues } from '../../kernel/secrets/sealed-values.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openSealedIssuers } from '../../ports/certificates/sealed-issuers.ts';
import { requireSchema } from '../../ports/database/open.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openSealedIssuerValues } from '../../ports/identity-provider/sealing/sealed-values.ts';
import { sealedInDatabase } from '../sealed-values.ts';

export const storedConfig = Type.Object({
  secretsKey: Secret({ description: 'The whole keyring, as the api has it.' }),
  databaseUrl: Secret({ description: 'PostgreSQL as gpuaas_api.' }),
  issuerUrl: Type.Optional(Secret({ description: 'PostgreSQL as gpuaas_issuer, with our own OpenID provider.' })),
  authorityUrl: Type.Optional(
    Secret({ description: 'PostgreSQL as gpuaas_authority, with our own certificate authority.' }),
  ),
});

/** Everything that an installation keeps sealed, opened for one piece of work. */
async function withStored<T>(
  config: Static<typeof storedConfig>,
  work: (stores: readonly SealedValues[]) => Promise<T>,
): Promise<T> {
  const keyring = openKeyring(config.secretsKey, 'GPUAAS_SECRETS_KEY');
  await requireSchema(config.databaseUrl);
  const parts = { clock: systemClock, ids: systemIds, log: silentLog };
  const database = await openPostgres({ url: config.databaseUrl, ...parts, name: 'secrets', poolSize: 2 });
  const others = [
    ...(config.issuerUrl ? [openSealedIssuerValues(config.issuerUrl, keyring)] : []),
    ...(config.authorityUrl ? [openSealedIssuers(config.authorityUrl, keyring.seal('authority'))] : []),
  ];
  try {
    return await work([
      ...sealedInDatabase(keyring, { db: database.database, ids: systemIds }),
      ...others.flatMap(({ stores }) => stores),
    ]);
  } finally {
    await Promise.all(others.map(({ close }) => close()));
    await database.close();
  }
}

/** One line for each table and key, then a sentence on what may be done. */
export const showStatus = (config: Static<typeof storedConfig>): Promise<string> =>
  withStored(config, async (stores) => {
    const counts = await countSealed(stores);
    const lines = counts.map(
      (each) =>
        `${each.purpose.padEnd(17)} ${each.table.padEnd(24)} ${each.key_id.padEnd(12)} ${String(each.values).padStart(8)}  ${each.state}`,
    );
    const inUse = new Set(counts.filter(({ values }) => values > 0).map(({ key_id }) => key_id));
    const [, ...others] = openKeyring(config.secretsKey, 'GPUAAS_SECRETS_KEY').ids;
    const said = others.map((id) =>
      inUse.has(id) ? `The key ${id} is still needed: run reseal.` : `The key ${id} sealed nothing that is kept.`,
    );
    return [...lines, ...said].join('\n');
  });

/** Seals everything anew that another key of the keyring sealed. What was done stays done when it is ended half-way. */
export const resealStored = (
  config: Static<typeof storedConfig>,
  options: { readonly limit?: number; readonly stopping?: AbortSignal } = {},
): Promise<string> =>
  withStored(config, async (stores) => {
    const lines: string[] = [];
    for (const store of stores) {
      const resealed = await resealAll(store, options);
      lines.push(`${store.purpose.padEnd(17)} ${store.table.padEnd(24)} ${resealed} sealed anew`);
    }
    return lines.join('\n');
  });
