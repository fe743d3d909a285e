import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Disk } from '../../disk.ts';
import type { GpuQuery, GpuReading } from './nvidia-smi.ts';
import { readPciDevices } from './sysfs.ts';

/** What the driver last said of each GPU, by its place on the bus. The driver cannot see a GPU that is handed through to a slice. */
const Known = Type.Record(
  Type.String(),
  Type.Object({ uuid: Type.String(), model: Type.String(), memoryMib: Type.Integer() }),
);
type Known = Static<typeof Known>;

export interface GpuInventory {
  /** Adds what the driver says now to what it said before, and answers with GPUs that VFIO holds as well. */
  complete(look: GpuQuery): Promise<GpuReading[]>;
  uuidAt(address: string): Promise<string | undefined>;
}

export function makeGpuInventory(parts: {
  readonly disk: Disk;
  readonly folder: string;
  readonly root: string;
}): GpuInventory {
  const path = join(parts.folder, 'gpus.json');
  const read = async (): Promise<Known> => {
    const value: unknown = JSON.parse((await parts.disk.read(path)) ?? '{}');
    return Check(Known, value) ? value : {};
  };
  return {
    async complete({ gpus }) {
      const before = await read();
      const seen = gpus.map(({ pciAddress, uuid, model, memoryMib }) => [pciAddress, { uuid, model, memoryMib }]);
      const known: Known = { ...before, ...Object.fromEntries(seen) };
      if (JSON.stringify(known) !== JSON.stringify(before)) await parts.disk.write(path, JSON.stringify(known));
      const held = (await readPciDevices(parts.root)).filter(({ driver }) => driver === 'vfio-pci');
      const away = held.flatMap(({ address }) => {
        const one = known[address];
        const isSeen = gpus.some(({ pciAddress }) => pciAddress === address);
        if (!one || isSeen) return [];
        return [
          { ...one, pciAddress: address, utilization: undefined, uncorrectedErrors: undefined, isPartitioned: false },
        ];
      });
      return [...gpus, ...away].sort((a, b) => (a.pciAddress < b.pciAddress ? -1 : 1));
    },
    uuidAt: async (address) => (await read())[address]?.uuid,
  };
}
