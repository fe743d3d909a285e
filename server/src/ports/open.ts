import { hostname } from 'node:os';
import { type Static, Type } from 'typebox';
import { ConfigFault, type Environment, readConfig, Secret } from '../kernel/process/config.ts';
import { type Common, processesOver } from '../kernel/process/process.ts';
import { secondMs } from '../kernel/units.ts';
import { type Adapted, reportAdapter } from './adapter.ts';
import { openBus } from './bus/open.ts';
import type { Bus } from './bus/port.ts';
import { openCache } from './cache/open.ts';
import type { Cache } from './cache/port.ts';
import type { Certificates } from './certificates/port.ts';
import { certificatesConfig, openCertificatesOf } from './certificates/settings.ts';
import { requireSchema } from './database/open.ts';
import type { DatabasePort } from './database/port.ts';
import { openPostgres } from './database/postgres.ts';
import { openMaas } from './maas/open.ts';
import type { Maas } from './maas/port.ts';
import { openMail } from './mail/open.ts';
import type { Mail } from './mail/port.ts';
import type { Objects } from './objects/port.ts';
import { objectsConfig, openObjectsOf } from './objects/settings.ts';
import { type Outside, openPatiently } from './patience.ts';
import { openPayments } from './payments/open.ts';
import type { Payments } from './payments/port.ts';
import { openRegistry } from './registry/open.ts';
import type { Registry } from './registry/port.ts';
import { openSagas } from './sagas/open.ts';
import type { Sagas } from './sagas/port.ts';
import { openStorage, storageConfig, storageOf } from './storage/open.ts';
import type { Storage } from './storage/port.ts';
import { openWebhooks } from './webhooks/open.ts';
import type { Webhooks } from './webhooks/port.ts';

/** Everything outside that a process may ask for. */
export interface Ports {
  readonly database: DatabasePort;
  readonly bus: Bus;
  readonly cache: Cache;
  readonly sagas: Sagas;
  readonly certificates: Certificates;
  readonly maas: Maas;
  readonly mail: Mail;
  readonly objects: Objects;
  readonly payments: Payments;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly webhooks: Webhooks;
}
export const defineProcess = processesOver<Ports>();

