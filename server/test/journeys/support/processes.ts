import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import pg from 'pg';
import { processes } from '../../../src/bin/processes.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { systemIds } from '../../../src/kernel/id.ts';
import { type Running, startProcess } from '../../../src/kernel/process/process.ts';
import { type Log, silentLog } from '../../../src/kernel/telemetry/log.ts';
import { openPorts, storeSettings } from '../../../src/ports/open.ts';
import { openTestSchema } from '../../../src/testing/schema.ts';
import { freePort } from '../../chaos/children.ts';

/** Every process with a database role, in this one, over one database; a journey sees nothing of them but HTTP. */
export interface Everything {
  readonly url: string;
  readonly running: readonly Running[];
  readonly databaseUrl: string;
  /** Looks at the tables over all walls. */
  readonly root: pg.Client;
  /** `shown` is told the token, for whoever looks for it later. */
  traveller(subject: string, shown?: (token: string) => void): Promise<Traveller>;
  close(): Promise<void>;
}
/** Somebody with a token. */
export type Traveller = (
  method: string,
  path: string,
  ask?: { readonly body?: object; readonly headers?: Readonly<Record<string, string>> },
  // biome-ignore lint/suspicious/noExplicitAny: journeys look into answers of every shape
) => Promise<{ readonly status: number; readonly headers: Headers; readonly body: any }>;

/** `log` hears every process at its most talkative; `secretsKey` seals, and is looked for where it must not be. */
export async function openEverything(
  options: { readonly log?: Log; readonly secretsKey?: string } = {},
): Promise<Everything> {
  const { log = silentLog, secretsKey = randomBytes(32).toString('base64') } = options;
  const schema = await openTestSchema();
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-journey-'));
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keysPath = join(folder, 'keys.json');
  await writeFile(keysPath, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const running: Running[] = [];
  for (const { spec, login, stores } of processes) {
    // Terminals have a journey of their own, with gateways and a host.
    if (!login) continue;
    const env = {
      GPUAAS_DATABASE_URL: schema.as(login),
      ...storeSettings(stores, () => schema.url),
      GPUAAS_ISSUER_URL: schema.url,
      GPUAAS_AUTHORITY_URL: schema.url,
      GPUAAS_DATABASE_POOL_SIZE: '4',
      GPUAAS_INSTANCE: 'journey',
      GPUAAS_PORT: String(port),
      GPUAAS_NODE_PORT: '0',
      GPUAAS_PUBLIC_URL: url,
      GPUAAS_SECRETS_KEY: secretsKey,
      GPUAAS_REQUESTS_PER_MINUTE: '100000',
      GPUAAS_OIDC_ISSUER: 'https://issuer.test',
      GPUAAS_OIDC_KEYS_URL: pathToFileURL(keysPath).href,
    };
    const parts = { clock: systemClock, ids: systemIds, log, version: '0.0.0', openPorts: openPorts(env) };
    running.push(await startProcess(spec, { env, ...parts }));
  }
  const root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  return {
    url,
    running,
    databaseUrl: schema.url,
    root,
    async traveller(subject, shown) {
      const token = await new SignJWT({ auth_time: Math.floor(Date.now() / 1_000) })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer('https://issuer.test')
        .setAudience('gpuaas')
        .setSubject(subject)
        .setJti(systemIds.next())
        .setIssuedAt()
        .setExpirationTime('1h')
        .sign(privateKey);
      shown?.(token);
      return async (method, path, { body, headers } = {}) => {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(method !== 'GET' && { 'idempotency-key': systemIds.next() }),
            ...(body && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body && { body: JSON.stringify(body) }),
        });
        return { status: response.status, headers: response.headers, body: await response.json() };
      };
    },
    async close() {
      for (const each of running.reverse()) await each.stop();
      await root.end();
      await schema.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
