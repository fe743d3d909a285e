import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, escapeLiteral } from 'pg';

import { freePort } from '../../../server/src/testing/servers/start.ts';
import type { HttpLoad } from '../http-load.ts';
import { type Installation, type Member, startMember } from '../installation.ts';
import { openLocalIssuer } from '../issuer.ts';

/** What the two ways to write need: apis with callers that own an organization each, and a role for pgbench. */
export interface WritePathSetup {
  readonly apis: readonly (Member & { readonly host: string; readonly port: number })[];
  readonly callers: HttpLoad['callers'];
  readonly pgbenchUrl: string;
  /** Counts what every write must leave: one row of each kind. */
  count(): Promise<Counts>;
}
export interface Counts {
  readonly projects: number;
  readonly audits: number;
  readonly events: number;
  readonly replies: number;
}

const audience = 'gpuaas';
const host = '127.0.0.1';

export async function setUpWritePath(
  installation: Installation,
  options: {
    readonly apis: number;
    readonly callers: number;
    readonly poolSize: number;
    readonly profileInto?: string;
  },
): Promise<WritePathSetup> {
  const issuerName = 'https://issuer.bench';
  const folder = join(installation.folder, 'keys');
  await mkdir(folder, { recursive: true });
  const issuer = await openLocalIssuer(folder, issuerName, audience);
  const apis: WritePathSetup['apis'][number][] = [];
  for (let index = 0; index < options.apis; index += 1) {
    const port = await freePort();
    const member = installation.keep(
      await startMember(
        'api',
        {
          GPUAAS_HOST: host,
          GPUAAS_PORT: String(port),
          GPUAAS_NODE_PORT: '0',
          GPUAAS_OIDC_ISSUER: issuerName,
          GPUAAS_OIDC_AUDIENCE: audience,
          GPUAAS_OIDC_KEYS_URL: issuer.keysUrl,
          GPUAAS_DATABASE_URL: installation.urlFor('gpuaas_api'),
          GPUAAS_CACHE_URL: installation.urlFor('gpuaas_cache'),
          GPUAAS_ISSUER_URL: installation.urlFor('gpuaas_issuer'),
          GPUAAS_AUTHORITY_URL: installation.urlFor('gpuaas_authority'),
          GPUAAS_DATABASE_POOL_SIZE: String(options.poolSize),
          GPUAAS_REQUESTS_PER_MINUTE: '1000000',
          GPUAAS_INSTANCE: `bench-${index}`,
        },
        options.profileInto ? { profileInto: options.profileInto } : {},
      ),
    );
    apis.push({ ...member, host, port });
  }
  const callers: HttpLoad['callers'][number][] = [];
  for (let index = 0; index < options.callers; index += 1) {
    const { token } = await issuer.issue(`caller-${index}`);
    const response = await fetch(`http://${host}:${apis[0]?.port}/api/v1/organizations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `organization-${index}`,
      },
      body: JSON.stringify({ name: `Organization ${index}`, slug: `organization-${index}` }),
    });
    const organization = (await response.json()) as { id: string };
    if (response.status !== 201) throw new Error(`no organization: ${response.status} ${JSON.stringify(organization)}`);
    callers.push({ token, organizationId: organization.id });
  }
  const pgbenchUrl = await makePgbenchRole(installation, options.callers);
  return {
    apis,
    callers,
    pgbenchUrl,
    async count() {
      const { rows } = await installation.admin.query<Counts>(
        `select (select count(*) from projects)::int as projects,
           (select count(*) from audit_logs where action = 'project.create')::int as audits,
           (select count(*) from outbox_events where subject = 'tenancy.project.created')::int as events,
           (select count(*) from idempotency_records where route = 'project_create')::int as replies`,
      );
      return rows[0] as Counts;
    },
  };
}

/** A role that may do what the product's functions do for the api, and organizations with the numbers of clients. */
async function makePgbenchRole({ admin, adminUrl }: Installation, organizations: number): Promise<string> {
  const password = randomBytes(16).toString('hex');
  await admin.query(`create role bench_client login bypassrls password ${escapeLiteral(password)}`);
  await admin.query('grant connect on database gpuaas to bench_client');
  await admin.query('grant usage on schema public to bench_client');
  await admin.query(
    `grant select, insert on projects, audit_logs, outbox_events, idempotency_records, machine_edges to bench_client`,
  );
  await admin.query('grant execute on all functions in schema public to bench_client');
  await admin.query('begin');
  await admin.query(`select set_config('gpuaas.act', uuidv7()::text, true)`);
  await admin.query(
    `insert into organizations (id, name, slug)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Client ' || n, 'client-' || n
     from generate_series(0, $1::int - 1) n`,
    [organizations],
  );
  await admin.query(`select set_config('gpuaas.audited', current_setting('gpuaas.act'), true)`);
  await admin.query('commit');
  const address = new URL(adminUrl());
  address.username = 'bench_client';
  address.password = password;
  const probe = new Client({ connectionString: address.href });
  await probe.connect();
  await probe.end();
  return address.href;
}
