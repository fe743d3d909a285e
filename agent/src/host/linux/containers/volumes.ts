import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HostFailure } from '../../port.ts';
import { type Commands, complaintOf } from '../commands.ts';
import { hasEntry } from '../removal/entries.ts';
import { expectRoom } from './images.ts';
import type { ContainerSettings, Places } from './settings.ts';

/**
 * Volumes with a hard limit. Each is a file of its whole size with a file system in it, so the limit holds on every file system that a
 * host may have, and a tenant who fills a volume fills nothing else.
 */
export interface Volumes {
  ensure(allocationId: string, volume: VolumeOrder): Promise<void>;
  /** Answers only when nothing of it is left. */
  remove(allocationId: string, name: string): Promise<void>;
}
export interface VolumeOrder {
  readonly name: string;
  readonly size_mib: number;
  readonly owner: { readonly uid: number; readonly gid: number };
}

const mebibyte = 1_024 ** 2;
const formatMs = 300_000;

export function makeVolumes(parts: {
  readonly commands: Commands;
  readonly places: Places;
  readonly settings: ContainerSettings;
}): Volumes {
  const { commands, places, settings } = parts;
  const isMounted = async (path: string) =>
    (await commands.run(['findmnt', '--noheadings', '--mountpoint', path])).status === 0;
  /** Mounted twice, a file system destroys itself. It may be mounted where this agent does not see it. */
  const attachedTo = async (image: string) =>
    (await commands.run(['losetup', '--list', '--noheadings', '--output=NAME', '--associated', image])).stdout.trim();

  const format = async (image: string, { size_mib, owner }: VolumeOrder) => {
    const half = `${image}.new`;
    await mkdir(dirname(image), { recursive: true, mode: 0o700 });
    await expectRoom(dirname(image), settings.reserveBytes + size_mib * mebibyte);
    await rm(half, { force: true });
    const reserved = await commands.run(['fallocate', `--length=${size_mib * mebibyte}`, '--', half]);
    if (reserved.status !== 0) throw new HostFailure('disk_full', `No room for a volume: ${complaintOf(reserved)}.`);
    const made = await commands.run(
      ['mkfs.ext4', '-q', '-F', '-m', '0', '-E', `root_owner=${owner.uid}:${owner.gid}`, half],
      { limitMs: formatMs },
    );
    if (made.status !== 0) throw unbounded(`mkfs.ext4 does not work: ${complaintOf(made)}`);
    await rename(half, image);
  };

  return {
    async ensure(allocationId, volume) {
      const image = places.image(allocationId, volume.name);
      const at = places.mount(allocationId, volume.name);
      if (await isMounted(at)) return;
      const device = await attachedTo(image);
      if (device !== '') {
        throw new HostFailure('host_not_ready', `${image} is attached to ${device} already. Restart the host.`);
      }
      if (!(await hasEntry(image))) await format(image, volume);
      await mkdir(at, { recursive: true, mode: 0o700 });
      const mounted = await commands.run(['mount', '--types=ext4', '--options=loop,nosuid,nodev', '--', image, at]);
      if (mounted.status !== 0) throw unbounded(`the volume cannot be mounted: ${complaintOf(mounted)}`);
    },
    async remove(allocationId, name) {
      const image = places.image(allocationId, name);
      const at = places.mount(allocationId, name);
      if (await isMounted(at)) await commands.run(['umount', '--', at]);
      if (await isMounted(at)) throw remains(`The volume ${name} cannot be unmounted.`);
      if ((await hasEntry(image)) && (await attachedTo(image)) !== '')
        throw remains(`The volume ${name} is still in use.`);
      if (await hasEntry(at)) await rmdir(at);
      for (const path of [`${image}.new`, image]) await rm(path, { force: true });
    },
  };
}

const unbounded = (why: string) =>
  new HostFailure('quota_unsupported', `This host cannot hold a volume to its size: ${why}.`);
const remains = (message: string) => new HostFailure('wipe_unverified', message);
