import { join } from 'node:path';
import { nodeTaskKinds, Proof } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../../../disk.ts';
import { type AllocationRecords, checkedId, makeAllocationRecords, readRecord } from '../allocation-records.ts';
import { Setup } from './reports/progress.ts';

const order = nodeTaskKinds['slice.vm_provision'].params.properties;

/** Which slices are here: written before anything is made, removed after the last trace is gone. */
export const SliceRecord = Type.Object({
  allocation_id: order.allocation_id,
  generation: Type.Integer({ minimum: 1 }),
  slots: order.slots,
  login: order.login,
  /** `stopped` keeps its disk and devices. `ended` is for good: only a release comes after it. */
  state: Type.Enum(['making', 'running', 'stopped', 'ended']),
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
  /** What the machine said of its first boot; left out until it did. */
  setup: Type.Optional(Setup),
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

export interface SliceRecords extends AllocationRecords<SliceRecord> {
  /** Where the files of a slice are: its seed, its keys, what it says on its console. */
  folderOf(allocationId: string): string;
}
/** A disk by what it is, wherever it is plugged in: a controller, and the namespace of it. */
export type DiskName = Pick<DiskRecord, 'serial' | 'namespace'>;
export interface DiskRecords {
  get(disk: DiskName): Promise<DiskRecord | undefined>;
  put(record: DiskRecord): Promise<void>;
}

const sliceRecord = Compile(SliceRecord);
const diskRecord = Compile(DiskRecord);

export const makeSliceRecords = (at: { readonly disk: Disk; readonly folder: string }): SliceRecords => ({
  ...makeAllocationRecords({ ...at, isRecord: (value): value is SliceRecord => sliceRecord.Check(value) }),
  folderOf: (allocationId) => join(at.folder, checkedId(allocationId)),
});

export function makeDiskRecords({ disk, folder }: { readonly disk: Disk; readonly folder: string }): DiskRecords {
  // Serial numbers are the words of manufacturers; they become names of files by their bytes.
  const pathOf = ({ serial, namespace }: DiskName) =>
    join(folder, `${Buffer.from(serial).toString('hex')}-${namespace}.json`);
  return {
    get: (name) => readRecord(disk, pathOf(name), (value): value is DiskRecord => diskRecord.Check(value)),
    put: (record) => disk.write(pathOf(record), JSON.stringify(record)),
  };
}
