import { readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { WriteKernel } from '../slices/devices.ts';

/**
 * What the kernel of Linux does when somebody writes to the files of a device below /sys, on a tree: it unbinds it from its driver,
 * and asks the drivers who wants it. Devices may be made to stay where they are.
 */
export interface TreeKernel {
  readonly write: WriteKernel;
  /** How often a device still refuses to move, by its address. */
  readonly stuck: Map<string, number>;
}

export function makeTreeKernel(root: string): TreeKernel {
  const stuck = new Map<string, number>();
  const at = (address: string, file: string) => join(root, 'sys/bus/pci/devices', address, file);
  const driverOf = (address: string) => readlink(at(address, 'driver')).then(basename, () => undefined);
  const isStuck = (address: string) => {
    const left = stuck.get(address) ?? 0;
    stuck.set(address, Math.max(0, left - 1));
    return left > 0;
  };
  return {
    stuck,
    async write(path, text) {
      const name = basename(path);
      const word = text.trim();
      if (name === 'unbind') {
        if (isStuck(word)) throw new Error('EBUSY: device or resource busy, write');
        await rm(at(word, 'driver'), { force: true });
        return;
      }
      if (name === 'drivers_probe') {
        if ((await driverOf(word)) !== undefined) return;
        const override = (await readFile(at(word, 'driver_override'), 'utf8').catch(() => '')).trim();
        const driver = join(root, 'sys/bus/pci/drivers', override || 'nvidia');
        const link = at(word, 'driver');
        const { realpath } = await import('node:fs/promises');
        await symlink(relative(await realpath(dirname(link)), driver), link);
        return;
      }
      await writeFile(join(root, path), text);
    },
  };
}
