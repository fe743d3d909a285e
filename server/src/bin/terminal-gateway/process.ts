import { type Static, Type } from 'typebox';
import { readProxies } from '../../edge/gate/proxies.ts';
import { type InternalClient, makeInternalClient } from '../../edge/internal/client.ts';
import { openProcessIdentity } from '../../edge/internal/process-identity.ts';
import { startRenewal } from '../../edge/internal/renewal.ts';
import { type Gateway, type GatewaySettings, openGateway, usualGatewayLimits } from '../../edge/terminal/gateway.ts';
import { ConfigFault } from '../../kernel/process/config.ts';
import type { Common } from '../../kernel/process/process.ts';
import { secondMs } from '../../kernel/units.ts';
import { makeRequest } from '../../ports/certificates/request.ts';
import { defineProcess } from '../../ports/open.ts';
import { openPatiently } from '../../ports/patience.ts';

const anyPort = { minimum: 0, maximum: 65_535 };

export const terminalGatewayConfig = Type.Object({
  terminalHost: Type.String({ default: '127.0.0.1', description: 'The address that browsers come to.' }),
  terminalPort: Type.Integer({ default: 8444, ...anyPort, description: 'The port that browsers come to.' }),
  terminalNodeHost: Type.String({ default: '127.0.0.1', description: 'The address that nodes and other copies call.' }),
  terminalNodePort: Type.Integer({
    default: 8446,
    ...anyPort,
    description: 'The port that nodes and other copies call, with certificates on both sides.',
  }),
  terminalPeerUrl: Type.Optional(
    Type.String({
      pattern: '^wss://[A-Za-z0-9.:\\[\\]-]{1,255}$',
      description:
        'Where other copies reach this one and no other (wss://10.0.0.11:8446); host and port for nodes when left out.',
    }),
  ),
  sshJumpHost: Type.String({ default: '127.0.0.1', description: 'The address that SSH clients come to.' }),
  sshJumpPort: Type.Optional(
    Type.Integer({
      ...anyPort,
      description: 'The port of the SSH jump host, e.g. 2222; 0 takes a free one. Without it this copy is none.',
    }),
  ),
  sshJumpProxyProtocol: Type.Boolean({
    default: false,
    description:
      'Whether the proxies of GPUAAS_TRUSTED_PROXIES begin SSH connections with a header of the PROXY protocol, version 2. Limits count by the address in it.',
  }),
  internalUrl: Type.String({
    pattern: '^https://[^/]+$',
    description: 'The internal listener of the api, e.g. https://api.internal:8447.',
  }),
  identityFolder: Type.String({
    minLength: 1,
    description: 'The folder with the identity of this process, made by server/src/bin/process-identity.',
  }),
  publicUrl: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Where callers reach this installation: pages of this origin may open terminals.',
    }),
  ),
  terminalOrigins: Type.Optional(
    Type.String({ description: 'Other origins whose pages may open terminals, with commas between.' }),
  ),
  trustedProxies: Type.Optional(
    Type.String({
      description:
        'Addresses and ranges of your own proxies, with commas between. X-Forwarded-For is believed from these alone.',
    }),
  ),
  terminalAttemptsPerMinute: Type.Integer({
    ...{ default: usualGatewayLimits.attemptsPerMinute, minimum: 1, maximum: 1_000_000 },
    description: 'Connections that one address may try in a minute, before the api hears of them.',
  }),
  terminalConnections: Type.Integer({
    ...{ default: usualGatewayLimits.connections, minimum: 10, maximum: 1_000_000 },
    description: 'Connections of browsers that this copy holds at most.',
  }),
  terminalNodeGraceSeconds: Type.Integer({
    ...{ default: 300, minimum: 1, maximum: 86_400 },
    description:
      'How long clients wait for a node that is away. Not less than the policy terminal.reconnect_grace_seconds.',
  }),
  terminalApiOutageSeconds: Type.Integer({
    ...{ default: 900, minimum: 1, maximum: 86_400 },
    description: 'How long open terminals go on while the api does not answer; then they end.',
  }),
  startWithinSeconds: Type.Integer({
    ...{ default: 120, minimum: 1, maximum: 3_600 },
    description: 'How long a start waits for the api.',
  }),
});
type Config = Static<typeof terminalGatewayConfig>;

