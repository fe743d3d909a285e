import { Type } from 'typebox';
import { type Environment, readConfig, Secret } from '../../kernel/process/config.ts';
import { openDatabaseServer } from '../../ports/database/open.ts';
import { logins } from '../../ports/database/roles.ts';
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

/** Sets a database up or brings it up to date: roles, logins, schema. Run before the processes of a new release. */
export async function runMigrate(env: Environment): Promise<void> {
  try {
    const config = readConfig('migrate', migrateConfig, await withSecrets('migrate', env));
    const server = await openDatabaseServer({
      kind: 'url',
      adminUrl: config.databaseAdminUrl,
      database: config.databaseName,
      passwords: {
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
      },
    });
    const applied = server.migrated.length > 0 ? server.migrated.join(', ') : 'nothing: it was up to date';
    process.stdout.write(`${server.describe()}\nApplied ${applied}.\nLogins: ${logins.join(', ')}.\n`);
    await server.close();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
