import { sshPort } from '@gpuaas/contract/terminal';
import { type Static, Type } from 'typebox';
import { confirmEveryMs, makeConfirming } from '../../domains/history/index.ts';
import { upkeepEveryMs } from '../../domains/storage/index.ts';
import { readBrand } from '../../edge/console/branding.ts';
import { type IsTrustedProxy, readProxies } from '../../edge/gate/proxies.ts';
import { makeLayOut } from '../../edge/oidc/layout.ts';
import { mountOidc } from '../../edge/oidc/mount.ts';
import { actsOf } from '../../kernel/act.ts';
import { ConfigFault, Secret } from '../../kernel/process/config.ts';
import type { Common } from '../../kernel/process/process.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import { openKeyring } from '../../kernel/secrets/keyring.ts';
import { lostKeys, lostKeysConfig } from '../../kernel/secrets/sealed-values.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { makeBusDepths } from '../../ports/bus/depths.ts';
import type { BusDepths } from '../../ports/bus/port.ts';
import { defineProcess, type Ports } from '../../ports/open.ts';
import type { SagaRuns } from '../../ports/sagas/port.ts';
import { makeSagaRuns } from '../../ports/sagas/runs.ts';
import { product } from '../release.ts';
import { mayShareSite, objectionToAppsUrl } from './apps-site.ts';
import { assembleApi } from './assemble.ts';
import { internalConfig, openInternalDoor } from './internal.ts';
import { mountPages } from './pages.ts';
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

const apiConfig = Type.Object({
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
  terminalUrl: Type.Optional(
    Type.String({
      pattern: '^wss?://[^/]+$',
      description:
        'Where browsers and the command line reach the terminal gateways (wss://host:port). Without it nobody gets a terminal.',
    }),
  ),
  terminalNodeUrl: Type.Optional(
    Type.String({
      pattern: '^wss://[^/]+$',
      description: 'Where nodes reach the terminal gateways, with certificates on both sides (wss://host:port).',
    }),
  ),
  nodeLogsUrl: Type.Optional(
    Type.String({
      pattern: '^https://[^/]+$',
      description:
        'Where nodes push their logs, with certificates on both sides (https://host:8445). Without it they keep them.',
    }),
  ),
  appsUrl: Type.Optional(
    Type.String({
      pattern: '^https?://[A-Za-z0-9.:-]{1,255}$',
      description:
        'The address below which each route of an app has a name of its own (https://apps.example.net). Its registrable domain is another one than that of the console. Without it apps have no address.',
    }),
  ),
  registryName: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?$',
      description: 'The registry that npm start serves, as images carry it; npm start sets it.',
    }),
  ),
  registryKey: Type.Optional(
    Secret({ description: 'What that registry checks logins to push with; npm start sets it.' }),
  ),
  appTunnelUrls: Type.Optional(
    Type.String({
      description:
        'Where nodes keep a tunnel to each copy of the app-proxy, with certificates on both sides (https://10.0.0.11:8449), with commas between.',
    }),
  ),
  sshJumpUrl: Type.Optional(
    Type.String({
      pattern: '^ssh://[A-Za-z0-9.:\\[\\]-]{1,255}$',
      description:
        'Where people reach the SSH jump host of the terminal gateways (ssh://host:port). Without it nobody is given one. It needs GPUAAS_SECRETS_KEY.',
    }),
  ),
  ...internalConfig.properties,
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
});

