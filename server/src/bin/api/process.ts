import { Type } from 'typebox';
import { mountBrand, readBrand } from '../../edge/console/branding.ts';
import { makeDress } from '../../edge/console/dress.ts';
import { readConsoleFiles } from '../../edge/console/files.ts';
import { closedPage } from '../../edge/console/pages.ts';
import { mountDocs } from '../../edge/docs/mount.ts';
import { free } from '../../edge/gate/pass.ts';
import { type IsTrustedProxy, readProxies } from '../../edge/gate/proxies.ts';
import { mountFrontPage } from '../../edge/http/front-page.ts';
import { makeLayOut, makeSend } from '../../edge/oidc/layout.ts';
import { mountOidc } from '../../edge/oidc/mount.ts';
import { ConfigFault, Secret } from '../../kernel/process/config.ts';
import { openKeyring } from '../../kernel/secrets/keyring.ts';
import { lostKeys, lostKeysConfig } from '../../kernel/secrets/sealed-values.ts';
import { makeShared, readiness } from '../../kernel/telemetry/health.ts';
import { makeBusDepths } from '../../ports/bus/depths.ts';
import type { BusDepths } from '../../ports/bus/port.ts';
import { defineProcess } from '../../ports/open.ts';
import type { SagaRuns } from '../../ports/sagas/port.ts';
import { makeSagaRuns } from '../../ports/sagas/runs.ts';
import { product, release } from '../release.ts';
import { assembleApi } from './assemble.ts';
import { openSignIn, signInConfig } from './sign-in.ts';
import { connectFleet } from './simulator-desk.ts';

const colour = (theme: string) =>
  Type.Optional(
    Type.String({
      pattern: '^#[0-9a-fA-F]{6}$',
      description: `The accent of the pages on ${theme} ground, #rrggbb.`,
    }),
  );
const brandConfig = Type.Object({
  brandName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 60,
      description: 'What the pages call this installation instead of GPUaaS.',
    }),
  ),
  brandLogo: Type.Optional(Type.String({ description: 'An SVG or PNG file that the pages show beside that name.' })),
  brandAccentLight: colour('light'),
  brandAccentDark: colour('dark'),
  brandSupportUrl: Type.Optional(
    Type.String({ pattern: '^(?:https?://|mailto:)', description: 'Where the pages send people who need help.' }),
  ),
});

