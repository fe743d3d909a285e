import type { TObject } from 'typebox';
import { backupConfig } from '../../server/src/bin/backup/run.ts';
import { bootstrapConfig } from '../../server/src/bin/bootstrap/run.ts';
import { migrateConfig } from '../../server/src/bin/migrate/run.ts';
import { processes } from '../../server/src/bin/processes.ts';
import { resetFactorsConfig } from '../../server/src/bin/reset-factors/run.ts';
import { secretsConfig } from '../../server/src/bin/secrets/run.ts';
import { variable } from '../../server/src/kernel/process/config.ts';
import { everyProcess } from '../../server/src/kernel/process/process.ts';
import { certificatesConfig } from '../../server/src/ports/certificates/settings.ts';
import { type ConnectionSettings, mostConnections } from '../../server/src/ports/connections.ts';
import { portsConfig } from '../../server/src/ports/open.ts';
import { vaultConfig } from '../../server/src/ports/secrets/open.ts';
import { doorsOf, firstHealthPort } from './deployment/doors.ts';
import { table } from './table.ts';

interface Field {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly secret?: boolean;
}

function limits({ minimum, maximum, pattern, enum: choices }: Field): string {
  if (choices) return choices.join(', ');
  if (minimum !== undefined || maximum !== undefined) return `${minimum ?? ''} to ${maximum ?? ''}`;
  return pattern === undefined ? '' : `\`${pattern}\``;
}

/** One row a setting. A secret has no default and is marked, so that nobody puts it where others read. */
export function settingRows(schema: TObject): string[][] {
  return Object.entries(schema.properties as Record<string, Field>).map(([name, field]) => [
    `\`${variable(name)}\``,
    field.description ?? '',
    field.default !== undefined ? `\`${String(field.default)}\`` : schema.required?.includes(name) ? 'needed' : '',
    limits(field),
    field.secret ? 'secret' : '',
  ]);
}

function settings(schema: TObject): string {
  const rows = settingRows(schema);
  return rows.length === 0 ? 'Nothing of its own.' : table(['variable', 'what', 'default', 'limits', ''], rows);
}

/** What PostgreSQL has to have room for, with the default size of pools. */
function connections(): string {
  const poolSize = Number((portsConfig.properties.databasePoolSize as Field).default);
  const here: ConnectionSettings = { poolSize, elsewhere: new Set() };
  const elsewhere = new Set(['bus', 'cache', 'sagas', 'certificates', 'mail', 'objects', 'payments'] as const);
  const rows = processes.map(({ spec }) => {
    const least = mostConnections(spec, { poolSize, elsewhere: new Set([...elsewhere, 'identity-provider']) });
    return [spec.name, mostConnections(spec, here), mostConnections(spec, { poolSize, elsewhere }), least].map(String);
  });
  return table(['process', 'all ports in PostgreSQL', 'servers of their own', 'and another OpenID provider'], rows);
}

/** Where processes listen, as the guides, the chart, the Compose file and the edge have it. */
function listening(): string {
  const rows = processes.flatMap(({ spec }) =>
    doorsOf(spec.name).map(({ port, number, from }) => [
      ...[spec.name, String(number), `\`${variable(port)}\``, from.join(', ')],
    ]),
  );
  return table(['process', 'port', 'setting', 'who comes'], rows);
}

/** Settings that have to be given, because their default belongs to another process here. */
const otherDefaults = (): string[] =>
  processes.flatMap(({ spec }) =>
    doorsOf(spec.name)
      .filter(({ port, number }) => {
        const usual = ((spec.config as TObject).properties[port] as Field).default;
        return usual !== undefined && usual !== number;
      })
      .map(({ port }) => `\`${variable(port)}\``),
  );

/** The settings of an installation, from the schemas that the processes check at their start. */
export function emitConfiguration(): string {
  const own = processes.map(
    ({ spec, login }) =>
      `## ${spec.name}\n\n${spec.summary} It asks for: ${spec.needs.join(', ') || 'no port'}.${login ? ` Its login is \`${login}\`.` : ''}\n\n${settings(spec.config)}\n`,
  );
  return `---
status: shipped
capabilities: GOV-02
---

# Configuration

Emitted by \`npm run gen\` from the schemas that the processes check when they start. Everything comes from the
environment, is read once and checked whole: a process that lacks three things says all three, and repeats no secret.
An empty variable counts as one that is not there. What changes without a restart is not here but a
[policy](policies.md), set through the API.

\`npm start\` needs none of this: it fills everything in for one machine. A variable that is set there still counts where it
does not name an address that \`npm start\` makes itself.

## Every process

${settings(everyProcess)}

## Ports

Which adapter stands behind a port. A process reads all of these and opens only what it asks for.

${settings(portsConfig)}

## Connections to PostgreSQL

The most that one process holds, with \`GPUAAS_DATABASE_POOL_SIZE\` at its default; a pool that is larger by n adds n. Add up
all processes that run, add one for each that may be starting, and keep \`max_connections\` of the server above the sum, with
room for backups and for people. A process that finds the server full waits and asks again, at most once a second for each
listener.

${connections()}

## Where processes listen

The numbers that our guides, the chart, the Compose file and the edge use. No two are the same, so every process fits on one machine. ${otherDefaults().join(' and ')}
have other defaults, so they have to be given. Health ports are ${firstHealthPort} to ${firstHealthPort + processes.length - 1} on one machine, and ${firstHealthPort} in Kubernetes.

${listening()}

${own.join('\n')}
## Where secrets come from

Every variable may be given as it is, as a file (\`GPUAAS_SECRETS_KEY_FILE\` for \`GPUAAS_SECRETS_KEY\`, readable by its owner
alone), or as a field of an entry of a secret store. One that comes from two places is refused. The store is found by:

${settings(vaultConfig)}

## migrate

Sets a database up or brings it up to date, then ends. Run before the processes of a new release.

${settings(migrateConfig)}

## backup

Keeps the database and the objects in a folder, then ends. \`restore\` takes these and those of \`migrate\`. See
[back up and restore](../guides/backup-and-restore.md).

${settings(backupConfig)}

## bootstrap

Makes the first operator of an installation, then ends. See [signing in](../guides/signing-in.md).

${settings(bootstrapConfig)}

## process-identity

Makes the first identity of a process that calls the api, with the settings of the api, then ends. See
[the identity of the gateways](../guides/run-on-your-own-servers.md#the-identity-of-the-gateways).

${settings(certificatesConfig)}

## reset-factors

Forgets the second factors of an account whose person lost them, then ends. See
[protect your account](../guides/second-factor.md).

${settings(resetFactorsConfig)}

## secrets

Makes sealing keys, cuts a keyring down to what one process needs, and seals anew what is stored, then ends. See
[rotate the secrets key](../guides/rotate-the-secrets-key.md).

${settings(secretsConfig)}
`;
}
