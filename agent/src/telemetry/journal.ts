import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mostSamples, NodeSample } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import type { Disk } from '../disk.ts';

/**
 * What waits until the control plane has it, in files of at most one report each. A file is sent whole and removed when it was
 * answered, so a process that dies at any moment sends it again or goes on; a torn last line is left out. When the files take more
 * than their share of the disk, the oldest goes.
 */
export interface BatchJournal<T> {
  append(items: readonly T[]): Promise<void>;
  /** The oldest batch, and what to call when the control plane has answered for it. */
  next(): Promise<{ readonly items: readonly T[]; done(): Promise<void> } | undefined>;
  readonly waiting: number;
  /** What was given up for want of room. */
  readonly lost: number;
}
export type SampleJournal = BatchJournal<NodeSample>;

interface Segment {
  readonly name: string;
  bytes: number;
  items: number;
}
const isSample = Compile(NodeSample);
/** Below the longest message of the line. */
const segmentBytes = 256 * 1_024;
/** More than a day of a host with eight GPUs. */
const usualCapBytes = 24 * 1_024 * 1_024;
const nameOf = (number: number) => `${String(number).padStart(12, '0')}.jsonl`;

export const openSampleJournal = (parts: {
  readonly disk: Disk;
  readonly dir: string;
  readonly capBytes?: number;
}): Promise<SampleJournal> =>
  openBatchJournal({
    ...{ capBytes: usualCapBytes, ...parts, most: mostSamples },
    isItem: (value): value is NodeSample => isSample.Check(value),
  });

export async function openBatchJournal<T>(parts: {
  readonly disk: Disk;
  readonly dir: string;
  readonly capBytes: number;
  /** Items of one report. */
  readonly most: number;
  readonly isItem: (value: unknown) => value is T;
}): Promise<BatchJournal<T>> {
  const { disk, dir, capBytes, most } = parts;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const read = async (name: string): Promise<T[]> =>
    ((await disk.read(join(dir, name))) ?? '').split('\n').flatMap((line) => {
      const item = parseOr(line);
      return parts.isItem(item) ? [item] : [];
    });
  const segments: Segment[] = [];
  for (const name of (await disk.list(dir)).filter((each) => /^\d{12}\.jsonl$/.test(each))) {
    const items = await read(name);
    if (items.length === 0) await disk.remove(join(dir, name));
    else segments.push({ name, bytes: JSON.stringify(items).length, items: items.length });
  }
  let last = Number(segments.at(-1)?.name.slice(0, 12) ?? 0);
  let current: Segment | undefined;
  let lost = 0;

  const makeRoom = async () => {
    let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    while (bytes > capBytes && segments.length > 1) {
      const oldest = segments.shift();
      if (!oldest) return;
      bytes -= oldest.bytes;
      lost += oldest.items;
      if (current === oldest) current = undefined;
      await disk.remove(join(dir, oldest.name));
    }
  };
  return {
    async append(items) {
      const text = items.map((item) => `${JSON.stringify(item)}\n`).join('');
      const isFull = current && (current.items + items.length > most || current.bytes + text.length > segmentBytes);
      if (!current || isFull) {
        last += 1;
        current = { name: nameOf(last), bytes: 0, items: 0 };
        segments.push(current);
      }
      current.bytes += text.length;
      current.items += items.length;
      // A disk that is full loses what was measured or said, not the agent.
      await appendFile(join(dir, current.name), text, { mode: 0o600 }).catch(() => {
        lost += items.length;
      });
      await makeRoom();
    },
    async next() {
      for (;;) {
        const [first] = segments;
        if (!first) return undefined;
        // What comes from now on goes into another file: this one is sent as it is.
        if (current === first) current = undefined;
        const items = (await read(first.name)).slice(0, most);
        const done = async () => {
          if (segments[0] === first) segments.shift();
          await disk.remove(join(dir, first.name));
        };
        if (items.length > 0) return { items, done };
        await done();
      }
    },
    get waiting() {
      return segments.reduce((sum, segment) => sum + segment.items, 0);
    },
    get lost() {
      return lost;
    },
  };
}

function parseOr(line: string): unknown {
  try {
    return line === '' ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}
