import { parseArgs } from 'node:util';
import { type Static, Type } from 'typebox';
import {
  denialsChannel,
  endSignInsOfAccount,
  makeRecordFactorChange,
  untilNextSecond,
} from '../../domains/identity/index.ts';
import { plainLayOut } from '../../edge/oidc/layout.ts';
import { makeIssuerPages } from '../../edge/oidc/pages.ts';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { type Environment, readConfig, Secret } from '../../kernel/process/config.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { requireSchema } from '../../ports/database/open.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openIdentityProvider } from '../../ports/identity-provider/open.ts';
import { ownIssuerName } from '../../ports/identity-provider/port.ts';

/**
 * For an installation whose last superadmin lost every second factor: an administrator with its databases and its key
 * can reset them.
 */
export const resetFactorsConfig = Type.Object({
  databaseUrl: Secret({ description: 'PostgreSQL as gpuaas_api.' }),
  issuerUrl: Secret({ description: 'PostgreSQL as gpuaas_issuer.' }),
  secretsKey: Secret({ description: 'The keyring that seals our own provider, as the api has it.' }),
  publicUrl: Type.String({ pattern: '^https?://', description: 'Where callers reach the api.' }),
  oidcAudience: Type.String({ default: 'gpuaas', description: 'What tokens must be meant for.' }),
});

const usage = `Forgets the second factors of an account of our own provider, and ends its sessions.

  node server/src/bin/reset-factors/main.ts --login NAME --reason TEXT
`;

/** Answers the exit code. What goes wrong is said in one sentence. */
export async function runResetFactors(
  args: readonly string[],
  env: Environment,
  to: { readonly say: (text: string) => void; readonly complain: (text: string) => void },
): Promise<0 | 1> {
  try {
    const { login, reason } = readArguments(args);
    const config = readConfig('reset-factors', resetFactorsConfig, env);
    await requireSchema(config.databaseUrl);
    const removed = await reset(config, login, reason);
    to.say(
      `${removed} second factors of ${login} were removed, and its sessions ended. The password alone signs in now.\n`,
    );
    return 0;
  } catch (error) {
    to.complain(`${(error as Error).message}\n`);
    return 1;
  }
}

function readArguments(args: readonly string[]): { readonly login: string; readonly reason: string } {
  const { values } = parseArgs({ args: [...args], options: { login: { type: 'string' }, reason: { type: 'string' } } });
  const { login, reason } = values;
  if (!login || !reason) throw new Error(usage);
  return { login, reason };
}

async function reset(config: Static<typeof resetFactorsConfig>, login: string, reason: string): Promise<number> {
  const parts = { clock: systemClock, ids: systemIds, log: silentLog };
  const database = await openPostgres({ url: config.databaseUrl, ...parts, name: 'reset-factors', poolSize: 2 });
  try {
    const provider = await openIdentityProvider(
      {
        kind: 'embedded',
        url: config.issuerUrl,
        publicUrl: config.publicUrl,
        audience: config.oidcAudience,
        sealingKey: { text: config.secretsKey },
      },
      { clock: systemClock, ids: systemIds, pages: makeIssuerPages(plainLayOut) },
    );
    try {
      const account = await provider.accounts.find({ login });
      if (!account) throw new Error(`There is no account ${login}.`);
      const record = makeRecordFactorChange({
        db: database.database,
        begin: actsOf('reset-factors', systemIds),
        ids: systemIds,
        endSignIns: (tx, by, accountId) =>
          endSignInsOfAccount({ clock: systemClock }, tx, { by, issuer: ownIssuerName, accountId, reason }),
      });
      const removed = await provider.factors.reset(account.id);
      const to = { accountId: account.id, login: account.login, email: account.email };
      await record(to, 'factors_reset', { reason, removed });
      database.notify(denialsChannel);
      await untilNextSecond(systemClock);
      return removed;
    } finally {
      await provider.close();
    }
  } finally {
    await database.close();
  }
}
