import { type Static, Type } from 'typebox';
import { type Environment, readConfig, Secret } from '../../kernel/process/config.ts';
import { planMigration } from '../../ports/database/migration-plan.ts';
import { openDatabaseServer } from '../../ports/database/open.ts';
import { logins, type Passwords } from '../../ports/database/roles.ts';
import { withSecrets } from '../../ports/secrets/open.ts';

export const migrateConfig = Type.Object({
  databaseAdminUrl: Secret({ description: 'PostgreSQL as a role that may create roles and databases.' }),
  databaseName: Type.String({ default: 'gpuaas', description: 'The database to set up.' }),
  apiPassword: Secret({ description: 'The password of gpuaas_api.' }),
  workerPassword: Secret({ description: 'The password of gpuaas_worker.' }),
  relayPassword: Secret({ description: 'The password of gpuaas_relay.' }),
  mailerPassword: Secret({ description: 'The password of gpuaas_mailer.' }),
  billingPassword: Secret({ description: 'The password of gpuaas_billing.' }),
  notifierPassword: Secret({ description: 'The password of gpuaas_notifier.' }),
  webhooksPassword: Secret({ description: 'The password of gpuaas_webhooks.' }),
  busPassword: Type.Optional(Secret({ description: 'The password of gpuaas_bus: needed without NATS.' })),
  cachePassword: Type.Optional(Secret({ description: 'The password of gpuaas_cache: needed without Redis.' })),
  sagasPassword: Type.Optional(Secret({ description: 'The password of gpuaas_sagas: needed without Temporal.' })),
  inboxPassword: Type.Optional(Secret({ description: 'The password of gpuaas_inbox: needed without a mail server.' })),
  paymentsPassword: Type.Optional(
    Secret({ description: 'The password of gpuaas_payments: needed with the simulated payment provider.' }),
  ),
  issuerPassword: Type.Optional(
    Secret({ description: 'The password of gpuaas_issuer: needed with our own OpenID provider.' }),
  ),
  authorityPassword: Type.Optional(
    Secret({ description: 'The password of gpuaas_authority: needed with our own certificate authority.' }),
  ),
});

/** The password of each login, as the settings have them. */
export const passwordsOf = (config: Static<typeof migrateConfig>): Passwords => ({
  gpuaas_api: config.apiPassword,
  gpuaas_worker: config.workerPassword,
  gpuaas_relay: config.relayPassword,
  gpuaas_mailer: config.mailerPassword,
  gpuaas_billing: config.billingPassword,
  gpuaas_notifier: config.notifierPassword,
  gpuaas_webhooks: config.webhooksPassword,
  gpuaas_bus: config.busPassword,
  gpuaas_cache: config.cachePassword,
  gpuaas_sagas: config.sagasPassword,
  gpuaas_inbox: config.inboxPassword,
  gpuaas_payments: config.paymentsPassword,
  gpuaas_issuer: config.issuerPassword,
  gpuaas_authority: config.authorityPassword,
});

const checkConfig = Type.Object({
  databaseAdminUrl: migrateConfig.properties.databaseAdminUrl,
  databaseName: migrateConfig.properties.databaseName,
});

/** Says what `migrate` would do, and changes nothing. Throws where this release must not be used on the database. */
async function check(env: Environment): Promise<string> {
  const config = readConfig('migrate', checkConfig, await withSecrets('migrate', env));
  const { at, pending, connected } = await planMigration(config.databaseAdminUrl, config.databaseName);
  const from = at ? `The database is at migration ${at.number} (${at.name}).` : 'The database is empty or not there.';
  if (pending.length === 0) return `${from}\nNothing would be applied: it is up to date.\n`;
  return [
    `${from} These would be applied, each in one transaction:`,
    ...pending.map(({ number, name }) => `  ${String(number).padStart(4, '0')}-${name}`),
    ...(connected.length === 0
      ? ['Nothing is connected.']
      : [
          'Connected now. A process of the release before goes on while it runs; once it ends, only this release starts again:',
          ...connected.map(({ name, login, connections }) => `  ${name || 'unnamed'} as ${login} (${connections})`),
        ]),
    'Make a backup first: going back loses what the new columns hold.',
    '',
  ].join('\n');
}

/** Sets a database up or brings it up to date: roles, logins, schema. Run before the processes of a new release. */
export async function runMigrate(env: Environment, args: readonly string[] = []): Promise<void> {
  try {
    if (args.length > 0) {
      if (args[0] !== '--check' || args.length > 1) throw new Error('migrate takes no argument but --check.');
      process.stdout.write(await check(env));
      return;
    }
    const config = readConfig('migrate', migrateConfig, await withSecrets('migrate', env));
    const server = await openDatabaseServer({
      kind: 'url',
      adminUrl: config.databaseAdminUrl,
      database: config.databaseName,
      passwords: passwordsOf(config),
    });
    const applied = server.migrated.length > 0 ? server.migrated.join(', ') : 'nothing: it was up to date';
    process.stdout.write(`${server.describe()}\nApplied ${applied}.\nLogins: ${logins.join(', ')}.\n`);
    await server.close();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