export const api = defineProcess({
  name: 'api',
  summary: 'Every public, admin and internal route, and sign-in.',
  needs: ['database', 'cache', 'certificates', 'objects', 'payments', 'webhooks'],
  config: Type.Object({
    ...signInConfig.properties,
    host: Type.String({ default: '127.0.0.1', description: 'The address to listen on.' }),
    port: Type.Integer({ default: 8443, minimum: 0, maximum: 65_535, description: 'The port to listen on.' }),
    nodeHost: Type.String({ default: '127.0.0.1', description: 'The address that nodes call.' }),
    nodePort: Type.Integer({
      default: 8444,
      minimum: 0,
      maximum: 65_535,
      description: 'The port that nodes call, with certificates on both sides; 0 takes a free one.',
    }),
    nodeUrl: Type.Optional(
      Type.String({
        pattern: '^https://',
        description: 'Where nodes reach this installation; the first name and the port when left out.',
      }),
    ),
    nodeNames: Type.String({
      default: '127.0.0.1,localhost',
      description: 'What nodes call this installation: names and addresses for its certificate, with commas between.',
    }),
    trustedProxies: Type.Optional(
      Type.String({
        description:
          'Addresses and ranges of your own proxies, with commas between (10.0.0.0/8,192.0.2.7). X-Forwarded-For is believed from these alone; from nobody when left out.',
      }),
    ),
    region: Type.String({
      default: 'local',
      pattern: '^[a-z0-9-]{1,32}$',
      description: 'The region in resource names.',
    }),
    publicUrl: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description: 'Where callers reach this installation; host and port when left out.',
      }),
    ),
    secretsKey: Type.Optional(
      Secret({
        description:
          'The keyring that seals what is kept in the database: "k1:" and 32 bytes in base64. Without it service accounts get no tokens.',
      }),
    ),
    ...lostKeysConfig.properties,
    consoleFolder: Type.Optional(
      Type.String({
        description: 'Where the built console lies (web/dist). Without it browsers find the API and sign-in alone.',
      }),
    ),
    ...brandConfig.properties,
    docsFolder: Type.Optional(
      Type.String({ description: 'Where the built docs lie (web/dist-docs). Without it there is nothing at /docs.' }),
    ),
    simulatorAddress: Type.Optional(
      Secret({
        description:
          'Where the simulated fleet of a local start takes orders; the address carries the right to give them.',
      }),
    ),
    busUrl: Type.Optional(
      Secret({
        pattern: '^(nats|postgres(ql)?)://',
        description: 'The bus, in NATS or in PostgreSQL as gpuaas_bus: operators see how far consumers are.',
      }),
    ),
    sagasUrl: Type.Optional(
      Secret({
        pattern: '^postgres(ql)?://',
        description: 'PostgreSQL as gpuaas_sagas, where sagas run in it: operators see their runs.',
      }),
    ),
    temporalAddress: Type.Optional(
      Type.String({ description: 'Temporal, where sagas run in it: operators see their runs.' }),
    ),
    temporalNamespace: Type.String({ default: 'default', description: 'The namespace in Temporal.' }),
    requestsPerMinute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Overrides the budget of the default lane.' }),
    ),
  }),
  async start({ config, ...parts }) {
    const publicUrl = (config.publicUrl ?? `http://${config.host}:${config.port}`).replace(/\/+$/, '');
    const keyring = config.secretsKey ? openKeyring(config.secretsKey, 'GPUAAS_SECRETS_KEY') : undefined;
    const seal = keyring?.find('console');
    if (!keyring) {
      parts.log.warn(
        {},
        'GPUAAS_SECRETS_KEY is missing: service accounts get no tokens and nobody signs in to the console; both are answered 503',
      );
    }
    const brand = await readBrand(
      {
        name: config.brandName,
        logo: config.brandLogo,
        accentLight: config.brandAccentLight,
        accentDark: config.brandAccentDark,
        supportUrl: config.brandSupportUrl,
      },
      product,
    );
    const layOut = makeLayOut(brand.branding);
    // The provider is opened before the api that knows what was revoked, and asks it only once requests come.
    const assembled = Promise.withResolvers<Awaited<ReturnType<typeof assembleApi>>>();
    const signIn = await openSignIn(config, publicUrl, {
      ...parts,
      layOut,
      name: brand.branding.name,
      revocations: async (...who) => (await assembled.promise).revocations(...who),
    });
    const { provider, consoleClient: client, embedded } = signIn;
    const nodeNames = config.nodeNames.split(',').map((name) => name.trim());
    let nodePort = config.nodePort;
    const runs = runsOf(config, parts);
    if (runs) parts.scope.keep('saga-runs', runs);
    const depths = depthsOf(config, parts);
    if (depths) parts.scope.keep('bus-depths', depths);
    const whole = await assembleApi(parts, {
      ...(parts.certificates.isOpen && {
        nodeDoor: async () => ({
          url: config.nodeUrl ?? `https://${nodeNames[0]}:${nodePort}`,
          fingerprint: (await parts.certificates.authority()).fingerprint,
        }),
      }),
      region: config.region,
      isTrustedProxy: proxiesOf(config.trustedProxies),
      issuer: signIn.issuer,
      ...(provider && { issuerName: provider.name, secondFactorAcr: provider.secondFactorAcr }),
      ...(embedded && {
        accounts: embedded.accounts,
        factors: { factors: embedded.factors, findAccount: (id) => embedded.accounts.find({ id }) },
      }),
      audience: config.oidcAudience,
      keys: signIn.keys,
      ...(signIn.describe && { signIn: signIn.describe }),
      publicUrl,
      branding: brand.branding,
      ...(keyring && { keyring }),
      lostKeys: lostKeys(config.secretsKeysLost),
      sealed: [...(embedded?.sealed ?? []), ...(parts.certificates.sealed ? [parts.certificates.sealed] : [])],
      ...(runs && { runs }),
      ...(depths && { depths }),
      ...(config.simulatorAddress && { simulator: connectFleet(config.simulatorAddress) }),
      ...(seal &&
        provider &&
        client && { console: { client, provider, seal, layOut, isHere: embedded !== undefined } }),
      policies: config.requestsPerMinute ? { 'rate_limit.api_requests_per_minute': config.requestsPerMinute } : {},
    });
    assembled.resolve(whole);
    const { app, console, openNodeDoor, sendPasswordLink, passwordChanged, factorChanged } = whole;
    if (embedded) {
      const { cache, log, clock, ids } = parts;
      const heard = { sendPasswordLink, passwordChanged, factorChanged };
      await mountOidc(app, { issuer: embedded, cache, log, clock, ids, layOut, ...heard });
    }
    if (!console) app.get('/auth/login', (_, reply) => makeSend(layOut)(reply, 503, closedPage));
    let hasConsole = false;
    if (console && config.consoleFolder) {
      const files = await readConsoleFiles(config.consoleFolder, brand.branding);
      hasConsole = files !== undefined;
      if (files) console.open(files);
      else parts.log.warn({ folder: config.consoleFolder }, 'there is no built console: browsers find the API alone');
    }
    if (config.docsFolder && !(await mountDocs(app, config.docsFolder, makeDress(brand.branding))))
      parts.log.warn({ folder: config.docsFolder }, 'there are no built docs: nothing is served at /docs');
    await mountFrontPage(app, { product, version: release, hasConsole, ...(console && { home: console.home }) });
    mountBrand(app, brand);
    // Load balancers ask on the port that they send traffic to.
    app.get('/healthz', free, async () => ({ alive: true }));
    const ready = makeShared({
      clock: parts.clock,
      ask: () => readiness([{ name: 'database', check: parts.database.check }], parts.scope.stopping),
    });
    app.get('/readyz', free, async (_, reply) => {
      const state = await ready();
      // This port is public: it hears whether, not why. The health port of the process says more.
      return reply.code(state.ready ? 200 : 503).send({ ready: state.ready });
    });
    await app.listen({ host: config.host, port: config.port });
    if (!parts.certificates.isOpen) {
      parts.log.warn({}, 'there is no authority of certificates: no node can call');
      return;
    }
    const door = await openNodeDoor({
      host: config.nodeHost,
      port: config.nodePort,
      names: nodeNames,
      certificates: parts.certificates,
    });
    nodePort = door.port;
    parts.log.info({ port: nodePort }, 'nodes may call');
  },
});