/** Which adapter stands behind a port. Where no production address is given, Postgres carries it. */
export const portsConfig = Type.Object({
  databaseUrl: Secret({ description: 'PostgreSQL, as the role of this process.' }),
  databasePoolSize: Type.Integer({
    default: 10,
    minimum: 2,
    maximum: 200,
    description: 'Connections of this process.',
  }),
  busUrl: Type.Optional(
    Secret({
      pattern: '^(nats|postgres(ql)?)://',
      description: 'The bus: NATS JetStream, e.g. nats://nats:4222, or PostgreSQL as gpuaas_bus.',
    }),
  ),
  cacheUrl: Type.Optional(
    Secret({
      pattern: '^(rediss?|postgres(ql)?)://',
      description: 'The cache: Redis, e.g. redis://redis:6379, or PostgreSQL as gpuaas_cache.',
    }),
  ),
  temporalAddress: Type.Optional(Type.String({ description: 'Sagas in Temporal, e.g. temporal:7233.' })),
  sagasUrl: Type.Optional(
    Secret({ pattern: '^postgres(ql)?://', description: 'Sagas in PostgreSQL, as gpuaas_sagas, without Temporal.' }),
  ),
  inboxUrl: Type.Optional(
    Secret({
      pattern: '^postgres(ql)?://',
      description: 'PostgreSQL as gpuaas_inbox: a development inbox that captures letters, without a mail server.',
    }),
  ),
  smtpUrl: Type.Optional(
    Secret({
      pattern: '^smtps?://[^/]+$',
      description: 'The mail server, e.g. smtp://user:password@mail:587 (with STARTTLS) or smtps://mail:465.',
    }),
  ),
  smtpPlain: Type.Boolean({
    default: false,
    description: 'Hand mail over without encryption: for a mail server on the same machine.',
  }),
  mailFrom: Type.String({
    default: 'GPUaaS <gpuaas@localhost.localdomain>',
    pattern: '@[A-Za-z0-9.-]+>?$',
    description: 'The sender of letters.',
  }),
  temporalNamespace: Type.String({ default: 'default', description: 'The namespace in Temporal.' }),
  ...certificatesConfig.properties,
  ...objectsConfig.properties,
  ...storageConfig.properties,
  payments: Type.Enum(['disabled', 'simulated', 'stripe'], {
    default: 'disabled',
    description: 'Who takes payments: disabled, stripe, or simulated (no money moves; npm start uses it).',
  }),
  stripeSecretKey: Type.Optional(Secret({ description: 'The secret or restricted key of the Stripe account.' })),
  stripeWebhookSecret: Type.Optional(
    Secret({
      description: 'What Stripe signs its webhooks to /api/v1/payments/webhook with (whsec_…); the api needs it.',
    }),
  ),
  stripeUrl: Type.Optional(
    Type.String({ pattern: '^https?://', description: "Where Stripe's API is, unless it is its own." }),
  ),
  simulatedPaymentsUrl: Type.Optional(
    Secret({
      pattern: '^postgres(ql)?://',
      description: 'PostgreSQL as gpuaas_payments: where the simulated provider keeps its payments.',
    }),
  ),
  simulatedCheckoutUrl: Type.Optional(
    Type.String({
      pattern: '^http://',
      description: 'Where the page of the simulated provider is; npm start sets it.',
    }),
  ),
  simulatedWebhookSecret: Type.Optional(
    Secret({ description: 'What the simulated provider signs its webhooks with; npm start sets it.' }),
  ),
  maas: Type.Enum(['maas', 'simulated'], {
    default: 'maas',
    description: 'How MAAS sites are reached: maas (https), or simulated, beside npm start (http on this machine too).',
  }),
  registry: Type.Enum(['distribution', 'local'], {
    default: 'distribution',
    description:
      'How registries of images are asked: distribution (TLS), or local, beside npm start (this machine without TLS too).',
  }),
  registryLogins: Type.Optional(
    Secret({
      description:
        'Logins at registries that are not public, as `podman login --authfile` writes them: verification reads with them.',
    }),
  ),
  webhooks: Type.Enum(['guarded', 'local'], {
    default: 'guarded',
    description:
      'Where webhooks may go: guarded (public https addresses), or local, beside npm start (this machine too).',
  }),
  webhookNetworks: Type.Optional(
    Type.String({
      description:
        'Networks that are not public and that webhooks may reach all the same, with commas between (10.20.0.0/16).',
    }),
  ),
  startWithinSeconds: Type.Integer({
    default: 120,
    minimum: 1,
    maximum: 3_600,
    description: 'How long a start waits for servers that cannot be reached, before the process ends and names them.',
  }),
  instance: Type.Optional(Type.String({ description: 'A stable name of this instance; the host name when left out.' })),
});

/** Opens what was asked for and nothing else. The scope closes it, after everything that uses it. */
export const openPorts =
  (env: Environment) =>
  async <Need extends keyof Ports>(
    needs: readonly Need[],
    common: Common<unknown>,
    name: string,
  ): Promise<Pick<Ports, Need>> => {
    // A process that asks for no port needs no setting of theirs.
    if (needs.length === 0) return {} as Pick<Ports, Need>;
    const config = readConfig(name, portsConfig, env);
    const { clock, ids, log, metrics, scope } = common;
    const ports: Partial<{ -readonly [P in keyof Ports]: Ports[P] }> = {};
    for (const need of needs as readonly (keyof Ports)[]) {
      let check = async (): Promise<void> => {
        throw new Error('not open yet');
      };
      scope.ready(need, () => check());
      const port = await openPatiently<Ports[typeof need] & Adapted>(
        outsideOf(need, config),
        () => open[need]({ config, clock, ids, log, name }),
        {
          withinMs: config.startWithinSeconds * secondMs,
          log,
          stopping: scope.stopping,
          waiting: (why) => {
            check = async () => {
              throw new Error(why);
            };
          },
        },
      );
      Object.assign(ports, { [need]: scope.keep(need, port) });
      check = () => port.check();
      reportAdapter(metrics, need, port);
    }
    return ports as Pick<Ports, Need>;
  };

type Opening = Pick<Common<unknown>, 'clock' | 'ids' | 'log'> & {
  readonly config: Static<typeof portsConfig>;
  readonly name: string;
};
const needed = ({ name }: Opening, url: string | undefined, sentence: string): string => {
  if (!url) throw new ConfigFault(name, [sentence]);
  return url;
};
/** The scheme of an address says which adapter stands behind it. */
const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url);

