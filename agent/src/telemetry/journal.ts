import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mostSamples, NodeSample } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import type { Disk } from '../disk.ts';

/**
 * Samples until the control plane has them, in files of at most one report each. A file is sent whole and removed when it was
 * answered, so a process that dies at any moment sends it again or goes on; a torn last line is left out. When the files take more
 * than their share of the disk, the oldest goes.
 */
export interface SampleJournal {
  append(samples: readonly NodeSample[]): Promise<void>;
  /** The oldest batch, and what to call when the control plane has answered for it. */
  next(): Promise<{ readonly samples: readonly NodeSample[]; done(): Promise<void> } | undefined>;
  readonly waiting: number;
  /** Samples that were given up for want of room. */
  readonly lost: number;
}

interface Segment {
  readonly name: string;
  bytes: number;
  samples: number;
}
const valid = Compile(NodeSample);
/** Below the longest message of the line. */
const segmentBytes = 256 * 1_024;
/** More than a day of a host with eight GPUs. */
const usualCapBytes = 24 * 1_024 * 1_024;
const nameOf = (number: number) => `${String(number).padStart(12, '0')}.jsonl`;

export async function openSampleJournal(parts: {
  readonly disk: Disk;
  readonly dir: string;
  readonly capBytes?: number;
}): Promise<SampleJournal> {
  const { disk, dir, capBytes = usualCapBytes } = parts;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const read = async (name: string): Promise<NodeSample[]> =>
    ((await disk.read(join(dir, name))) ?? '').split('\n').flatMap((line) => {
      const sample = parseOr(line);
      return valid.Check(sample) ? [sample as NodeSample] : [];
    });
  const segments: Segment[] = [];
  for (const name of (await disk.list(dir)).filter((each) => /^\d{12}\.jsonl$/.test(each))) {
    const samples = await read(name);
    if (samples.length === 0) await disk.remove(join(dir, name));
    else segments.push({ name, bytes: JSON.stringify(samples).length, samples: samples.length });
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
      lost += oldest.samples;
      if (current === oldest) current = undefined;
      await disk.remove(join(dir, oldest.name));
    }
  };
  return {
    async append(samples) {
      const text = samples.map((sample) => `${JSON.stringify(sample)}\n`).join('');
      const isFull =
        current && (current.samples + samples.length > mostSamples || current.bytes + text.length > segmentBytes);
      if (!current || isFull) {
        last += 1;
        current = { name: nameOf(last), bytes: 0, samples: 0 };
        segments.push(current);
      }
      current.bytes += text.length;
      current.samples += samples.length;
      // A disk that is full loses samples, not the agent.
      await appendFile(join(dir, current.name), text, { mode: 0o600 }).catch(() => {
        lost += samples.length;
      });
      await makeRoom();
    },
    async next() {
      for (;;) {
        const [first] = segments;
        if (!first) return undefined;
        // What comes from now on goes into another file: this one is sent as it is.
        if (current === first) current = undefined;
        const samples = (await read(first.name)).slice(0, mostSamples);
        const done = async () => {
          if (segments[0] === first) segments.shift();
          await disk.remove(join(dir, first.name));
        };
        if (samples.length > 0) return { samples, done };
        await done();
      }
    },
    get waiting() {
      return segments.reduce((sum, segment) => sum + segment.samples, 0);
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
