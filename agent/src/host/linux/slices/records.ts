import { join } from 'node:path';
import { nodeTaskKinds, Proof } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../../../disk.ts';
import { HostFailure } from '../../port.ts';

const order = nodeTaskKinds['slice.vm_provision'].params.properties;

/** Which slices are here: written before anything is made, removed after the last trace is gone. */
export const SliceRecord = Type.Object({
  allocation_id: order.allocation_id,
  generation: Type.Integer({ minimum: 1 }),
  slots: order.slots,
  login: order.login,
  /** `ended` is for good: only a release comes after it. */
  state: Type.Enum(['making', 'running', 'ended']),
  names: Type.Object({
    machine: Type.String(),
    tap: Type.String(),
    mac: Type.String(),
    address: Type.String(),
    sshPort: Type.Integer(),
  }),
  /** The image is on the disk, which held nothing else. */
  disk_clean: Type.Union([Proof, Type.Null()]),
  durations_ms: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
});
export type SliceRecord = Static<typeof SliceRecord>;

/** What is known of a disk that was ours once. */
export const DiskRecord = Type.Object({
  serial: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
  namespace: Type.Integer({ minimum: 1 }),
  state: Type.Enum(['clean', 'used']),
  allocation_id: order.allocation_id,
  method: Type.String(),
  at: Type.String(),
});
export type DiskRecord = Static<typeof DiskRecord>;

export interface SliceRecords {
  all(): Promise<SliceRecord[]>;
  get(allocationId: string): Promise<SliceRecord | undefined>;
  /** One change at a time, of what is there then. If it throws, everything stays as it was. */
  change<T extends SliceRecord | undefined>(
    allocationId: string,
    edit: (now: SliceRecord | undefined, others: readonly SliceRecord[]) => T | Promise<T>,
  ): Promise<T>;
  remove(allocationId: string): Promise<void>;
  /** Where the files of a slice are: its seed, its keys, what it says on its console. */
  folderOf(allocationId: string): string;
}
/** A disk by what it is, wherever it is plugged in: a controller, and the namespace of it. */
export type DiskName = Pick<DiskRecord, 'serial' | 'namespace'>;
export interface DiskRecords {
  get(disk: DiskName): Promise<DiskRecord | undefined>;
  put(record: DiskRecord): Promise<void>;
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isSlice = Compile(SliceRecord);
const isDisk = Compile(DiskRecord);

export function makeSliceRecords({ disk, folder }: { readonly disk: Disk; readonly folder: string }): SliceRecords {
  const checked = (allocationId: string) => {
    if (!uuid.test(allocationId)) throw new TypeError('An allocation is named by a UUID.');
    return allocationId;
  };
  const pathOf = (allocationId: string) => join(folder, `${checked(allocationId)}.json`);
  const read = async (path: string): Promise<SliceRecord | undefined> => {
    const value = await readJson(disk, path);
    if (value === undefined || isSlice.Check(value)) return value;
    // A device must not be given away while it is not known who has it.
    throw new HostFailure('host_not_ready', `${path} cannot be read; an operator has to look.`);
  };
  const all = async () => {
    const names = (await disk.list(folder)).filter((name) => name.endsWith('.json'));
    const found = await Promise.all(names.map((name) => read(join(folder, name))));
    return found.filter((one) => one !== undefined);
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    all,
    get: (allocationId) => read(pathOf(allocationId)),
    change(allocationId, edit) {
      const turn = last.then(async () => {
        const known = await all();
        const others = known.filter(({ allocation_id }) => allocation_id !== allocationId);
        const next = await edit(
          known.find(({ allocation_id }) => allocation_id === allocationId),
          others,
        );
        if (next) await disk.write(pathOf(allocationId), JSON.stringify(next));
        return next;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    remove: (allocationId) => disk.remove(pathOf(allocationId)),
    folderOf: (allocationId) => join(folder, checked(allocationId)),
  };
}

export function makeDiskRecords({ disk, folder }: { readonly disk: Disk; readonly folder: string }): DiskRecords {
  // Serial numbers are the words of manufacturers; they become names of files by their bytes.
  const pathOf = ({ serial, namespace }: DiskName) =>
    join(folder, `${Buffer.from(serial).toString('hex')}-${namespace}.json`);
  return {
    async get(name) {
      const value = await readJson(disk, pathOf(name));
      if (value === undefined || isDisk.Check(value)) return value;
      throw new HostFailure('host_not_ready', `${pathOf(name)} cannot be read; an operator has to look.`);
    },
    put: (record) => disk.write(pathOf(record), JSON.stringify(record)),
  };
}

async function readJson(disk: Disk, path: string): Promise<unknown> {
  const text = await disk.read(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
