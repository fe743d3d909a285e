import type { TObject } from 'typebox';
import { processes } from '../../../server/src/bin/processes.ts';
import { everyProcess } from '../../../server/src/kernel/process/process.ts';

/** Who comes to a port: the edge, hosts, our own processes, or monitoring and the orchestrator. */
export type Caller = 'edge' | 'hosts' | 'processes' | 'monitoring';
export interface Door {
  readonly name: string;
  /** The settings that say where it is. */
  readonly port: string;
  readonly host: string;
  /** The number that every installation uses unless it says otherwise. No two processes share one, so all fit on one machine. */
  readonly number: number;
  readonly from: readonly Caller[];
}

const doors: Readonly<Record<string, readonly Door[]>> = {
  api: [
    { name: 'people', port: 'port', host: 'host', number: 8_443, from: ['edge'] },
    { name: 'nodes', port: 'nodePort', host: 'nodeHost', number: 8_444, from: ['hosts'] },
    { name: 'internal', port: 'internalPort', host: 'internalHost', number: 8_447, from: ['processes'] },
  ],
  'terminal-gateway': [
    { name: 'people', port: 'terminalPort', host: 'terminalHost', number: 8_448, from: ['edge'] },
    { name: 'nodes', port: 'terminalNodePort', host: 'terminalNodeHost', number: 8_446, from: ['hosts', 'processes'] },
    { name: 'ssh', port: 'sshJumpPort', host: 'sshJumpHost', number: 2_222, from: ['hosts'] },
  ],
  'node-log-gateway': [{ name: 'nodes', port: 'nodeLogPort', host: 'nodeLogHost', number: 8_445, from: ['hosts'] }],
  'app-proxy': [
    { name: 'people', port: 'appsPort', host: 'appsHost', number: 8_450, from: ['edge'] },
    { name: 'tunnels', port: 'appTunnelPort', host: 'appTunnelHost', number: 8_449, from: ['hosts'] },
  ],
};

/** Of each process on one machine: 9101 for the first of the list, and so on. In a container each has the first. */
export const firstHealthPort = 9_101;

/**
 * The ports that a process listens on, besides its health port. Throws when the schema of a process has a port that is not in the
 * table, so that a new one gets its number, its callers and a place in the documentation.
 */
export function doorsOf(name: string): readonly Door[] {
  const listed = doors[name] ?? [];
  const spec = processes.find((process) => process.spec.name === name)?.spec;
  if (!spec) throw new Error(`there is no process ${name}`);
  const settings = Object.keys((spec.config as TObject).properties);
  const wanted = settings.filter((setting) => /^port$|Port$/.test(setting)).sort();
  const known = listed.map(({ port }) => port).sort();
  if (wanted.join() !== known.join()) {
    throw new Error(
      `${name} has the ports ${wanted.join(', ') || 'none'}; tools/emit/deployment/doors.ts has ${known.join(', ') || 'none'}`,
    );
  }
  for (const { host } of listed) {
    if (!settings.includes(host)) throw new Error(`${name} has no setting ${host}`);
  }
  return listed;
}

/** Health, as every process has it. */
export const healthDoor: Door = {
  name: 'health',
  port: 'healthPort',
  host: 'healthHost',
  number: firstHealthPort,
  from: ['monitoring'],
};
if (!Object.hasOwn(everyProcess.properties, healthDoor.port)) throw new Error('processes have no health port any more');
