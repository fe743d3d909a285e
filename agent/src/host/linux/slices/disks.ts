import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Proof } from '@gpuaas/contract/node';
import type { Clock } from '../../../clock.ts';
import { HostFailure } from '../../port.ts';
import type { Argv, Commands } from '../commands.ts';
import { readNvmeDisks } from '../sysfs.ts';
import { makeBlockDevices } from './block-devices.ts';
import type { DiskName, DiskRecord, DiskRecords } from './records.ts';

/**
 * The disks of slices. Each is a whole device that an operator has approved by its serial number, and that nothing of the host
 * uses. Both are looked up again right before every write.
 */
export interface SliceDisks {
  /** Why this device may not be written to; undefined when it may. */
  whyNot(device: string): Promise<string | undefined>;
  /** Puts an image on an empty disk, and proves by reading that the disk holds the image and nothing else. */
  install(
    device: string,
    image: { readonly path: string; readonly digest: string },
    allocationId: string,
  ): Promise<Proof>;
  /** Writes down that the disk is the tenant's from now on. Every disk of a machine is taken before the machine starts. */
  take(device: string, allocationId: string): Promise<void>;
  /** Proves by reading that the disk is empty, and erases it first where a tenant had it or something is on it. */
  empty(device: string, allocationId: string): Promise<Proof>;
  /** The path of the device on this machine. */
  pathOf(device: string): string;
}

const eraseLimitMs = 6 * 60 * 60_000;
const foreignSignature = /^(?:LVM2_member|linux_raid_member|.*_raid_member|swap|crypto_LUKS|zfs_member)$/;

/** Ways to erase a device, the strongest first. A device refuses those that it is not capable of. */
const ladder: readonly { readonly name: string; readonly argv: (path: string) => Argv }[] = [
  { name: 'NVMe cryptographic erase', argv: (path) => ['nvme', 'format', path, '--ses=2', '--force'] },
  { name: 'NVMe user data erase', argv: (path) => ['nvme', 'format', path, '--ses=1', '--force'] },
  { name: 'secure discard', argv: (path) => ['blkdiscard', '--secure', '--force', '--', path] },
  { name: 'writing zeros by the device', argv: (path) => ['blkdiscard', '--zeroout', '--force', '--', path] },
];

