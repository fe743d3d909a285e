import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { openAgent } from '../agent.ts';
import { systemClock } from '../clock.ts';
import { makeDisk } from '../disk.ts';
import { type ContainerSettings, usualContainers } from '../host/linux/containers/settings.ts';
import { openLinuxHost } from '../host/linux/host.ts';
import { type SliceSettings, usualSlices } from '../host/linux/slices/settings.ts';
import type { Host } from '../host/port.ts';
import { openSimulatedHost } from '../host/simulated/host.ts';
import { digestOf, makeReleases, type Releases } from '../update/releases.ts';
import { makeSelfUpdate } from '../update/self-update.ts';
import { healthyMessage, startSupervisor } from '../update/supervisor.ts';
import type { Settings } from './options.ts';
import { agentSettings, openRecords } from './parts.ts';

/** The two commands that stay: the agent, and the process that watches over it. */
export interface Staying {
  /** Resolves when it has ended by itself, with the status to exit with. */
  readonly ended: Promise<number>;
  close(): Promise<void>;
}

const releasesIn = (settings: Settings): Releases =>
  makeReleases({ disk: makeDisk({ forced: true }), folder: join(settings.GPUAAS_STATE_DIR, 'releases') });

export async function runAgent(parts: {
  readonly settings: Settings;
  readonly version: string;
  /** The file that this process was started from. */
  readonly program: string;
  readonly echo: (line: string) => void;
  /** The supervisor, if there is one. */
  readonly tell: ((message: string) => void) | undefined;
}): Promise<Staying> {
  const { settings, version, tell } = parts;
  const records = openRecords(settings, parts.echo);
  const host = await openHost(settings);
  let end: (status: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const digest = await digestOf(await realpath(parts.program));
  const agent = await openAgent({
    host,
    settings: agentSettings(settings, version),
    clock: systemClock,
    elapsedMs: () => performance.now(),
    log: records.log,
    record: (line) => records.samples.append(`${JSON.stringify(line)}\n`),
    ...(tell && {
      makeSelfUpdate: ({ client, nodeId }) =>
        makeSelfUpdate({
          releases: releasesIn(settings),
          digest,
          version,
          client,
          pathOf: (of) => settings.GPUAAS_AGENT_BUNDLE_PATH.replace('{id}', nodeId).replace('{digest}', of),
          restart: () => end(0),
          announce: () => tell(healthyMessage),
        }),
    }),
  });
  records.log.info({ node_id: agent.nodeId, version, digest }, 'the agent runs');
  return {
    ended,
    async close() {
      await agent.close();
      await host.close();
      records.close();
    },
  };
}

/** The release that this process comes from runs, unless an update has put another in its place since it was installed. */
export async function superviseAgent(parts: {
  readonly settings: Settings;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly echo: (line: string) => void;
}): Promise<Staying> {
  const { settings } = parts;
  const records = openRecords(settings, parts.echo);
  const releases = releasesIn(settings);
  await releases.install(await realpath(parts.program));
  const supervisor = startSupervisor({
    releases,
    program: process.execPath,
    args: parts.args,
    env: parts.env,
    healthyWithinMs: settings.GPUAAS_UPDATE_HEALTHY_SECONDS * 1_000,
    clock: systemClock,
    log: records.log,
  });
  return {
    ended: supervisor.ended.then(() => 0),
    async close() {
      await supervisor.close();
      records.close();
    },
  };
}

/** The machine that the settings name. */
export async function openHost(settings: Settings): Promise<Host> {
  if (settings.GPUAAS_HOST === 'linux') {
    const { GPUAAS_SSH_ADDRESS: address, GPUAAS_SSH_PORT: port } = settings;
    return openLinuxHost({
      folder: join(settings.GPUAAS_STATE_DIR, 'host'),
      clock: systemClock,
      door: { port, ...(address !== undefined && { address }) },
      slices: sliceSettings(settings),
      containers: containerSettings(settings),
    });
  }
  return openSimulatedHost({
    folder: join(settings.GPUAAS_STATE_DIR, 'simulated'),
    clock: systemClock,
    pace: { speed: 60 },
    seed: hostname(),
  });
}

const list = (text: string | undefined) => (text === undefined ? [] : text.split(','));

function sliceSettings(settings: Settings): SliceSettings {
  return {
    ...usualSlices,
    approvedDisks: list(settings.GPUAAS_SLICE_DISKS),
    network: settings.GPUAAS_SLICE_NETWORK,
    blocked: list(settings.GPUAAS_SLICE_BLOCKED_RANGES),
    nameServers: list(settings.GPUAAS_SLICE_NAME_SERVERS),
    imageLimitBytes: settings.GPUAAS_SLICE_IMAGES_GIB * 1_024 ** 3,
    hugePages: settings.GPUAAS_SLICE_HUGE_PAGES,
    driverPackages: list(settings.GPUAAS_SLICE_DRIVER_PACKAGES),
  };
}

function containerSettings(settings: Settings): ContainerSettings {
  const { GPUAAS_OCI_AUTH_FILE: authFile, GPUAAS_OCI_CERTIFICATES: certificates } = settings;
  return {
    ...usualContainers,
    registries: list(settings.GPUAAS_OCI_REGISTRIES),
    ...(authFile !== undefined && { authFile }),
    ...(certificates !== undefined && { certificates }),
    network: settings.GPUAAS_OCI_NETWORK,
    blocked: list(settings.GPUAAS_OCI_BLOCKED_RANGES),
    nameServers: list(settings.GPUAAS_OCI_NAME_SERVERS),
    runtime: settings.GPUAAS_OCI_RUNTIME,
    // Where systemd is the first process, control groups are its to give out.
    cgroupManager: existsSync('/run/systemd/system') ? 'systemd' : 'cgroupfs',
  };
}
