import type { AddressInfo } from 'node:net';
import type { PolicyKey } from '@gpuaas/contract';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import pg from 'pg';
import { assembleApi } from '../bin/api/assemble.ts';
import type { StoreLogs } from '../domains/logs/index.ts';
import type { TerminalInternal } from '../domains/terminal/index.ts';
import type { Tenants } from '../edge/http/admission/tenancy.ts';
import type { InternalHandler } from '../edge/internal/handlers.ts';
import { makeScope } from '../kernel/access/scope.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { systemIds } from '../kernel/id.ts';
import type { Reconciler } from '../kernel/process/reconciler.ts';
import { makeKey, openKeyring } from '../kernel/secrets/keyring.ts';
import { type Log, silentLog } from '../kernel/telemetry/log.ts';
import { type Metrics, makeMetrics } from '../kernel/telemetry/metrics.ts';
import type { Cache } from '../ports/cache/port.ts';
import { openPostgresCache } from '../ports/cache/postgres.ts';
import type { DatabasePort } from '../ports/database/port.ts';
import { openPostgres } from '../ports/database/postgres.ts';
import { openMaas } from '../ports/maas/open.ts';
import type { Objects } from '../ports/objects/port.ts';
import type { Payments } from '../ports/payments/port.ts';
import { openSimulatedPayments } from '../ports/payments/simulated.ts';
import type { Storage } from '../ports/storage/port.ts';
import { openLocalWebhooks } from '../ports/webhooks/local.ts';
import { makeFactorsDouble } from './factors-double.ts';
import { makeFleetDouble } from './fleet-double.ts';
import { openTestObjects } from './objects.ts';
import { makeRunsDouble } from './runs-double.ts';
import { openTestSchema, type TestSchema } from './schema.ts';
import { openTestStorage } from './storage.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}
export interface Ask {
  /** Whose token; nobody's when left out. */
  readonly as?: string;
  readonly key?: string;
  /** A Buffer is sent as a file. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Somebody with an organization and a project of their own. */
export interface Tenant {
  readonly subject: string;
  readonly token: string;
  readonly organizationId: string;
  readonly projectId: string;
}
/** The api over a real database, reached as a client reaches it. */
export interface World {
  readonly schema: TestSchema;
  /** Whose signatures count, and whose do not. */
  readonly signers: Readonly<Record<'ours' | 'stranger', Awaited<ReturnType<typeof generateKeyPair>>>>;
  readonly database: DatabasePort;
  readonly metrics: Metrics;
  readonly objects: Objects;
  /** Looks at the tables over all walls. */
  readonly root: pg.Client;
  /** What terminal gateways ask, without the listener before it. */
  readonly terminal: TerminalInternal;
  /** What log gateways hand in, without the listener before it. */
  readonly storeLogs: StoreLogs;
  /** What the app-proxy asks, without the listener before it. */
  readonly appIngress: readonly InternalHandler[];
  readonly storageUpkeep: Reconciler;
  readonly cache: Cache;
  now(): Date;
  call(method: string, path: string, ask?: Ask): Promise<Reply>;
  token(subject: string, claims?: JWTPayload): Promise<string>;
  /** A token that is not quite right: signed by someone else, for someone else, or long ago. */
  sign(header: Record<string, unknown>, claims: JWTPayload, by?: 'us' | 'stranger'): Promise<string>;
  found(name: string): Promise<Tenant>;
  /** Puts somebody into an organization with a role. */
  join(subject: string, tenant: Tenant, role: string): Promise<string>;
  operator(subject?: string): Promise<string>;
  /** Opens a real port, for what a call in memory cannot show; answers where. */
  listen(): Promise<AddressInfo>;
  close(): Promise<void>;
}

export const issuer = 'https://issuer.test';
export const audience = 'gpuaas';
export const publicUrl = 'https://gpuaas.test';
/** What the simulated provider signs its webhooks with. */
export const paymentSecret = 'whsec_of_worlds';
/** The same for all worlds, as it is for all processes of an installation. */
export const gatewayOfWorlds = { url: 'wss://terminal.gpuaas.test', nodeUrl: 'wss://terminal-nodes.gpuaas.test:8446' };
export const jumpHostOfWorlds = { host: 'jump.gpuaas.test', port: 2_222 };
export const appsUrlOfWorlds = 'https://apps.gpuaas.test';
export const keyringOfWorlds = openKeyring(makeKey('test'), 'the test');

export async function openWorld(
  options: {
    readonly clock?: Clock;
    readonly log?: Log;
    /** A second api over the tables of this one, which outlives it. */
    readonly beside?: World;
    /** An api that no wake-up reaches: what others announce is lost on it. */
    readonly deaf?: boolean;
    readonly policies?: Partial<Record<PolicyKey, number | boolean | string>>;
    readonly tenants?: Tenants;
    /** False for an api without a simulated fleet, as in production. */
    readonly simulator?: false;
    /** False for an api without terminal gateways. */
    readonly terminals?: false;
    /** False for an installation without a registry of its own. */
    readonly registry?: false;
    /** Stands in for the simulated provider of payments. */
    readonly payments?: Payments;
    /** Changes the database before the api opens it. */
    readonly prepare?: (root: pg.Client) => Promise<void>;
    /** Stands before the object store. */
    readonly objects?: (store: Objects) => Objects;
    /** Stands before the store of tenants' files. */
    readonly storage?: (store: Storage) => Storage;
    /** The address that the api uses. */
    readonly apiUrl?: (schema: TestSchema) => string;
  } = {},
): Promise<World> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? silentLog;
  const schema = options.beside?.schema ?? (await openTestSchema());
  const root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  await options.prepare?.(root);
  const scope = makeScope(log);
  const metrics = makeMetrics('test', '0.0.0');
  const database = scope.keep(
    'database',
    await openPostgres({
      url: options.apiUrl?.(schema) ?? schema.as('gpuaas_api'),
      clock,
      ids: systemIds,
      log,
      name: 'test',
      poolSize: 10,
    }),
  );
  const cache = scope.keep('cache', await openPostgresCache({ url: schema.url, clock }));
  const store = scope.keep('objects', await openTestObjects());
  const objects = options.objects?.(store) ?? store;
  const files = scope.keep('storage', await openTestStorage());
  const storage = options.storage?.(files) ?? files;
  const payments = scope.keep(
    'payments',
    options.payments ??
      openSimulatedPayments({
        url: schema.url,
        checkoutUrl: 'http://127.0.0.1:1',
        webhookSecret: paymentSecret,
        clock,
      }),
  );
  const webhooks = scope.keep('webhooks', openLocalWebhooks());
  const maas = scope.keep('maas', await openMaas({ kind: 'simulated', timeoutMs: 2_000 }));
  const signers = options.beside?.signers ?? {
    ours: await generateKeyPair('ES256'),
    stranger: await generateKeyPair('ES256'),
  };
  const { ours, stranger } = signers;
  const heard = options.deaf ? { ...database, listen: async () => ({ close: async () => undefined }) } : database;
  const { app, appIngress, terminalInternal, storeLogs, storageUpkeep } = await assembleApi(
    { database: heard, cache, maas, objects, payments, storage, webhooks, clock, ids: systemIds, log, metrics, scope },
    {
      region: 'test',
      publicUrl,
      signIn: async () => ({
        issuer,
        client_id: 'cli',
        scope: 'openid',
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        device_authorization_endpoint: null,
        revocation_endpoint: null,
        second_factor_acr: null,
      }),
      runs: makeRunsDouble(),
      factors: makeFactorsDouble(),
      ...(options.simulator !== false && { simulator: makeFleetDouble() }),
      keyring: keyringOfWorlds,
      appsUrl: appsUrlOfWorlds,
      ...(options.registry !== false && { ownRegistry: { name: 'registry.gpuaas.test', key: 'a key of worlds' } }),
      ...(options.terminals !== false && { terminalGateway: gatewayOfWorlds, jumpHost: jumpHostOfWorlds }),
      issuer,
      audience,
      keys: { kind: 'keys', keys: { keys: [{ ...(await exportJWK(ours.publicKey)), kid: 'k1', alg: 'ES256' }] } },
      policies: {
        'rate_limit.api_requests_per_minute': 1_000_000,
        'rate_limit.credential_attempts_per_minute': 1_000_000,
        'rate_limit.read_requests_per_minute': 1_000_000,
        'rate_limit.unknown_caller_requests_per_minute': 1_000_000,
        'rate_limit.admin_overview_requests_per_minute': 1_000_000,
        'rate_limit.financial_requests_per_minute': 1_000_000,
        'rate_limit.financial_read_requests_per_minute': 1_000_000,
        'rate_limit.terminal_token_requests_per_minute': 1_000,
        'payments.max_open_sessions': 1_000,
        'webhooks.max_per_organization': 1_000,
        // One person opens terminals for each case of a suite.
        'terminal.sessions_per_user': 1_000,
        // One person founds an organization for each case of a suite.
        'tenancy.max_owned_organizations': 100_000,
        // Most tests are not about money, and their organizations have none. Those about paying ahead say so.
        'billing.enforce_balance': false,
        // One person of finance gives all credit.
        'billing.grant_limit_minor': 1_000_000_000,
        'billing.grant_total_limit_minor': 1_000_000_000_000,
        'billing.adjustment_total_limit_minor': 1_000_000_000_000,
        // Tokens of tests say when they were issued, not when somebody signed in.
        'auth.step_up_enabled': false,
        // Tests count the organizations that they found themselves.
        'auth.personal_organizations_enabled': false,
        ...options.policies,
      },
      ...(options.tenants && { tenants: options.tenants }),
    },
  );
  const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);
  const world: World = {
    schema,
    signers,
    now: () => clock.now(),
    database,
    metrics,
    objects,
    root,
    terminal: terminalInternal,
    storeLogs,
    appIngress,
    storageUpkeep,
    cache,
    async call(method, path, { as, key, body, headers } = {}) {
      const reply = await app.inject({
        method: method as 'GET',
        url: path,
        headers: {
          ...(as && { authorization: `Bearer ${as}` }),
          ...(key && { 'idempotency-key': key }),
          ...(body !== undefined && { 'content-type': isFile(body) ? 'application/octet-stream' : 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: typeof body === 'string' || isFile(body) ? body : JSON.stringify(body) }),
      });
      let parsed: unknown;
      try {
        parsed = JSON.parse(reply.payload);
      } catch {
        parsed = undefined;
      }
      return { status: reply.statusCode, headers: reply.headers, text: reply.payload, body: parsed };
    },
    sign: (header, claims, by = 'us') =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', ...header })
        .sign(by === 'us' ? ours.privateKey : stranger.privateKey),
    token: (subject, claims = {}) =>
      world.sign(
        { kid: 'k1' },
        {
          iss: issuer,
          aud: audience,
          sub: subject,
          iat: nowSeconds(),
          exp: nowSeconds() + 86_400,
          jti: systemIds.next(),
          ...claims,
        },
      ),
    async found(name) {
      const subject = `${name}-owner`;
      const token = await world.token(subject);
      const made = await world.call('POST', '/api/v1/organizations', {
        as: token,
        key: systemIds.next(),
        body: { name, slug: name },
      });
      if (made.status !== 201) throw new Error(`${name} could not be founded: ${made.text}`);
      const organizationId = made.body.id as string;
      const project = await world.call('POST', `/api/v1/organizations/${organizationId}/projects`, {
        as: token,
        key: systemIds.next(),
        body: { name: 'First', slug: 'first' },
      });
      if (project.status !== 201) throw new Error(`${name} got no project: ${project.text}`);
      return { subject, token, organizationId, projectId: project.body.id as string };
    },
    async join(subject, tenant, role) {
      await know(root, subject);
      await asSystem(
        root,
        `insert into tenant_memberships (user_id, organization_id, role)
         select id, $1, $2 from users where oidc_subject = $3`,
        [tenant.organizationId, role, subject],
      );
      return world.token(subject);
    },
    async operator(subject = 'operator') {
      await know(root, subject);
      await asSystem(
        root,
        `insert into platform_role_bindings (user_id, role)
         select id, 'platform_superadmin' from users where oidc_subject = $1 on conflict do nothing`,
        [subject],
      );
      return world.token(subject, { auth_time: nowSeconds() });
    },
    async listen() {
      await app.listen({ host: '127.0.0.1', port: 0 });
      return app.server.address() as AddressInfo;
    },
    async close() {
      const late = await scope.close(10_000);
      await root.end();
      if (!options.beside) await schema.close();
      if (late.length > 0) throw new Error(`did not close in time: ${late.join(', ')}`);
    },
  };
  return world;
}

const isFile = (body: unknown): body is Buffer => Buffer.isBuffer(body);

/** Changes a guarded table from the outside, leaving the marks that its guards look for. */
export async function asSystem(root: pg.Client, text: string, values: unknown[]): Promise<void> {
  const act = systemIds.next();
  await root.query('begin');
  try {
    await root.query(`select set_config('gpuaas.act', $1, true), set_config('gpuaas.audited', $1, true)`, [act]);
    await root.query(text, values);
    await root.query('commit');
  } catch (error) {
    // The connection is shared by the tests of a file: one that fails must not take the others along.
    await root.query('rollback');
    throw error;
  }
}

const know = (root: pg.Client, subject: string) =>
  asSystem(root, 'insert into users (id, oidc_issuer, oidc_subject) values ($1, $2, $3) on conflict do nothing', [
    systemIds.next(),
    issuer,
    subject,
  ]);

/** In a statement over `audit_logs l`: the change with what is kept beside the log. */
export const auditedChange = `l.change || coalesce((select p.particulars -> 'change' from audit_particulars p
  where p.audit_id = l.id and p.particulars ? 'change'), '{}') as change`;
