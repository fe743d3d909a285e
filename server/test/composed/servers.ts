import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatabaseServer, openDatabaseServer } from '../../src/ports/database/open.ts';
import { logins, type Passwords } from '../../src/ports/database/roles.ts';
import { startNats } from '../../src/testing/servers/nats.ts';
import { startPostgres } from '../../src/testing/servers/postgres.ts';
import { startRedis } from '../../src/testing/servers/redis.ts';
import { startS3 } from '../../src/testing/servers/s3.ts';
import { startSmtp } from '../../src/testing/servers/smtp.ts';
import { startStepCa } from '../../src/testing/servers/step-ca.ts';
import { startTemporal } from '../../src/testing/servers/temporal.ts';

/** Every server of a production installation, real and at once, and the settings that name them. PostgreSQL is empty. */
export async function startEmptyServers(folder: string) {
  const [postgres, nats, redis, temporal, smtp, s3, stepCa] = await Promise.all([
    startPostgres(),
    startNats(),
    startRedis(),
    startTemporal({ file: join(folder, 'temporal.db') }),
    startSmtp(),
    startS3(),
    startStepCa(),
  ]);
  await s3.createBucket('gpuaas');
  await s3.createBucket('tenants');
  const rootPath = join(folder, 'step-ca-root.pem');
  await writeFile(rootPath, stepCa.root);
  return {
    ...{ postgres, nats, redis, temporal, smtp, s3 },
    /** Each port has a server of its own, so no adapter lives in PostgreSQL. */
    settings: {
      GPUAAS_BUS_URL: nats.url,
      GPUAAS_CACHE_URL: redis.url,
      GPUAAS_TEMPORAL_ADDRESS: new URL(temporal.url).host,
      GPUAAS_SMTP_URL: smtp.url,
      GPUAAS_SMTP_PLAIN: 'true',
      GPUAAS_MAIL_FROM: 'GPUaaS <gpuaas@example.test>',
      GPUAAS_S3_BUCKET: 'gpuaas',
      GPUAAS_S3_ENDPOINT: s3.access.endpoint,
      GPUAAS_S3_ACCESS_KEY_ID: s3.access.accessKeyId,
      GPUAAS_S3_SECRET_ACCESS_KEY: s3.access.secretAccessKey,
      GPUAAS_STORAGE_S3_BUCKET: 'tenants',
      GPUAAS_STORAGE_S3_ENDPOINT: s3.access.endpoint,
      GPUAAS_STORAGE_S3_ACCESS_KEY_ID: s3.access.accessKeyId,
      GPUAAS_STORAGE_S3_SECRET_ACCESS_KEY: s3.access.secretAccessKey,
      GPUAAS_STEP_CA_URL: stepCa.url,
      GPUAAS_STEP_CA_ROOT: rootPath,
      GPUAAS_STEP_CA_PROVISIONER: stepCa.provisioner,
      GPUAAS_STEP_CA_PROVISIONER_KEY: JSON.stringify(stepCa.provisionerKey),
    },
    async close() {
      await Promise.all([postgres, nats, redis, temporal, smtp, s3, stepCa].map((server) => server.close()));
    },
  };
}

/** The same with a database that is set up. */
export async function startServers(folder: string) {
  const servers = await startEmptyServers(folder);
  const passwords = Object.fromEntries(
    logins.map((login) => [login, randomBytes(16).toString('hex')]),
  ) as unknown as Passwords;
  // What `migrate` does, with the passwords of the operator.
  const database: DatabaseServer = await openDatabaseServer({ kind: 'url', adminUrl: servers.postgres.url, passwords });
  return {
    ...servers,
    database,
    async close() {
      await database.close().catch(() => undefined);
      await servers.close();
    },
  };
}
export type Servers = Awaited<ReturnType<typeof startServers>>;
