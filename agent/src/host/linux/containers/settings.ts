import { join } from 'node:path';
import { alwaysBlocked } from '../slices/settings.ts';

/** How an operator lets a host run containers. Without a registry it runs none. */
export interface ContainerSettings {
  /** Registries that images may come from, each a name with its port. Fetching calls these and nothing else. */
  readonly registries: readonly string[];
  /** The logins at these registries, as podman keeps them. Only root may read the file. */
  readonly authFile?: string;
  /** A folder with the certificates of authorities that the registries are trusted by, beside those of the system. */
  readonly certificates?: string;
  /** The private networks of the allocations on this host: an IPv4 network of 16 bits, of which each has one of 24. */
  readonly network: string;
  /** Networks that containers may not reach, beside those that are always blocked. */
  readonly blocked: readonly string[];
  readonly nameServers: readonly string[];
  readonly runtime: 'crun' | 'runc';
  readonly cgroupManager: 'systemd' | 'cgroupfs';
  /** What each container may open and start under its user id; the limits of processes count for themselves. */
  readonly ulimits: { readonly files: number; readonly processes: number };
  /** Where podman keeps what does not outlive a boot. */
  readonly runRoot: string;
  /** How large the log of one container becomes before its beginning is dropped. */
  readonly logMib: number;
  /** Room on the disk that images and volumes leave free, also while an image is fetched. */
  readonly reserveBytes: number;
  /**
   * A process in whose mount and network namespaces containers are made. It is the first of the machine: what the agent mounts in a
   * namespace of its own unit would be out of sight after its restart.
   */
  readonly namespacesOf: number;
}

const gibibyte = 1_024 ** 3;
export const usualContainers: ContainerSettings = {
  registries: [],
  network: '10.101.0.0/16',
  blocked: [],
  nameServers: [],
  runtime: 'crun',
  cgroupManager: 'systemd',
  ulimits: { files: 65_536, processes: 65_536 },
  runRoot: '/run/gpuaas/containers',
  logMib: 16,
  reserveBytes: 5 * gibibyte,
  namespacesOf: 1,
};

const networkPattern = /^(\d{1,3}\.\d{1,3})\.0\.0\/16$/;
const rangePattern = /^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$/;
const addressPattern = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const registryPattern = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?$/;

/** Refuses settings that would mean something else to nftables or podman than they look like. */
export function checkContainerSettings(settings: ContainerSettings): ContainerSettings {
  if (!networkPattern.test(settings.network)) {
    throw new TypeError(`${settings.network} is not a network for containers; give one such as 10.101.0.0/16.`);
  }
  const range = settings.blocked.find((one) => !rangePattern.test(one));
  if (range !== undefined) throw new TypeError(`${range} is not an IPv4 network.`);
  const server = settings.nameServers.find((one) => !addressPattern.test(one));
  if (server !== undefined) throw new TypeError(`${server} is not an IPv4 address.`);
  const registry = settings.registries.find((one) => !registryPattern.test(one));
  if (registry !== undefined) throw new TypeError(`${registry} is not the name of a registry.`);
  return settings;
}

export const blockedRanges = (settings: ContainerSettings): string[] => [
  ...new Set([...alwaysBlocked, ...settings.blocked]),
];

/** Everything that is called after an allocation and its workloads. All of it follows from ids and numbers that we gave out. */
export const bridgePrefix = 'gpuaas-c';
export const firstHost = 10;
export const mostNetworks = 250;
const prefixOf = ({ network }: ContainerSettings) => networkPattern.exec(network)?.[1] ?? '';
export const bridgeOf = (index: number): string => `${bridgePrefix}${index}`;
export const subnetOf = (settings: ContainerSettings, index: number): string => `${prefixOf(settings)}.${index}.0/24`;
export const gatewayOf = (settings: ContainerSettings, index: number): string => `${prefixOf(settings)}.${index}.1`;
export const addressOf = (settings: ContainerSettings, index: number, host: number): string =>
  `${prefixOf(settings)}.${index}.${host}`;
/** Fifteen letters at most, which is what the kernel takes. */
export const cableOf = (index: number, host: number): string => `gpuaas-v${index}-${host}`;
/** The name of a container, and of the network namespace that it runs in. */
export const nameOf = (workloadId: string): string => `gpuaas-${workloadId}`;

/** Where the files of containers are, below the state of the host. */
export function placesIn(folder: string) {
  const own = (allocationId: string) => join(folder, 'of', allocationId);
  return {
    records: join(folder, 'records'),
    storage: join(folder, 'storage'),
    hooks: join(folder, 'no-hooks'),
    engine: join(folder, 'containers.conf'),
    registries: join(folder, 'registries.conf'),
    fetching: join(folder, 'fetching'),
    noLogins: join(folder, 'no-logins.json'),
    noMounts: join(folder, 'no-mounts.conf'),
    rules: join(folder, 'rules.nft'),
    own,
    files: (allocationId: string, workloadId: string) => join(own(allocationId), 'files', workloadId),
    log: (allocationId: string, workloadId: string) => join(own(allocationId), 'logs', `${workloadId}.log`),
    image: (allocationId: string, volume: string) => join(own(allocationId), 'volumes', `${volume}.img`),
    mount: (allocationId: string, volume: string) => join(own(allocationId), 'mounts', volume),
  };
}
export type Places = ReturnType<typeof placesIn>;