/** Which server stands behind a port, in words for people. Addresses are shown without credentials. */
function outsideOf(need: keyof Ports, config: Static<typeof portsConfig>): Outside {
  const named = (server: string, variable: string, url: string | undefined): Outside | undefined =>
    url === undefined ? undefined : { server, variable, at: hostOf(url) };
  const either = (server: string, variable: string, url: string | undefined) =>
    named(url && isPostgres(url) ? 'PostgreSQL' : server, variable, url);
  const servers: { readonly [P in keyof Ports]: Outside | undefined } = {
    database: named('PostgreSQL', 'GPUAAS_DATABASE_URL', config.databaseUrl),
    bus: either('NATS', 'GPUAAS_BUS_URL', config.busUrl),
    cache: either('Redis', 'GPUAAS_CACHE_URL', config.cacheUrl),
    sagas:
      named('Temporal', 'GPUAAS_TEMPORAL_ADDRESS', config.temporalAddress) ??
      named('PostgreSQL', 'GPUAAS_SAGAS_URL', config.sagasUrl),
    mail:
      named('The mail server', 'GPUAAS_SMTP_URL', config.smtpUrl) ??
      named('PostgreSQL', 'GPUAAS_INBOX_URL', config.inboxUrl),
    certificates:
      named('step-ca', 'GPUAAS_STEP_CA_URL', config.stepCaUrl) ??
      named('PostgreSQL', 'GPUAAS_AUTHORITY_URL', config.authorityUrl),
    objects: named('The object store', 'GPUAAS_S3_ENDPOINT', config.s3Endpoint),
    storage: named('The store of tenants’ files', 'GPUAAS_STORAGE_S3_ENDPOINT', config.storageS3Endpoint),
    webhooks: undefined,
    maas: undefined,
    registry: undefined,
    payments:
      config.payments === 'stripe'
        ? {
            server: 'Stripe',
            variable: 'GPUAAS_STRIPE_SECRET_KEY',
            at: hostOf(config.stripeUrl ?? 'https://api.stripe.com'),
          }
        : named('PostgreSQL', 'GPUAAS_SIMULATED_PAYMENTS_URL', config.simulatedPaymentsUrl),
  };
  return servers[need] ?? { server: need, variable: 'see the configuration', at: 'no address' };
}

function hostOf(url: string): string {
  if (!url.includes('://')) return url;
  const { host, pathname } = new URL(url);
  return decodeURIComponent(host) || pathname;
}

const submissionPort = 587;
const implicitTlsPort = 465;
function smtpOf(address: string, config: { readonly smtpPlain: boolean; readonly mailFrom: string }) {
  const { protocol, hostname: host, port, username, password } = new URL(address);
  const isTls = protocol === 'smtps:';
  return {
    host,
    port: port === '' ? (isTls ? implicitTlsPort : submissionPort) : Number(port),
    security: isTls ? ('tls' as const) : config.smtpPlain ? ('none' as const) : ('starttls' as const),
    from: config.mailFrom,
    ...(username && { auth: { user: decodeURIComponent(username), password: decodeURIComponent(password) } }),
  };
}

