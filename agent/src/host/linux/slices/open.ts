import { join } from 'node:path';
import type { Clock } from '../../../clock.ts';
import type { Disk } from '../../../disk.ts';
import type { Commands } from '../commands.ts';
import { statusMissing } from '../commands.ts';
import type { GpuInventory } from '../gpu-inventory.ts';
import type { SshDoor } from '../ssh/ssh.ts';
import { readText } from '../sysfs.ts';
import { discoverTopology, type SliceView } from '../topology.ts';
import { makeDevices, type WriteKernel, writeBelow } from './devices.ts';
import { makeSliceDisks } from './disks.ts';
import { type Images, makeImages } from './images.ts';
import { makeLibvirt } from './machine/libvirt.ts';
import { makeNetwork } from './network.ts';
import { makeDiskRecords, makeSliceRecords } from './records.ts';
import { makeGuestDoor } from './reports/door.ts';
import type { ListenAt } from './reports/listen.ts';
import { checkSettings, mostSlotIndex, namesOf, type SliceSettings } from './settings.ts';
import { makeSlices, type Slices } from './slices.ts';

/** The part of a host that makes slices, and what it says about itself. */
export interface SliceHost {
  readonly slices: Slices;
  readonly images: Images;
  readonly view: SliceView;
}

/** Programs that slices need, and the Debian package of each. */
const programs: readonly (readonly [program: string, flag: string, from: string])[] = [
  ['virsh', '--version', 'libvirt-clients'],
  ['nft', '--version', 'nftables'],
  ['dnsmasq', '--version', 'dnsmasq-base'],
  ['xorriso', '--version', 'xorriso'],
  ['ssh', '-V', 'openssh-client'],
  ['ip', '-V', 'iproute2'],
  ['blkdiscard', '--version', 'util-linux'],
];
const pauseMs = 1_000;

export function openSlices(order: {
  readonly root: string;
  readonly folder: string;
  readonly disk: Disk;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly door: SshDoor;
  readonly settings: SliceSettings;
  readonly inventory: GpuInventory;
  readonly writeKernel?: WriteKernel;
  readonly listen?: ListenAt;
  /** The login of a whole host, which no slice may be beside. */
  readonly wholeNode: () => Promise<readonly { readonly allocationId: string }[]>;
}): SliceHost {
  const { root, commands, clock, disk, inventory, door } = order;
  const settings = checkSettings(order.settings);
  const libvirt = makeLibvirt(commands);
  const records = makeSliceRecords({ disk, folder: join(order.folder, 'slices') });
  const images = makeImages({ disk, folder: join(order.folder, 'images'), limitBytes: settings.imageLimitBytes });
  const machineId = async () => (await readText(root, 'etc/machine-id')) || readText(root, 'proc/sys/kernel/hostname');
  const missing = async (): Promise<string[]> => {
    const found = await Promise.all(programs.map(([program, flag]) => commands.run([program, flag])));
    return programs.flatMap(([program, , from], index) =>
      found[index]?.status === statusMissing ? [`${program} is missing: install ${from}.`] : [],
    );
  };
  const view: SliceView = {
    approvedDisks: settings.approvedDisks,
    complete: (look) => inventory.complete(look),
    async names(slotIndex) {
      return namesOf(settings, await machineId(), Math.min(slotIndex, mostSlotIndex));
    },
    async trouble() {
      const absent = await missing();
      const silent = absent.length > 0 ? undefined : await libvirt.trouble();
      return [...absent, ...(silent === undefined ? [] : [silent])];
    },
  };
  const slices = makeSlices({
    ...{ root, commands, clock, settings, records, images, libvirt, door, machineId },
    disks: makeSliceDisks({
      ...{ root, commands, clock },
      approved: settings.approvedDisks,
      records: makeDiskRecords({ disk, folder: join(order.folder, 'disks') }),
    }),
    devices: makeDevices({ root, clock, write: order.writeKernel ?? writeBelow(root), pauseMs }),
    guestDoor: makeGuestDoor({
      ...{ records, settings, elapsedMs: () => performance.now() },
      ...(order.listen && { listen: order.listen }),
    }),
    network: makeNetwork({ commands, folder: join(order.folder, 'network'), settings }),
    gpuAt: (address) => inventory.uuidAt(address),
    async blockers() {
      const [whole] = await order.wholeNode();
      const { blockers } = await discoverTopology(root, commands, view);
      return [...(whole ? [`The host is rented out whole to allocation ${whole.allocationId}.`] : []), ...blockers];
    },
  });
  return { slices, images, view };
}