export const terminalGateway = defineProcess({
  name: 'terminal-gateway',
  summary: 'Carries terminals between browsers and nodes. It keeps nothing: the api decides, and shells live on nodes.',
  needs: [],
  config: terminalGatewayConfig,
  async start({ config, ...parts }) {
    const { clock, log, metrics, scope } = parts;
    const identity = await openProcessIdentity(config.identityFolder).catch((error: unknown) => {
      throw new ConfigFault('terminal-gateway', [`GPUAAS_IDENTITY_FOLDER: ${(error as Error).message}`]);
    });
    const client = scope.keep('internal-client', closable(makeInternalClient({ url: config.internalUrl, identity })));
    const gateway = scope.keep(
      'gateway',
      await waitForApi(config, parts, () => openGateway(settingsOf(config), { ...parts, identity, client })),
    );
    const makeKey = () => makeRequest(undefined);
    scope.keep('process-identity', startRenewal({ identity, api: client, makeKey, clock, log, metrics }));
    scope.ready('api', async () => {
      if (gateway.watching.silenceMs > silentMs) throw new Error('the api does not answer the standing question');
    });
    const { copyId: copy, port, nodePort: node_port, jumpDoor } = gateway;
    log.info({ copy, port, node_port, ssh_port: jumpDoor?.port }, 'terminals may be opened');
  },
});

const silentMs = 60 * secondMs;
const closable = (client: InternalClient) => ({ ...client, close: async () => client.close() });

/** The api may start at the same time; a wrong identity is as final as a wrong password. */
const waitForApi = (
  config: Config,
  { log, scope }: Pick<Common<unknown>, 'log' | 'scope'>,
  open: () => Promise<Gateway>,
) =>
  openPatiently({ server: 'The api', variable: 'GPUAAS_INTERNAL_URL', at: config.internalUrl }, open, {
    ...{ withinMs: config.startWithinSeconds * secondMs, log, stopping: scope.stopping },
    waiting: () => undefined,
  });

function settingsOf(config: Config): GatewaySettings {
  const listed = (config.terminalOrigins ?? '').split(',').map((one) => one.trim());
  const origins = [config.publicUrl ?? '', ...listed].filter((one) => one !== '').map(originOf);
  return {
    ...{ host: config.terminalHost, port: config.terminalPort },
    ...{ nodeHost: config.terminalNodeHost, nodePort: config.terminalNodePort, peerUrl: config.terminalPeerUrl },
    origins,
    isTrustedProxy: proxiesOf(config.trustedProxies),
    ...(config.sshJumpPort !== undefined && {
      jump: {
        ...{ host: config.sshJumpHost, port: config.sshJumpPort, hasProxyHeaders: config.sshJumpProxyProtocol },
      },
    }),
    limits: {
      ...usualGatewayLimits,
      attemptsPerMinute: config.terminalAttemptsPerMinute,
      connections: config.terminalConnections,
      nodeGraceMs: config.terminalNodeGraceSeconds * secondMs,
      apiOutageMs: config.terminalApiOutageSeconds * secondMs,
    },
  };
}

function originOf(url: string): string {
  if (!URL.canParse(url)) {
    throw new ConfigFault('terminal-gateway', [
      `GPUAAS_TERMINAL_ORIGINS: ${url} is no origin such as https://gpu.example.com.`,
    ]);
  }
  return new URL(url).origin;
}

function proxiesOf(list: string | undefined) {
  try {
    return readProxies(list);
  } catch (error) {
    throw new ConfigFault('terminal-gateway', [`GPUAAS_TRUSTED_PROXIES: ${(error as Error).message}.`]);
  }
}