export function makeSliceDisks(parts: {
  readonly root: string;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly approved: readonly string[];
  readonly records: DiskRecords;
}): SliceDisks {
  const { root, commands, records, clock } = parts;
  const pathOf = (device: string) => join(root, device);
  const blocks = makeBlockDevices({ commands, pathOf });
  const find = async (device: string) => (await readNvmeDisks(root)).find((disk) => disk.device === device);

  const whyNot: SliceDisks['whyNot'] = async (device) => {
    const disk = await find(device);
    if (!disk) return `${device} is not there.`;
    const { serial, namespace } = disk;
    if (serial === undefined) return `${device} has no serial number.`;
    if (!parts.approved.includes(serial)) {
      return `${device} (${serial}) is not approved: name its serial number in GPUAAS_SLICE_DISKS.`;
    }
    if (disk.siblings.length > 0) {
      return `${device} shares its controller with ${disk.siblings.join(', ')}: erasing one may erase all. Leave it one namespace.`;
    }
    if (disk.held !== undefined) return `${device} ${disk.held}.`;
    if ((await records.get({ serial, namespace })) === undefined) return foreignOn(commands, device, pathOf(device));
    return undefined;
  };
  const mayWrite = async (device: string): Promise<DiskName> => {
    const refused = await whyNot(device);
    if (refused !== undefined) throw new HostFailure('disk_dirty', refused);
    const { serial, namespace } = (await find(device)) ?? {};
    if (serial === undefined || namespace === undefined) throw new HostFailure('disk_dirty', `${device} is not there.`);
    return { serial, namespace };
  };
  /** Goes down the ladder until the disk reads empty. The last rung is writing every byte. */
  const erase = async (device: string): Promise<string> => {
    for (const { name, argv } of ladder) {
      await mayWrite(device);
      const run = () => commands.run(argv(pathOf(device)), { limitMs: eraseLimitMs });
      const result = await blocks.alone(device, run);
      const found = result.status === 0 ? await blocks.findEmpty(device, 0) : undefined;
      if (found !== undefined) return `${name}; ${found}`;
    }
    await mayWrite(device);
    await blocks.overwrite(device);
    const found = await blocks.findEmpty(device, 0);
    if (found !== undefined) return `overwriting every byte; ${found}`;
    throw new HostFailure('wipe_unverified', `${device} was overwritten and does not read empty.`);
  };

  const markUsed = (name: DiskName, allocationId: string) =>
    records.put({ ...name, state: 'used', allocation_id: allocationId, method: '', at: clock.now().toISOString() });
  const refuseOthers = async (device: string, name: DiskName, allocationId: string) => {
    const before = await records.get(name);
    if (before?.state === 'used' && before.allocation_id !== allocationId) {
      throw new HostFailure('lease_conflict', `${device} was last used by allocation ${before.allocation_id}.`);
    }
    return before;
  };

  return {
    whyNot,
    pathOf,
    async take(device, allocationId) {
      const name = await mayWrite(device);
      await refuseOthers(device, name, allocationId);
      await markUsed(name, allocationId);
    },
    async empty(device, allocationId) {
      const name = await mayWrite(device);
      const before = await refuseOthers(device, name, allocationId);
      const stillEmpty = before?.state === 'clean' ? await blocks.findEmpty(device, 0) : undefined;
      if (before && stillEmpty !== undefined) return { passed: true, detail: sentenceOf(device, before, stillEmpty) };
      await markUsed(name, allocationId);
      const method = await erase(device);
      const record: DiskRecord = {
        ...{ ...name, state: 'clean', allocation_id: allocationId, method },
        at: clock.now().toISOString(),
      };
      await records.put(record);
      return { passed: true, detail: sentenceOf(device, record) };
    },
    async install(device, image, allocationId) {
      const name = await mayWrite(device);
      return copyImage(blocks, device, image, () => markUsed(name, allocationId));
    },
  };
}

/** Copies an image to a disk and reads it back; `beforeWrite` runs once it is known to fit. */
async function copyImage(
  blocks: ReturnType<typeof makeBlockDevices>,
  device: string,
  image: Parameters<SliceDisks['install']>[1],
  beforeWrite: () => Promise<void>,
): Promise<Proof> {
  const size = await blocks.sizeOf(device);
  const source = await open(image.path, 'r');
  try {
    const { size: needed } = await source.stat();
    if (needed > size) {
      throw new HostFailure('disk_full', `The image has ${needed} bytes, and ${device} has ${size}.`);
    }
    await beforeWrite();
    const found = await blocks.put(device, source, needed);
    if (found !== image.digest) {
      throw new HostFailure('disk_dirty', `${device} does not hold what was written to it: it reads ${found}.`);
    }
    const rest = needed === size ? 'nothing is left beside it' : await blocks.findEmpty(device, needed);
    if (rest === undefined) throw new HostFailure('disk_dirty', `${device} is not empty behind the image.`);
    return { passed: true, detail: `${device} holds the image ${image.digest}; behind it ${rest}.`.slice(0, 500) };
  } finally {
    await source.close();
  }
}

const sentenceOf = (device: string, { method, at }: DiskRecord, readAgain?: string) =>
  `${device} was erased by ${method}, at ${at}${readAgain === undefined ? '' : `; read again, ${readAgain}`}.`.slice(
    0,
    500,
  );

/** What the host has put on a disk that has never been ours. Tenants may leave anything; that is erased. */
async function foreignOn(commands: Commands, device: string, path: string): Promise<string | undefined> {
  const probed = await commands.run(['blkid', '--probe', '--match-tag', 'TYPE', '--output', 'value', path]);
  const type = probed.stdout.trim();
  return foreignSignature.test(type) ? `${device} holds ${type} of this host: erase it yourself first.` : undefined;
}
