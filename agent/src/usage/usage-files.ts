import { join } from 'node:path';
import { NodeUsageRecord } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../disk.ts';

/** How far one lease was measured. */
const Cursor = Type.Object({
  allocation_id: Type.String(),
  generation: Type.Integer(),
  sequence: Type.Integer(),
  to_ms: Type.Integer(),
  boot_id: Type.String(),
  gpus: Type.Array(Type.String()),
  /** Whether the lease has ended here. The cursor stays a while: a lease that runs again goes on with the next number. */
  ended: Type.Boolean(),
});
export type Cursor = Static<typeof Cursor>;
const cursors = Compile(Type.Array(Cursor));
const records = Compile(NodeUsageRecord);

/**
 * What the meter keeps: records that nobody has answered for yet, one file each, and how far each lease was measured. A
 * record is written before the cursor moves past it, so a crash in between repeats nothing and loses nothing.
 */
export interface UsageFiles {
  /** Oldest first. */
  pending(): readonly NodeUsageRecord[];
  keep(record: NodeUsageRecord): Promise<void>;
  drop(record: NodeUsageRecord): Promise<void>;
  cursor(allocationId: string): Cursor | undefined;
  cursors(): readonly Cursor[];
  move(cursor: Cursor): Promise<void>;
}

/** Leases that ended and are remembered. */
const mostEnded = 256;
const cursorFile = 'cursors.json';
const nameOf = ({ allocation_id, generation, sequence }: NodeUsageRecord) =>
  `${allocation_id}-${generation}-${sequence}.json`;

export async function openUsageFiles(parts: { readonly disk: Disk; readonly dir: string }): Promise<UsageFiles> {
  const { disk, dir } = parts;
  const held = new Map<string, NodeUsageRecord>();
  for (const name of await disk.list(dir)) {
    if (!name.endsWith('.json') || name === cursorFile) continue;
    const record = parseOr(await disk.read(join(dir, name)));
    // A record that cannot be read proves nothing.
    if (records.Check(record)) held.set(name, record);
    else await disk.remove(join(dir, name));
  }
  const ordered = [...held].sort(([, a], [, b]) => Date.parse(a.from) - Date.parse(b.from) || a.sequence - b.sequence);
  held.clear();
  for (const [name, record] of ordered) held.set(name, record);
  const kept = parseOr(await disk.read(join(dir, cursorFile)));
  const known = new Map((cursors.Check(kept) ? kept : []).map((cursor) => [cursor.allocation_id, cursor]));
  for (const record of held.values()) {
    const cursor = known.get(record.allocation_id);
    const toMs = Date.parse(record.to);
    if (cursor && cursor.generation === record.generation && cursor.sequence >= record.sequence) continue;
    known.set(record.allocation_id, {
      allocation_id: record.allocation_id,
      generation: record.generation,
      sequence: record.sequence,
      to_ms: toMs,
      boot_id: cursor?.boot_id ?? '',
      gpus: [...record.gpus],
      ended: record.final,
    });
  }
  return {
    pending: () => [...held.values()],
    async keep(record) {
      const name = nameOf(record);
      await disk.write(join(dir, name), JSON.stringify(record));
      held.set(name, record);
    },
    async drop(record) {
      held.delete(nameOf(record));
      await disk.remove(join(dir, nameOf(record)));
    },
    cursor: (allocationId) => known.get(allocationId),
    cursors: () => [...known.values()],
    async move(cursor) {
      known.delete(cursor.allocation_id);
      known.set(cursor.allocation_id, cursor);
      const ended = [...known.values()].filter((one) => one.ended);
      for (const old of ended.slice(0, Math.max(0, ended.length - mostEnded))) known.delete(old.allocation_id);
      await disk.write(join(dir, cursorFile), JSON.stringify([...known.values()]));
    },
  };
}

function parseOr(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