const open: { readonly [P in keyof Ports]: (opening: Opening) => Promise<Ports[P] & Adapted> } = {
  async database({ config, clock, ids, log, name }) {
    const adapter = await requireSchema(config.databaseUrl);
    const given = { url: config.databaseUrl, clock, ids, log, name, poolSize: config.databasePoolSize };
    return { ...(await openPostgres(given)), adapter };
  },
  bus(opening) {
    const sentence = 'GPUAAS_BUS_URL is missing: NATS (nats://…), or PostgreSQL as gpuaas_bus (postgres://…).';
    const url = needed(opening, opening.config.busUrl, sentence);
    return openBus(isPostgres(url) ? { kind: 'postgres', url } : { kind: 'nats', url }, opening);
  },
  cache(opening) {
    const sentence = 'GPUAAS_CACHE_URL is missing: Redis (redis://…), or PostgreSQL as gpuaas_cache (postgres://…).';
    const url = needed(opening, opening.config.cacheUrl, sentence);
    return openCache(isPostgres(url) ? { kind: 'postgres', url } : { kind: 'redis', url }, opening);
  },
  mail: (opening) =>
    openMail(
      opening.config.smtpUrl
        ? { kind: 'smtp', ...smtpOf(opening.config.smtpUrl, opening.config) }
        : {
            kind: 'inbox',
            url: needed(
              opening,
              opening.config.inboxUrl,
              'GPUAAS_SMTP_URL is missing: a mail server (smtp://…), or GPUAAS_INBOX_URL, PostgreSQL as gpuaas_inbox.',
            ),
          },
      opening,
    ),
  sagas: (opening) =>
    openSagas(
      opening.config.temporalAddress
        ? { kind: 'temporal', address: opening.config.temporalAddress, namespace: opening.config.temporalNamespace }
        : {
            kind: 'postgres',
            url: needed(
              opening,
              opening.config.sagasUrl,
              'GPUAAS_TEMPORAL_ADDRESS is missing: Temporal, or GPUAAS_SAGAS_URL, PostgreSQL as gpuaas_sagas.',
            ),
            worker: `${opening.name}@${opening.config.instance ?? hostname()}`,
          },
      opening,
    ),
  objects: (opening) => openObjectsOf(opening.config, opening),
  payments(opening) {
    const { config, name } = opening;
    switch (config.payments) {
      case 'disabled':
        return openPayments({ kind: 'disabled' }, opening);
      case 'stripe': {
        const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripeUrl: url } = config;
        if (!secretKey) throw new ConfigFault(name, ['GPUAAS_PAYMENTS=stripe needs GPUAAS_STRIPE_SECRET_KEY.']);
        const given = { secretKey, ...(webhookSecret && { webhookSecret }), ...(url && { url }) };
        return openPayments({ kind: 'stripe', ...given }, opening);
      }
      case 'simulated': {
        const { simulatedCheckoutUrl: checkoutUrl, simulatedWebhookSecret: webhookSecret } = config;
        if (!checkoutUrl) {
          throw new ConfigFault(name, [
            'GPUAAS_PAYMENTS=simulated needs GPUAAS_SIMULATED_CHECKOUT_URL: npm start sets it.',
          ]);
        }
        const sentence =
          'GPUAAS_PAYMENTS=simulated needs GPUAAS_SIMULATED_PAYMENTS_URL, PostgreSQL as gpuaas_payments.';
        const url = needed(opening, config.simulatedPaymentsUrl, sentence);
        return openPayments({ kind: 'simulated', url, checkoutUrl, ...(webhookSecret && { webhookSecret }) }, opening);
      }
    }
  },
  storage: (opening) => openStorage(storageOf(opening.name, opening.config)),
  maas: (opening) => openMaas({ kind: opening.config.maas }, opening),
  registry({ config, name }) {
    return openRegistry({ kind: config.registry, logins: config.registryLogins }).catch((error: unknown) => {
      throw new ConfigFault(name, [`GPUAAS_REGISTRY_LOGINS is no file of logins: ${(error as Error).message}.`]);
    });
  },
  webhooks({ config, name }) {
    if (config.webhooks === 'local') return openWebhooks({ kind: 'local' });
    return openWebhooks({ kind: 'guarded', allowedNetworks: config.webhookNetworks }).catch((error: unknown) => {
      throw new ConfigFault(name, [`GPUAAS_WEBHOOK_NETWORKS: ${(error as Error).message}.`]);
    });
  },
  certificates: (opening) => openCertificatesOf(opening.config, opening),
};

/** What each port is called where PostgreSQL carries it: its setting, and the role that has its schema and nothing else. */
export const stores = {
  bus: { setting: 'GPUAAS_BUS_URL', role: 'gpuaas_bus' },
  cache: { setting: 'GPUAAS_CACHE_URL', role: 'gpuaas_cache' },
  sagas: { setting: 'GPUAAS_SAGAS_URL', role: 'gpuaas_sagas' },
  inbox: { setting: 'GPUAAS_INBOX_URL', role: 'gpuaas_inbox' },
  payments: { setting: 'GPUAAS_SIMULATED_PAYMENTS_URL', role: 'gpuaas_payments' },
} as const;
export type Store = keyof typeof stores;
/** The settings of some stores; `urlFor` says how each role reaches PostgreSQL. */
export const storeSettings = (
  wanted: readonly Store[],
  urlFor: (role: (typeof stores)[Store]['role']) => string,
): Record<string, string> =>
  Object.fromEntries(wanted.map((store) => [stores[store].setting, urlFor(stores[store].role)]));
