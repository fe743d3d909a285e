import { createHash } from 'node:crypto';

/** How an operator lets a host make slices. Nothing here has a default that would touch a disk. */
export interface SliceSettings {
  /** Serial numbers of the disks that may be overwritten. A disk that is not here is never written to. */
  readonly approvedDisks: readonly string[];
  /** The private network of the slices on this host: an IPv4 network of 24 bits. */
  readonly network: string;
  /** Networks that slices may not reach, beside those that `alwaysBlocked` names. */
  readonly blocked: readonly string[];
  /** Name servers that DHCP gives to slices. */
  readonly nameServers: readonly string[];
  /** How much of the disk the images may take. */
  readonly imageLimitBytes: number;
  /** Whether the memory of slices comes from huge pages that the operator has set aside. */
  readonly hugePages: boolean;
  /** How long a machine may take from its start until it has proven itself. */
  readonly bootMs: number;
  /** Packages of the driver that a machine installs at its first boot, for images that do not bring one. */
  readonly driverPackages: readonly string[];
  /** How long a first boot with an installation may take. */
  readonly setupMs: number;
  /** How long a machine that was destroyed may still be there. */
  readonly destroyMs: number;
}

const gibibyte = 1_024 ** 3;
export const usualSlices: SliceSettings = {
  approvedDisks: [],
  network: '10.100.0.0/24',
  blocked: [],
  nameServers: [],
  imageLimitBytes: 200 * gibibyte,
  hugePages: false,
  bootMs: 10 * 60_000,
  driverPackages: [],
  setupMs: 30 * 60_000,
  // QEMU is killed within seconds; one that writes to a device may take a while longer.
  destroyMs: 30_000,
};

/**
 * Where no slice may go: this machine, link-local addresses with the metadata services of clouds, and the private networks,
 * which hold the management network. An operator who wants one of the private networks reachable gives slices a gateway there.
 */
export const alwaysBlocked = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
] as const;

export const bridge = 'gpuaas0';
const tapPrefix = 'gpuaas-s';
const firstHost = 10;
const firstPort = 22_000;
const networkPattern = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.0\/24$/;
const rangePattern = /^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$/;
const packagePattern = /^[a-z0-9][a-z0-9.+_-]{0,99}$/;
const addressPattern = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Refuses settings that would mean something else to nftables or dnsmasq than they look like. */
export function checkSettings(settings: SliceSettings): SliceSettings {
  if (!networkPattern.test(settings.network)) {
    throw new TypeError(`${settings.network} is not a network for slices; give one such as 10.100.0.0/24.`);
  }
  const range = settings.blocked.find((one) => !rangePattern.test(one));
  if (range !== undefined) throw new TypeError(`${range} is not an IPv4 network.`);
  const server = settings.nameServers.find((one) => !addressPattern.test(one));
  if (server !== undefined) throw new TypeError(`${server} is not an IPv4 address.`);
  const name = settings.driverPackages.find((one) => !packagePattern.test(one));
  if (name !== undefined) throw new TypeError(`${name} is not the name of a package.`);
  return settings;
}

const prefixOf = ({ network }: SliceSettings): string => networkPattern.exec(network)?.[1] ?? '';
export const gatewayOf = (settings: SliceSettings): string => `${prefixOf(settings)}.1`;

/** What a slice is called, on the host and in its network. All of it follows from the first of its slots. */
export interface SliceNames {
  readonly machine: string;
  readonly tap: string;
  readonly mac: string;
  readonly address: string;
  /** The port of the host at which people reach its sshd. */
  readonly sshPort: number;
}

/** Two hosts never have the same hardware address: it is made from the name that the installation gave the machine. */
export function namesOf(settings: SliceSettings, machineId: string, slotIndex: number): SliceNames {
  const digest = createHash('sha256').update(`slice ${machineId}`).digest();
  const bytes = [0x02, ...digest.subarray(0, 4), slotIndex];
  return {
    machine: `${machinePrefix}${slotIndex}`,
    tap: `${tapPrefix}${slotIndex}`,
    mac: bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
    address: `${prefixOf(settings)}.${firstHost + slotIndex}`,
    sshPort: firstPort + slotIndex,
  };
}
export const machinePrefix = 'gpuaas-slot-';
/** As many slots as the addresses of the network last for. */
export const mostSlotIndex = 240;
