import type { TaskSlot } from '@gpuaas/contract/node';
import type { Clock } from '../../../clock.ts';
import { HostFailure } from '../../port.ts';
import type { Commands } from '../commands.ts';
import type { SshDoor } from '../ssh/ssh.ts';
import type { Devices } from './devices.ts';
import type { SliceDisks } from './disks.ts';
import type { Guest } from './guest.ts';
import { openGuest } from './guest.ts';
import type { Images } from './images.ts';
import type { Libvirt } from './machine/libvirt.ts';
import type { Network } from './network.ts';
import type { SliceRecord, SliceRecords } from './records.ts';
import type { GuestDoor } from './reports/door.ts';
import { keyPair } from './seed.ts';
import type { SliceSettings } from './settings.ts';

/** What making, proving and ending a slice have in common. */
export interface SliceParts {
  readonly root: string;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly settings: SliceSettings;
  readonly records: SliceRecords;
  readonly disks: SliceDisks;
  readonly devices: Devices;
  readonly images: Images;
  readonly network: Network;
  readonly libvirt: Libvirt;
  readonly door: SshDoor;
  readonly guestDoor: GuestDoor;
  readonly machineId: () => Promise<string>;
  /** What each GPU of this host is called, by its place on the bus, also while it is handed through. */
  readonly gpuAt: (address: string) => Promise<string | undefined>;
  /** What keeps this host from making slices now; empty when nothing does. */
  readonly blockers: () => Promise<readonly string[]>;
}

export const conflict = (message: string) => new HostFailure('lease_conflict', message);
export const addressesOf = (slots: readonly TaskSlot[]): string[] => slots.map(({ pci_address }) => pci_address);
export const disksOf = (slots: readonly TaskSlot[]): string[] =>
  slots.flatMap(({ nvme_device }) => (nvme_device === null ? [] : [nvme_device]));

/**
 * The network as the slices that live want it. Nobody gets in from outside before a machine is handed over: it has the keys of its
 * tenant from its first boot, and costs nothing yet.
 */
export async function reconcileNetwork({ records, network }: Pick<SliceParts, 'records' | 'network'>): Promise<void> {
  const living = (await records.all()).filter(({ state }) => state !== 'ended');
  const names = (some: readonly SliceRecord[]) => some.map((one) => one.names);
  await network.reconcile(names(living), names(living.filter(({ state }) => state === 'running')));
}

/** The keys of a slice: the machine's own, and the agent's for going in. */
export async function keysOf({ commands, records }: Pick<SliceParts, 'commands' | 'records'>, allocationId: string) {
  const folder = records.folderOf(allocationId);
  return { host: await keyPair(commands, folder, 'host_key'), agent: await keyPair(commands, folder, 'agent_key') };
}

export async function guestOf(parts: Pick<SliceParts, 'commands' | 'records'>, record: SliceRecord): Promise<Guest> {
  const keys = await keysOf(parts, record.allocation_id);
  return openGuest({
    folder: parts.records.folderOf(record.allocation_id),
    address: record.names.address,
    username: record.login.username,
    keyPath: keys.agent.path,
    hostKey: keys.host.public,
  });
}