function proxiesOf(list: string | undefined): IsTrustedProxy {
  try {
    return readProxies(list);
  } catch (error) {
    throw new ConfigFault('api', [`GPUAAS_TRUSTED_PROXIES: ${(error as Error).message}.`]);
  }
}

/** Where the sagas of this installation run, for those who look after them. The api itself runs none. */
function runsOf(
  config: {
    readonly temporalAddress?: string;
    readonly temporalNamespace: string;
    readonly sagasUrl?: string;
  },
  parts: Parameters<typeof makeSagaRuns>[1],
): SagaRuns | undefined {
  const { temporalAddress: address, temporalNamespace: namespace, sagasUrl: url } = config;
  if (address) return makeSagaRuns({ kind: 'temporal', address, namespace }, parts);
  return url ? makeSagaRuns({ kind: 'postgres', url, worker: 'none' }, parts) : undefined;
}

/** The bus of this installation, for those who look after it. The api itself neither publishes nor listens there. */
function depthsOf(
  config: { readonly busUrl?: string },
  parts: Parameters<typeof makeBusDepths>[1],
): BusDepths | undefined {
  const { busUrl: url } = config;
  if (!url) return undefined;
  return makeBusDepths({ kind: url.startsWith('nats:') ? 'nats' : 'postgres', url }, parts);
}
