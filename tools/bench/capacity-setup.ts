import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeCaller } from '../../server/src/bin/all/caller.ts';
import { makeIdentities } from '../../server/src/domains/identity/index.ts';
import { actsOf } from '../../server/src/kernel/act.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { systemIds } from '../../server/src/kernel/id.ts';
import { silentLog } from '../../server/src/kernel/telemetry/log.ts';
import { openPostgres } from '../../server/src/ports/database/postgres.ts';
import { freePort } from '../../server/src/testing/servers/start.ts';
import { type Installation, type Member, startMember } from './installation.ts';
import { openLocalIssuer } from './issuer.ts';

/** An installation that sells GPUs: api, relay and worker, an operator and a person with a project. */
export interface CapacitySetup {
  readonly url: string;
  readonly doorUrl: string;
  readonly api: Member;
  readonly worker: Member;
  readonly pids: readonly number[];
  readonly operatorToken: string;
  readonly buyer: { readonly token: string; readonly project: string };
  /** Seals what the database keeps, for a bench that signs tasks itself. */
  readonly secretsKey: string;
}

const audience = 'gpuaas';
const issuerName = 'https://issuer.bench';

export async function setUpCapacity(
  installation: Installation,
  options: { readonly poolSize: number; readonly policies?: Readonly<Record<string, number>> },
): Promise<CapacitySetup> {
  const issuer = await openLocalIssuer(join(installation.folder, 'keys'), issuerName, audience);
  const [port, nodePort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const secretsKey = randomBytes(32).toString('base64');
  const start = async (name: string, login: 'gpuaas_api' | 'gpuaas_relay' | 'gpuaas_worker') =>
    installation.keep(
      await startMember(name, {
        GPUAAS_PORT: String(port),
        GPUAAS_NODE_PORT: String(nodePort),
        GPUAAS_OIDC_ISSUER: issuerName,
        GPUAAS_OIDC_AUDIENCE: audience,
        GPUAAS_OIDC_KEYS_URL: issuer.keysUrl,
        GPUAAS_DATABASE_URL: installation.urlFor(login),
        GPUAAS_BUS_URL: installation.urlFor('gpuaas_bus'),
        GPUAAS_CACHE_URL: installation.urlFor('gpuaas_cache'),
        GPUAAS_SAGAS_URL: installation.urlFor('gpuaas_sagas'),
        GPUAAS_ISSUER_URL: installation.urlFor('gpuaas_issuer'),
        GPUAAS_AUTHORITY_URL: installation.urlFor('gpuaas_authority'),
        GPUAAS_DATABASE_POOL_SIZE: String(options.poolSize),
        GPUAAS_REQUESTS_PER_MINUTE: '1000000',
        GPUAAS_SECRETS_KEY: secretsKey,
        GPUAAS_INSTANCE: 'bench',
      }),
    );
  const api = await start('api', 'gpuaas_api');
  const relay = await start('outbox-relay', 'gpuaas_relay');
  const worker = await start('provisioning-worker', 'gpuaas_worker');
  const { token: operatorToken } = await issuer.issue('operator');
  await makeOperator(installation);
  const operator = makeCaller(url, async () => operatorToken);
  await operator('POST', '/api/v1/admin/catalog/defaults', { reason: 'something to sell' });
  const policies = {
    'allocation.max_concurrent_per_user': 100_000,
    'allocation.max_gpus_per_organization': 1_000_000,
    'rate_limit.credential_attempts_per_minute': 1_000_000,
    'billing.enforce_balance': false,
    ...options.policies,
  };
  for (const [key, value] of Object.entries(policies)) {
    await operator('PUT', `/api/v1/admin/policies/${key}`, { level: 'global', value, reason: 'it is measured' });
  }
  const { token } = await issuer.issue('buyer');
  const call = makeCaller(url, async () => token);
  const named = { name: 'Bench', slug: 'bench' };
  const { id: organization } = (await call('POST', '/api/v1/organizations', named)) as { id: string };
  const made = (await call('POST', `/api/v1/organizations/${organization}/projects`, named)) as { id: string };
  return {
    ...{ url, api, worker, operatorToken, secretsKey },
    doorUrl: `https://127.0.0.1:${nodePort}`,
    pids: [api.pid, relay.pid, worker.pid],
    buyer: { token, project: made.id },
  };
}

async function makeOperator(installation: Installation): Promise<void> {
  const database = await openPostgres({
    ...{ url: installation.adminUrl(), clock: systemClock, ids: systemIds, log: silentLog, name: 'bench', poolSize: 2 },
  });
  try {
    const begin = actsOf('start', systemIds);
    const identities = makeIdentities({ db: database.database, begin, ids: systemIds, clock: systemClock });
    const known = { issuer: issuerName, subject: 'operator', kind: 'user' } as const;
    const { id } = await identities.recognise(known, systemIds.next());
    await identities.bindPlatformRole(id, 'platform_superadmin', systemIds.next());
  } finally {
    await database.close();
  }
}