export const api = defineProcess({
  name: 'api',
  summary: 'Every public, admin and internal route, and sign-in.',
  needs: ['database', 'cache', 'certificates', 'maas', 'objects', 'payments', 'storage', 'webhooks'],
  config: apiConfig,
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
    const brand = await readBrand(brandOf(config), product);
    const layOut = makeLayOut(brand.branding);
    // The provider is opened before the api that knows what was revoked, and asks it only once requests come.
    const assembled = Promise.withResolvers<Whole>();
    const signIn = await openSignIn(config, publicUrl, {
      ...parts,
      layOut,
      name: brand.branding.name,
      revocations: async (...who) => (await assembled.promise).revocations(...who),
    });
    const { provider, consoleClient: client, embedded } = signIn;
    const nodeNames = namesIn(config.nodeNames);
    let nodePort = config.nodePort;
    const runs = runsOf(config, parts);
    if (runs) parts.scope.keep('saga-runs', runs);
    const depths = depthsOf(config, parts);
    if (depths) parts.scope.keep('bus-depths', depths);
    const { clock, ids, log, objects } = parts;
    const confirming = { db: parts.database.database, begin: actsOf('history', ids), objects, ids, log };
    parts.scope.keep(
      'history-confirming',
      startReconciler(makeConfirming(confirming), { clock, log, everyMs: confirmEveryMs }),
    );
    const whole = await assembleApi(parts, {
      ...(parts.certificates.isOpen && {
        nodeDoor: async () => ({
          url: config.nodeUrl ?? `https://${nodeNames[0]}:${nodePort}`,
          fingerprint: (await parts.certificates.authority()).fingerprint,
        }),
      }),
      region: config.region,
      terminalGateway: gatewayOf(config),
      jumpHost: jumpHostOf(config),
      appsUrl: checkAppsUrl(config.appsUrl, publicUrl, log),
      ownRegistry:
        config.registryName && config.registryKey ? { name: config.registryName, key: config.registryKey } : undefined,
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
    const { app, sendPasswordLink, passwordChanged, factorChanged } = whole;
    parts.scope.keep(
      'recording-retention',
      startReconciler(whole.recordingRetention, { clock, log, everyMs: retentionEveryMs }),
    );
    parts.scope.keep('storage-upkeep', startReconciler(whole.storageUpkeep, { clock, log, everyMs: upkeepEveryMs }));
    if (embedded) {
      const { cache, log, clock, ids } = parts;
      const heard = { sendPasswordLink, passwordChanged, factorChanged };
      await mountOidc(app, { issuer: embedded, cache, log, clock, ids, layOut, ...heard });
    }
    await mountPages(parts, whole, { ...config, brand, layOut });
    await app.listen({ host: config.host, port: config.port });
    nodePort = (await openDoors(config, parts, whole)) ?? nodePort;
  },
});

/** Retention counts in days. */
const retentionEveryMs = 600_000;
const namesIn = (list: string): readonly string[] => list.split(',').map((name) => name.trim());

/** The doors with certificates on both sides, of nodes and of our own processes. Answers the port of nodes. */
async function openDoors(
  config: Static<typeof apiConfig>,
  parts: Omit<Common<unknown>, 'config'> & Pick<Ports, 'certificates'>,
  {
    openNodeDoor,
    terminalInternal,
    storeLogs,
    appIngress,
  }: Pick<Whole, 'openNodeDoor' | 'terminalInternal' | 'storeLogs' | 'appIngress'>,
): Promise<number | undefined> {
  const { certificates, log } = parts;
  if (!certificates.isOpen) {
    log.warn({}, 'there is no authority of certificates: no node and no process of ours can call');
    return undefined;
  }
  const door = await openNodeDoor({
    ...{ host: config.nodeHost, port: config.nodePort, names: namesIn(config.nodeNames), certificates },
    logsUrl: config.nodeLogsUrl,
    appTunnelUrls: config.appTunnelUrls === undefined ? undefined : namesIn(config.appTunnelUrls),
  });
  log.info({ port: door.port }, 'nodes may call');
  const { internalPort: port, internalHost: host } = config;
  if (port !== undefined) {
    const names = namesIn(config.internalNames);
    const internal = await openInternalDoor(parts, {
      ...{ host, port, names, certificates, terminal: terminalInternal, storeLogs, appIngress },
    });
    log.info({ port: internal.port }, 'our own processes may call');
  }
  return door.port;
}

type Whole = Awaited<ReturnType<typeof assembleApi>>;

/** Terminals need both addresses: people arrive at one, nodes at the other. */
function gatewayOf({ terminalUrl: url, terminalNodeUrl: nodeUrl }: { terminalUrl?: string; terminalNodeUrl?: string }) {
  if (url === undefined && nodeUrl === undefined) return undefined;
  if (url === undefined || nodeUrl === undefined) {
    throw new ConfigFault('api', ['GPUAAS_TERMINAL_URL and GPUAAS_TERMINAL_NODE_URL are needed together.']);
  }
  return { url, nodeUrl };
}

/** The jump host is a part of the gateways, and its key is kept sealed. */
function jumpHostOf({ sshJumpUrl, terminalUrl, secretsKey }: Static<typeof apiConfig>) {
  if (sshJumpUrl === undefined) return undefined;
  if (terminalUrl === undefined || secretsKey === undefined) {
    throw new ConfigFault('api', ['GPUAAS_SSH_JUMP_URL needs GPUAAS_TERMINAL_URL and GPUAAS_SECRETS_KEY.']);
  }
  const { hostname, port } = new URL(sshJumpUrl);
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || sshPort) };
}

/** Apps whose pages could reach into the console are not opened. */
function checkAppsUrl(appsUrl: string | undefined, publicUrl: string, log: Log): string | undefined {
  if (appsUrl === undefined) return undefined;
  const objection = objectionToAppsUrl(appsUrl, publicUrl);
  if (objection !== undefined) throw new ConfigFault('api', [`GPUAAS_APPS_URL: ${objection}.`]);
  if (mayShareSite(appsUrl, publicUrl)) {
    log.warn({}, 'GPUAAS_APPS_URL looks like the domain of the console; pages of apps could set its cookies');
  }
  return appsUrl;
}

const brandOf = (config: Static<typeof brandConfig>) => ({
  ...{ name: config.brandName, logo: config.brandLogo, supportUrl: config.brandSupportUrl },
  ...{ accentLight: config.brandAccentLight, accentDark: config.brandAccentDark },
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
