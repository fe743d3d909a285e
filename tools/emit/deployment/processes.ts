import { identifiedProcesses } from '@gpuaas/contract/internal';
import type { TObject } from 'typebox';
import { processes } from '../../../server/src/bin/processes.ts';
import { variable } from '../../../server/src/kernel/process/config.ts';
import { everyProcess } from '../../../server/src/kernel/process/process.ts';
import { type ConnectionSettings, mostConnections } from '../../../server/src/ports/connections.ts';
import { portsConfig } from '../../../server/src/ports/open.ts';
import { stableJson } from '../json.ts';
import { doorsOf, healthDoor } from './doors.ts';

interface Field {
  readonly default?: unknown;
  readonly secret?: boolean;
}

/** Servers of their own, as production has them. */
const elsewhere = ['bus', 'cache', 'sagas', 'certificates', 'mail', 'objects', 'payments'] as const;
/** Ports that lead to addresses which the installation does not choose. */
const outside = new Set(['webhooks', 'registry', 'payments', 'maas', 'mail']);

export const usualPoolSize = Number((portsConfig.properties.databasePoolSize as Field).default);

/** The most connections of one copy to PostgreSQL, by where the other ports live. */
export function connectionsOf(spec: (typeof processes)[number]['spec']) {
  const most = (...where: Parameters<ConnectionSettings['elsewhere']['has']>[0][]) =>
    mostConnections(spec, { poolSize: usualPoolSize, elsewhere: new Set(where) });
  return { all: most(), own: most(...elsewhere), least: most(...elsewhere, 'identity-provider') };
}

/** Variables of a process that are no secrets, and those that are. */
export function variablesOf(name: string): { readonly plain: readonly string[]; readonly secret: readonly string[] } {
  const found = processes.find(({ spec }) => spec.name === name)?.spec;
  if (!found) throw new Error(`there is no process ${name}`);
  const schemas: TObject[] = [everyProcess, found.config, ...(found.needs.length > 0 ? [portsConfig] : [])];
  const fields = schemas.flatMap((schema) => Object.entries(schema.properties as Record<string, Field>));
  const named = (isSecret: boolean) => [
    ...new Set(fields.filter(([, field]) => (field.secret ?? false) === isSecret).map(([field]) => variable(field))),
  ];
  return { plain: named(false).sort(), secret: named(true).sort() };
}

/** What a chart has to know of every process: one entry each, in the order in which they start. */
export function processTable() {
  return processes.map(({ spec, login }) => ({
    name: spec.name,
    summary: spec.summary,
    login: login ?? null,
    connections: connectionsOf(spec),
    doors: doorsOf(spec.name).map(({ name, port, host, number, from }) => ({
      ...{ name, number, from: [...from] },
      ...{ port: variable(port), host: variable(host) },
    })),
    /** It shows a certificate to the api, which an init container makes. */
    identity: identifiedProcesses.some((each) => each === spec.name),
    /** Hosts keep a tunnel to each copy, so each has an address of its own. */
    copies: spec.name === 'app-proxy' ? 'named' : 'alike',
    internet: spec.needs.some((need) => outside.has(need)),
  }));
}

/** The table as Helm reads it. */
export const emitProcessTable = (): string =>
  stableJson({
    poolSize: usualPoolSize,
    health: { number: healthDoor.number, port: variable(healthDoor.port), host: variable(healthDoor.host) },
    processes: processTable(),
  });
