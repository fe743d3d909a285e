import { join } from 'node:path';
import type { HeldLease } from '@gpuaas/contract/node';
import type { Disk } from '../disk.ts';
import { type LeaseFile, parseLeaseFile, withPast } from './lease-file.ts';

/**
 * The leases of a node, one file per slot, written before the host is touched. They fence: a task of an older
 * generation than the lease is refused, and so is one for a slot whose previous lease did not end cleanly. A file that
 * cannot be read is a lease with an unknown holder: it is reported and blocks its slot until the control plane releases
 * it.
 */
export interface Leases {
  /** Why this order may not be carried out here, or nothing. */
  fence(order: LeaseOrder): LeaseRefusal | undefined;
  take(order: LeaseOrder & { readonly deadlineAt: string | null }): Promise<void>;
  mark(allocationId: string, state: LeaseFile['state']): Promise<void>;
  extend(allocationId: string, deadlineAt: string | null): Promise<void>;
  /** Everything of the lease is gone and proven. */
  clear(order: LeaseOrder): Promise<void>;
  held(): HeldLease[];
  /** Leases that a deadline may still end, earliest first. */
  ending(): { readonly allocationId: string; readonly deadlineMs: number }[];
  readonly unreadable: readonly string[];
}
export interface LeaseOrder {
  readonly purpose: 'provision' | 'release' | 'use';
  readonly allocationId: string;
  readonly generation: number;
  /** Empty for a whole node. */
  readonly slotIds: readonly string[];
}
export interface LeaseRefusal {
  readonly code: 'stale_generation' | 'lease_conflict' | 'lease_not_held' | 'lease_ended' | 'lease_unreadable';
  readonly message: string;
}

const wholeNode = 'whole-node';
/** Stands where an allocation would, when the file that knew it cannot be read. */
const nobody = '00000000-0000-0000-0000-000000000000';
const mostReported = 64;

export async function openLeases(parts: {
  readonly disk: Disk;
  readonly dir: string;
  /** Called after every change of a lease. */
  readonly onChange?: () => void;
}): Promise<Leases> {
  const { disk, dir } = parts;
  const doors = new Map<string, LeaseFile | 'unreadable'>();
  for (const name of await disk.list(dir)) {
    if (!name.endsWith('.json')) continue;
    doors.set(name.slice(0, -'.json'.length), parseLeaseFile(await disk.read(join(dir, name))) ?? 'unreadable');
  }
  const put = async (door: string, file: LeaseFile) => {
    await disk.write(join(dir, `${door}.json`), JSON.stringify(file));
    doors.set(door, file);
    parts.onChange?.();
  };
  const readable = () => [...doors].filter((entry): entry is [string, LeaseFile] => entry[1] !== 'unreadable');
  const of = (allocationId: string) => readable().filter(([, file]) => file.allocation_id === allocationId);
  const live = (allocationId: string) => of(allocationId).filter(([, file]) => !file.cleared);
  const change = async (allocationId: string, next: (file: LeaseFile) => LeaseFile) => {
    for (const [door, file] of live(allocationId)) await put(door, next(file));
  };
  const doorsOf = (order: LeaseOrder) => (order.slotIds.length > 0 ? order.slotIds : [wholeNode]);

  return {
    fence: (order) =>
      fenceGeneration(order, readable()) ??
      (order.purpose === 'use' ? fenceUse(order, live(order.allocationId)) : fenceDoors(order, doors)),
    async take(order) {
      for (const door of doorsOf(order)) {
        const before = doors.get(door);
        const isSame = before !== undefined && before !== 'unreadable' && before.allocation_id === order.allocationId;
        await put(door, {
          slot_id: door === wholeNode ? null : door,
          allocation_id: order.allocationId,
          generation: order.generation,
          state: 'provisioning',
          deadline_at: order.deadlineAt,
          cleared: false,
          past: before === undefined || before === 'unreadable' ? [] : isSame ? before.past : withPast(before),
        });
      }
    },
    mark: (allocationId, state) => change(allocationId, (file) => ({ ...file, state })),
    extend: (allocationId, deadlineAt) => change(allocationId, (file) => ({ ...file, deadline_at: deadlineAt })),
    async clear(order) {
      const own = new Set([...doorsOf(order), ...of(order.allocationId).map(([door]) => door)]);
      for (const door of own) {
        const before = doors.get(door);
        // The door of a lease that never was written stays without one.
        if (before === undefined) continue;
        const isSame = before !== 'unreadable' && before.allocation_id === order.allocationId;
        if (before !== 'unreadable' && !isSame) continue;
        await put(door, {
          slot_id: door === wholeNode ? null : door,
          allocation_id: order.allocationId,
          generation: isSame ? Math.max(before.generation, order.generation) : order.generation,
          state: 'ended',
          deadline_at: null,
          cleared: true,
          past: isSame ? before.past : [],
        });
      }
    },
    held: () => report(doors),
    ending: () =>
      [...new Map(readable().map(([, file]) => [file.allocation_id, file])).values()]
        .flatMap((file) =>
          file.cleared || file.state === 'ended' || file.deadline_at === null
            ? []
            : [{ allocationId: file.allocation_id, deadlineMs: Date.parse(file.deadline_at) }],
        )
        .sort((a, b) => a.deadlineMs - b.deadlineMs),
    get unreadable() {
      return [...doors].filter(([, file]) => file === 'unreadable').map(([door]) => door);
    },
  };
}

