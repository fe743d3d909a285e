import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { HostFailure } from '../../port.ts';
import { isThere, type PciDevice, readPciDevices } from '../sysfs.ts';

/** How the agent orders the kernel to do something with a device: it writes to a file below /sys. */
export type WriteKernel = (path: string, text: string) => Promise<void>;
export const writeBelow =
  (root: string): WriteKernel =>
  (path, text) =>
    writeFile(join(root, path), text);

/** Handing devices through to machines, and taking them back. */
export interface Devices {
  /** All or nothing is verified: afterwards each device is held by VFIO, and its group can be opened. */
  bind(addresses: readonly string[]): Promise<void>;
  /** Gives the devices back to their own drivers, after a reset. One that cannot be reset is kept. */
  release(addresses: readonly string[]): Promise<{ readonly reset: readonly string[] }>;
  held(): Promise<readonly string[]>;
}

const vfio = 'vfio-pci';
const tries = 5;
const isBridge = ({ class: kind }: PciDevice) => kind.startsWith('0604');

/** Why these may not be handed through together: whatever shares a group with them would be handed through as well. */
export function whyNot(devices: readonly PciDevice[], addresses: readonly string[]): string | undefined {
  for (const address of addresses) {
    const device = devices.find((one) => one.address === address);
    if (!device) return `There is no device at ${address}.`;
    if (device.iommuGroup === undefined) return `${address} is in no IOMMU group.`;
    const foreign = devices.find(
      (one) => one.iommuGroup === device.iommuGroup && !isBridge(one) && !addresses.includes(one.address),
    );
    if (foreign) {
      return `${address} shares IOMMU group ${device.iommuGroup} with ${foreign.address}, which is not part of the slice.`;
    }
  }
  return undefined;
}

export function makeDevices(parts: {
  readonly root: string;
  readonly write: WriteKernel;
  readonly clock: Clock;
  readonly pauseMs: number;
}): Devices {
  const { root, clock } = parts;
  const folder = 'sys/bus/pci';
  const of = (address: string, file: string) => join(folder, 'devices', address, file);
  const find = async (address: string) => (await readPciDevices(root)).find((one) => one.address === address);

  /** One try at moving a device to a driver, or to the one that its kernel has for it. */
  const move = async (device: PciDevice, driver: string | undefined) => {
    await parts.write(of(device.address, 'driver_override'), driver === undefined ? '\n' : driver);
    if (device.driver !== undefined) await parts.write(of(device.address, 'driver/unbind'), device.address);
    await parts.write(join(folder, 'drivers_probe'), device.address);
  };
  /** Tries until the device is where it belongs. What the kernel said last is part of the failure. */
  const insist = async (address: string, driver: string | undefined, isRight: (device: PciDevice) => boolean) => {
    let said = 'it stayed where it was';
    for (let count = 0; count < tries; count += 1) {
      const device = await find(address);
      if (!device) throw new HostFailure('gpu_missing', `There is no device at ${address}.`);
      if (isRight(device)) return;
      if (count > 0) await clock.sleep(parts.pauseMs * count);
      await move(device, driver).catch((error: unknown) => {
        said = error instanceof Error ? error.message : String(error);
      });
    }
    const last = await find(address);
    if (last && isRight(last)) return;
    const wanted = driver === undefined ? 'did not leave VFIO' : 'was not taken by VFIO';
    throw new HostFailure('vfio_stuck', `${address} ${wanted} in ${tries} tries: ${said}. Restart the host.`);
  };

  return {
    async bind(addresses) {
      const refused = whyNot(await readPciDevices(root), addresses);
      if (refused !== undefined) throw new HostFailure('vfio_stuck', refused);
      for (const address of addresses) await insist(address, vfio, ({ driver }) => driver === vfio);
      for (const address of addresses) {
        const group = (await find(address))?.iommuGroup ?? '';
        if (!(await isThere(root, join('dev/vfio', group)))) {
          throw new HostFailure('vfio_stuck', `/dev/vfio/${group} of ${address} is missing.`);
        }
      }
    },
    async release(addresses) {
      const reset: string[] = [];
      for (const address of addresses) {
        const device = await find(address);
        if (!device || device.driver !== vfio) continue;
        // Clears the memory of the device, which belonged to the tenant. Without it the device stays with VFIO, and with its slot.
        if (!(await isThere(root, of(address, 'reset')))) {
          throw new HostFailure('vfio_stuck', `${address} has no reset: its memory is not cleared. Restart the host.`);
        }
        await parts.write(of(address, 'reset'), '1').catch((error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          throw new HostFailure('vfio_stuck', `${address} cannot be reset: ${why}. Restart the host.`);
        });
        reset.push(address);
        await insist(address, undefined, ({ driver }) => driver !== vfio);
      }
      return { reset };
    },
    async held() {
      return (await readPciDevices(root)).filter(({ driver }) => driver === vfio).map(({ address }) => address);
    },
  };
}
