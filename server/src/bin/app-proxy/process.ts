import { type Static, Type } from 'typebox';
import { readAppsUrl } from '../../edge/apps/host-name.ts';
import { type AppProxyLimits, openAppProxy, usualAppProxyLimits } from '../../edge/apps/proxy.ts';
import { readProxies } from '../../edge/gate/proxies.ts';
import { type InternalClient, makeInternalClient } from '../../edge/internal/client.ts';
import { openProcessIdentity } from '../../edge/internal/process-identity.ts';
import { startRenewal } from '../../edge/internal/renewal.ts';
import { ConfigFault } from '../../kernel/process/config.ts';
import { makeRequest } from '../../ports/certificates/request.ts';
import { defineProcess } from '../../ports/open.ts';

const name = 'app-proxy';
const anyPort = { minimum: 0, maximum: 65_535 };

export const appProxyConfig = Type.Object({
  appsUrl: Type.String({
    pattern: '^https?://[A-Za-z0-9.:-]{1,255}$',
    description:
      'The address below which each route of an app has a name of its own (https://apps.example.net). Its registrable domain is another one than that of the console.',
  }),
  appsHost: Type.String({ default: '127.0.0.1', description: 'The address that callers of apps come to.' }),
  appsPort: Type.Integer({
    ...{ default: 8448, ...anyPort },
    description: 'The port that callers of apps come to. A proxy in front ends TLS.',
  }),
  appTunnelHost: Type.String({ default: '127.0.0.1', description: 'The address that nodes keep their tunnels to.' }),
  appTunnelPort: Type.Integer({
    ...{ default: 8449, ...anyPort },
    description: 'The port that nodes keep their tunnels to, with certificates on both sides.',
  }),
  internalUrl: Type.String({
    pattern: '^https://[^/]+$',
    description: 'The internal listener of the api, e.g. https://api.internal:8447.',
  }),
  identityFolder: Type.String({
    minLength: 1,
    description: 'The folder with the identity of this process, made by server/src/bin/process-identity.',
  }),
  trustedProxies: Type.Optional(
    Type.String({
      description:
        'Addresses and ranges of your own proxies, with commas between. X-Forwarded-For is believed from these alone.',
    }),
  ),
  appConnections: Type.Integer({
    ...{ default: usualAppProxyLimits.connections, minimum: 10, maximum: 1_000_000 },
    description: 'Connections of callers that this copy holds at most.',
  }),
  appRequestsPerRoute: Type.Integer({
    ...{ default: usualAppProxyLimits.perRoute, minimum: 1, maximum: 100_000 },
    description: 'Requests and WebSockets of one route at the same time.',
  }),
});
type Config = Static<typeof appProxyConfig>;

export const appProxy = defineProcess({
  name,
  summary:
    'Carries requests to apps through the tunnels of nodes. It keeps nothing: the api decides about each request.',
  needs: [],
  config: appProxyConfig,
  async start({ config, ...parts }) {
    const { clock, log, metrics, scope } = parts;
    const identity = await openProcessIdentity(config.identityFolder).catch((error: unknown) => {
      throw new ConfigFault(name, [`GPUAAS_IDENTITY_FOLDER: ${(error as Error).message}`]);
    });
    const openClient = () => closable(makeInternalClient({ url: config.internalUrl, identity }));
    const client = scope.keep('internal-client', openClient());
    const callers = scope.keep('caller-client', openClient());
    const proxy = scope.keep('proxy', await openAppProxy(settingsOf(config), { ...parts, identity, client, callers }));
    const makeKey = () => makeRequest(undefined);
    scope.keep('process-identity', startRenewal({ identity, api: client, makeKey, clock, log, metrics }));
    log.info({ port: proxy.port, tunnel_port: proxy.nodePort }, 'apps may be called');
  },
});

const closable = (client: InternalClient) => ({ ...client, close: async () => client.close() });

function settingsOf(config: Config) {
  return {
    ...{ host: config.appsHost, port: config.appsPort },
    ...{ nodeHost: config.appTunnelHost, nodePort: config.appTunnelPort },
    address: readOr('GPUAAS_APPS_URL', () => readAppsUrl(config.appsUrl)),
    isTrustedProxy: readOr('GPUAAS_TRUSTED_PROXIES', () => readProxies(config.trustedProxies)),
    limits: limitsOf(config),
  };
}

function readOr<T>(variable: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ConfigFault(name, [`${variable}: ${(error as Error).message}.`]);
  }
}

/** The parts of a copy that one organization, and all who were not let in yet, may fill. */
const shares = { ofOrganization: 4, ofStrangers: 2 } as const;
function limitsOf({ appConnections: connections, appRequestsPerRoute: perRoute }: Config): AppProxyLimits {
  const { strangeConnections } = usualAppProxyLimits;
  const inTotal = Math.ceil(connections / shares.ofStrangers);
  return {
    ...usualAppProxyLimits,
    ...{ connections, perRoute, perOrganization: Math.ceil(connections / shares.ofOrganization) },
    strangeConnections: { perAddress: Math.min(strangeConnections.perAddress, inTotal), inTotal },
  };
}
