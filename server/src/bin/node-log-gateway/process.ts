import { Type } from 'typebox';
import { type InternalClient, makeInternalClient } from '../../edge/internal/client.ts';
import { openProcessIdentity } from '../../edge/internal/process-identity.ts';
import { startRenewal } from '../../edge/internal/renewal.ts';
import { openLogGateway, usualLogGatewayLimits } from '../../edge/logs/gateway.ts';
import { ConfigFault, Secret } from '../../kernel/process/config.ts';
import { secondMs } from '../../kernel/units.ts';
import { makeRequest } from '../../ports/certificates/request.ts';
import { openLoki } from '../../ports/loki.ts';
import { defineProcess } from '../../ports/open.ts';

const name = 'node-log-gateway';
const kibibyte = 1_024;
/** The api has taken no push for this long: a balancer sends agents to another copy, which may reach it. */
const troubledMs = 60 * secondMs;

export const nodeLogGatewayConfig = Type.Object({
  nodeLogHost: Type.String({ default: '127.0.0.1', description: 'The address that nodes push their logs to.' }),
  nodeLogPort: Type.Integer({
    ...{ default: 8445, minimum: 0, maximum: 65_535 },
    description: 'The port that nodes push their logs to, with certificates on both sides.',
  }),
  internalUrl: Type.String({
    pattern: '^https://[^/]+$',
    description: 'The internal listener of the api, e.g. https://api.internal:8447.',
  }),
  identityFolder: Type.String({
    minLength: 1,
    description: 'The folder with the identity of this process, made by server/src/bin/process-identity.',
  }),
  nodeLogLinesPerMinute: Type.Integer({
    ...{ default: usualLogGatewayLimits.lines, minimum: 500, maximum: 10_000_000 },
    description: 'Lines that one node may push in a minute. What is beyond waits on the node, within its bound.',
  }),
  nodeLogKibPerMinute: Type.Integer({
    ...{ default: usualLogGatewayLimits.bytes / kibibyte, minimum: 512, maximum: 10_000_000 },
    description: 'KiB that one node may push in a minute.',
  }),
  lokiUrl: Type.Optional(
    Type.String({
      pattern: '^https?://[^?#]+$',
      description: 'A Loki that lines are forwarded to as well (http://loki:3100). Without it nothing is forwarded.',
    }),
  ),
  lokiToken: Type.Optional(Secret({ description: 'A bearer token for the Loki, where it wants one.' })),
  lokiTenant: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$', description: 'The tenant of a Loki that has several.' }),
  ),
});

export const nodeLogGateway = defineProcess({
  name,
  summary: 'Takes the logs of nodes, hands them to the api, and forwards them to a Loki where there is one.',
  needs: [],
  config: nodeLogGatewayConfig,
  async start({ config, ...parts }) {
    const { clock, log, metrics, scope } = parts;
    const identity = await openProcessIdentity(config.identityFolder).catch((error: unknown) => {
      throw new ConfigFault(name, [`GPUAAS_IDENTITY_FOLDER: ${(error as Error).message}`]);
    });
    const client = scope.keep('internal-client', closable(makeInternalClient({ url: config.internalUrl, identity })));
    const limits = {
      ...usualLogGatewayLimits,
      lines: config.nodeLogLinesPerMinute,
      bytes: config.nodeLogKibPerMinute * kibibyte,
    };
    const { lokiUrl: url, lokiToken: token, lokiTenant: tenant } = config;
    const loki = url === undefined ? undefined : openLoki({ url, token, tenant });
    const gateway = scope.keep(
      'gateway',
      await openLogGateway(
        { host: config.nodeLogHost, port: config.nodeLogPort, limits },
        { ...parts, identity, client, loki },
      ),
    );
    const makeKey = () => makeRequest(undefined);
    scope.keep('process-identity', startRenewal({ identity, api: client, makeKey, clock, log, metrics }));
    scope.ready('api', async () => {
      if (gateway.troubleMs > troubledMs) throw new Error('the api takes no logs');
    });
    log.info({ port: gateway.port, forwards: url !== undefined }, 'nodes may push their logs');
  },
});

const closable = (client: InternalClient) => ({ ...client, close: async () => client.close() });
