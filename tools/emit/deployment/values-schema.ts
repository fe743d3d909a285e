import { processes } from '../../../server/src/bin/processes.ts';
import { variable } from '../../../server/src/kernel/process/config.ts';
import { type JsonObject, stableJson } from '../json.ts';
import { doorsOf, healthDoor } from './doors.ts';
import { variablesOf } from './processes.ts';

const text = (description: string, rest: JsonObject = {}): JsonObject => ({ type: 'string', description, ...rest });
const flag = (description: string): JsonObject => ({ type: 'boolean', description });
const count = (description: string, minimum: number, maximum: number): JsonObject => ({
  ...{ type: 'integer', description, minimum, maximum },
});
const list = (description: string, items: JsonObject): JsonObject => ({ type: 'array', description, items });
const closed = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  ...{ type: 'object', additionalProperties: false, properties },
  ...(required.length > 0 && { required: [...required] }),
});

/** What the chart sets itself: a value of ours would contradict its ports, probes or volumes. */
const ofChart = new Set([
  ...processes.flatMap(({ spec }) => doorsOf(spec.name).flatMap(({ port, host }) => [variable(port), variable(host)])),
  ...[variable(healthDoor.port), variable(healthDoor.host)],
  ...['GPUAAS_DATABASE_POOL_SIZE', 'GPUAAS_INSTANCE', 'GPUAAS_INTERNAL_URL', 'GPUAAS_INTERNAL_NAMES'],
  ...['GPUAAS_IDENTITY_FOLDER', 'GPUAAS_TERMINAL_PEER_URL', 'GPUAAS_APP_TUNNEL_URLS', 'GPUAAS_FAILPOINTS'],
  ...['GPUAAS_CONSOLE_FOLDER', 'GPUAAS_DOCS_FOLDER'],
]);

/** Settings by name. A secret is none of them: it comes from a Secret of the cluster. */
function settingsOf(names: readonly string[]): JsonObject {
  const properties = Object.fromEntries(
    [...new Set(names)]
      .filter((name) => !ofChart.has(name))
      .sort()
      .map((name) => [name, { type: ['string', 'integer', 'boolean'] }]),
  );
  return {
    ...closed(properties),
    description: 'Settings that are no secrets; docs/reference/configuration.md has them.',
  };
}

const quantity = { type: 'string', pattern: '^[0-9]+(?:m|Mi|Gi)?$' };
const resources = closed(
  {
    requests: closed({ cpu: quantity, memory: quantity }, ['cpu', 'memory']),
    limits: closed({ memory: quantity }, ['memory']),
  },
  ['requests', 'limits'],
);

const ofProcess = (name: string): JsonObject =>
  closed(
    {
      replicas: count('How many copies run.', 0, 100),
      secret: text('The Secret with its secret settings; <release>-<process> when left empty.'),
      settings: settingsOf(variablesOf(name).plain),
      resources,
    },
    ['replicas', 'resources'],
  );

const peers = (description: string): JsonObject => list(description, { type: 'object' });
const network = closed({
  enabled: flag('Whether the chart closes everything that is not listed here.'),
  edge: peers('Peers (NetworkPolicyPeer) that may come to the doors for people.'),
  monitoring: peers('Peers that may read metrics.'),
  hosts: list('Networks of hosts, which come to the doors for nodes.', text('A range such as 10.20.0.0/16.')),
  servers: list(
    'PostgreSQL, NATS, Redis and the others: where processes may go.',
    closed({ cidr: text('A range.'), port: count('A port.', 1, 65_535) }, ['cidr', 'port']),
  ),
  internet: list(
    'Ports outside private networks that processes with webhooks, registries, payments, MAAS or mail may go to.',
    count('A port.', 1, 65_535),
  ),
});

const values = (): JsonObject =>
  closed(
    {
      image: closed(
        {
          repository: text('Where the image of npm run package was pushed to.'),
          digest: text('What npm run package printed.', { pattern: '^(?:sha256:[0-9a-f]{64})?$' }),
          pullPolicy: { enum: ['IfNotPresent', 'Always', 'Never'] },
          pullSecrets: list('Names of Secrets.', text('A name.')),
        },
        ['repository', 'digest'],
      ),
      settings: settingsOf(processes.flatMap(({ spec }) => variablesOf(spec.name).plain)),
      processes: closed(
        Object.fromEntries(processes.map(({ spec }) => [spec.name, ofProcess(spec.name)])),
        processes.map(({ spec }) => spec.name),
      ),
      database: closed(
        {
          maxConnections: count('max_connections of the PostgreSQL server.', 20, 100_000),
          reserved: count('Connections that are left for backups and people.', 3, 10_000),
          poolSize: count('GPUAAS_DATABASE_POOL_SIZE of every process.', 2, 200),
          carries: {
            enum: ['all', 'own', 'least'],
            description:
              'all: bus, cache and sagas too. own: each has a server of its own. least: the OpenID provider too.',
          },
        },
        ['maxConnections', 'reserved', 'poolSize', 'carries'],
      ),
      files: text('A ConfigMap whose files every process finds in /etc/gpuaas.'),
      migration: closed({
        enabled: flag('Whether a Job migrates the database before an install and an upgrade.'),
        secret: text('The Secret with the settings of migrate; <release>-migrate when left empty.'),
        deadlineSeconds: count('How long it may take.', 30, 86_400),
      }),
      identity: closed({
        secret: text('The Secret with the settings of the authority; <release>-authority when left empty.'),
        names: list('What hosts call the gateways.', text('A name or an address.')),
      }),
      appTunnelUrls: list(
        'Where hosts reach each copy of app-proxy, in order.',
        text('An address.', { pattern: '^https://' }),
      ),
      sshJump: closed({ enabled: flag('Whether terminal gateways are an SSH jump host too.') }),
      services: closed({
        hosts: closed({
          type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
          annotations: { type: 'object', additionalProperties: { type: 'string' } },
        }),
      }),
      network,
    },
    ['image', 'processes', 'database'],
  );

/** What the values of the chart may be. Helm refuses others, also where a name is spelled wrongly. */
export const emitValuesSchema = (): string =>
  stableJson({ $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of the chart gpuaas', ...values() });
