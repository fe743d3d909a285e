import { join } from 'node:path';
import type { Disk } from '../../disk.ts';
import { HostFailure } from '../port.ts';

/**
 * What this host knows of its allocations, one file each: written before anything is made, removed after the last trace is
 * gone. Slices and containers each have a folder of them.
 */
export interface AllocationRecords<R extends { readonly allocation_id: string }> {
  all(): Promise<R[]>;
  get(allocationId: string): Promise<R | undefined>;
  /** One change at a time, of what is there then. If it throws, everything stays as it was. */
  change<T extends R | undefined>(
    allocationId: string,
    edit: (now: R | undefined, others: readonly R[]) => T | Promise<T>,
  ): Promise<T>;
  remove(allocationId: string): Promise<void>;
}

export function makeAllocationRecords<R extends { readonly allocation_id: string }>({
  disk,
  folder,
  isRecord,
}: {
  readonly disk: Disk;
  readonly folder: string;
  readonly isRecord: (value: unknown) => value is R;
}): AllocationRecords<R> {
  const pathOf = (allocationId: string) => join(folder, `${checkedId(allocationId)}.json`);
  const all = async () => {
    const names = (await disk.list(folder)).filter((name) => name.endsWith('.json'));
    const found = await Promise.all(names.map((name) => readRecord(disk, join(folder, name), isRecord)));
    return found.filter((one) => one !== undefined);
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    all,
    get: (allocationId) => readRecord(disk, pathOf(allocationId), isRecord),
    change(allocationId, edit) {
      const turn = last.then(async () => {
        const known = await all();
        const next = await edit(
          known.find(({ allocation_id }) => allocation_id === allocationId),
          known.filter(({ allocation_id }) => allocation_id !== allocationId),
        );
        if (next) await disk.write(pathOf(allocationId), JSON.stringify(next));
        return next;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    remove: (allocationId) => disk.remove(pathOf(allocationId)),
  };
}

/** Nothing where there is no file. A file that cannot be read fails: its devices must not be given to another tenant. */
export async function readRecord<R>(
  disk: Disk,
  path: string,
  isRecord: (value: unknown) => value is R,
): Promise<R | undefined> {
  const text = await disk.read(path);
  if (text === undefined) return undefined;
  const value = parse(text);
  if (isRecord(value)) return value;
  throw new HostFailure('host_not_ready', `${path} cannot be read; an operator has to look.`);
}
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** An id that is safe as the name of a file. */
export function checkedId(allocationId: string): string {
  if (!uuid.test(allocationId)) throw new TypeError('An allocation is named by a UUID.');
  return allocationId;
}