function fenceGeneration(order: LeaseOrder, files: readonly [string, LeaseFile][]): LeaseRefusal | undefined {
  for (const [, file] of files) {
    const mine =
      file.allocation_id === order.allocationId
        ? file
        : file.past.find(({ allocation_id }) => allocation_id === order.allocationId);
    if (!mine) continue;
    // What was cleared is over: the same generation may be cleared again, and never provisioned again.
    const isOver = mine !== file || file.cleared;
    const isStale =
      order.generation < mine.generation ||
      (isOver && order.purpose === 'provision' && order.generation === mine.generation);
    if (isStale) {
      return {
        code: 'stale_generation',
        message: `The lease is at generation ${mine.generation}, the order at ${order.generation}.`,
      };
    }
  }
  return undefined;
}

function fenceUse(order: LeaseOrder, live: readonly [string, LeaseFile][]): LeaseRefusal | undefined {
  const [first] = live;
  if (!first) return { code: 'lease_not_held', message: `No lease of allocation ${order.allocationId} is here.` };
  return first[1].state === 'ended' || first[1].state === 'releasing'
    ? { code: 'lease_ended', message: 'The lease has ended on this node.' }
    : undefined;
}

function fenceDoors(order: LeaseOrder, doors: ReadonlyMap<string, LeaseFile | 'unreadable'>): LeaseRefusal | undefined {
  // A whole node is every slot of it, and one slot is no longer free when the whole node is taken.
  const concerned = order.slotIds.length > 0 ? [...order.slotIds, wholeNode] : [...doors.keys()];
  for (const door of concerned) {
    const file = doors.get(door);
    if (file === undefined) continue;
    if (file === 'unreadable') {
      if (order.purpose === 'release') continue;
      return { code: 'lease_unreadable', message: `Nobody knows who holds ${door}; it has to be released first.` };
    }
    if (file.allocation_id === order.allocationId || file.cleared) continue;
    return order.purpose === 'release'
      ? { code: 'stale_generation', message: `${door} has gone to another allocation.` }
      : { code: 'lease_conflict', message: `${door} is held by another allocation.` };
  }
  return undefined;
}

function report(doors: ReadonlyMap<string, LeaseFile | 'unreadable'>): HeldLease[] {
  const held = new Map<string, HeldLease>();
  for (const [door, file] of doors) {
    if (file === 'unreadable') {
      const slots = door === wholeNode ? [] : [door];
      const unknown = { allocation_id: nobody, generation: 1, slot_ids: slots, deadline_at: null };
      held.set(`unreadable ${door}`, { ...unknown, state: 'unknown' });
      continue;
    }
    if (file.cleared) continue;
    const slots = file.slot_id === null ? [] : [file.slot_id];
    const sofar = held.get(file.allocation_id);
    held.set(file.allocation_id, {
      allocation_id: file.allocation_id,
      generation: Math.max(sofar?.generation ?? 0, file.generation),
      slot_ids: [...(sofar?.slot_ids ?? []), ...slots],
      // Doors of one lease that disagree were interrupted in the middle of a change.
      state: sofar && sofar.state !== file.state ? 'unknown' : file.state,
      deadline_at: file.deadline_at,
    });
  }
  return [...held.values()].slice(0, mostReported);
}
