import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Environment } from '../../kernel/process/config.ts';
import { type FleetSize, fleetSizes } from './simulated/fleet-plan.ts';

export interface Options {
  readonly help: boolean;
  readonly dataDir: string;
  readonly ephemeral: boolean;
  readonly split: boolean;
  /** Accounts and a catalog, but nothing that anybody has done. */
  readonly bare: boolean;
  readonly verbose: boolean;
  readonly fleet: FleetSize;
  /** How many times faster than real hosts the simulated ones work. */
  readonly hostSpeed: number;
  /** How many times as fast GPU time passes: what is rented ends, and is charged, that much sooner. */
  readonly speed: number;
  /** Undefined: the one of the last start, or the first free one from 8443. */
  readonly port: number | undefined;
}

export const help = `Usage: npm start -- [options]

Runs all of GPUaaS on this machine: database, API, relay and workers.

Options:
  --port N      listen on this port (first choice: 8443; kept from start to start)
  --data DIR    keep everything in this folder (default: $XDG_DATA_HOME/gpuaas, as root /var/lib/gpuaas)
  --ephemeral   keep nothing: a temporary folder that is removed at the end
  --fleet SIZE  simulated hosts: none, small (3), medium (12) or large (64); small when left out
  --speed N     time runs N times as fast on simulated hosts: their work, what is rented, and what it costs
  --host-speed N  only the work of simulated hosts is N times as fast (60 when left out: a slice takes 5 s)
  --bare        without the history that makes a first look worthwhile: nothing has been rented yet
  --split       run each process alone, as in production
  --verbose     show the log here instead of in the data folder
  --help        show this

Example:
  npm start -- --port 9000 --data ./try-out
`;

/** What a person typed wrong, in a sentence that helps. */
export class UsageFault extends Error {
  override readonly name = 'UsageFault';
}

export function readOptions(args: readonly string[], env: Environment, uid: number | undefined): Options {
  let values: ReturnType<typeof parse>['values'];
  try {
    values = parse(args).values;
  } catch (error) {
    // The first sentence says what is wrong; the rest is about a way of quoting that nobody wants here.
    const [what] = (error as Error).message.split('. ');
    throw new UsageFault(`${what?.replace(/\.$/, '')}. See npm start -- --help.`);
  }
  if (values.data !== undefined && values.ephemeral) {
    throw new UsageFault('--data keeps a folder and --ephemeral keeps none: give one of them.');
  }
  return {
    help: values.help,
    dataDir: resolve(values.data ?? defaultFolder(env, uid)),
    ephemeral: values.ephemeral,
    split: values.split,
    bare: values.bare,
    verbose: values.verbose,
    fleet: readSize(values.fleet),
    speed: values.speed === undefined ? 1 : readWholeSpeed(values.speed),
    hostSpeed: readSpeed('--host-speed', values['host-speed'] ?? values.speed ?? '60'),
    port: values.port === undefined ? undefined : readPort(values.port),
  };
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      port: { type: 'string' },
      data: { type: 'string' },
      fleet: { type: 'string', default: 'small' },
      speed: { type: 'string' },
      'host-speed': { type: 'string' },
      ephemeral: { type: 'boolean', default: false },
      split: { type: 'boolean', default: false },
      bare: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });

function readSize(text: string): FleetSize {
  const size = fleetSizes.find((known) => known === text);
  if (size === undefined) throw new UsageFault(`--fleet is one of ${fleetSizes.join(', ')}; not ${text}.`);
  return size;
}

const speeds = { least: 1, most: 100_000 };
function readSpeed(option: string, text: string): number {
  const speed = Number(text);
  if (text.trim() === '' || !(speed >= speeds.least && speed <= speeds.most)) {
    throw new UsageFault(`${option} is a number from ${speeds.least} to ${speeds.most}; not ${text}.`);
  }
  return speed;
}

function readWholeSpeed(text: string): number {
  const speed = readSpeed('--speed', text);
  if (!Number.isInteger(speed)) throw new UsageFault(`--speed is a whole number; not ${text}.`);
  return speed;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new UsageFault(`--port takes a number from 1 to 65535, not ${JSON.stringify(text)}.`);
  }
  return port;
}

/** Root keeps it where services keep their state: its home is closed to the account that runs the database. */
const defaultFolder = (env: Environment, uid: number | undefined): string =>
  uid === 0 ? '/var/lib/gpuaas' : join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'gpuaas');
