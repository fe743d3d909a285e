import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from '../../disk.ts';
import type { ConsoleLine } from '../port.ts';

/** A machine whose serial console libvirt writes into a file of its folder. */
export interface ConsoleOf {
  readonly allocationId: string;
  readonly folder: string;
}

/** Lines of one machine in one look: a machine that writes more does not take the room of others on this host. */
const mostLines = 40;
const chunkBytes = 32 * 1_024;
/** A machine that is further ahead of us than this writes faster than lines are sent; what lies between is skipped. */
const mostBehindBytes = 512 * 1_024;
/** A line without an end is taken as it is when it is this long. */
const longestLine = 4_000;

/** Reads what machines wrote since the last look. How far it has read lies beside the file, so a new agent goes on there. */
export function makeSerialConsoles(parts: {
  readonly disk: Disk;
  readonly machines: () => Promise<readonly ConsoleOf[]>;
}) {
  const readOne = async ({ allocationId, folder }: ConsoleOf): Promise<ConsoleLine[]> => {
    const mark = join(folder, 'console.offset');
    const file = await open(join(folder, 'console.log'), 'r').catch(() => undefined);
    if (!file) return [];
    try {
      const { size } = await file.stat();
      const kept = Number((await parts.disk.read(mark)) ?? 0);
      // A file that is shorter than what was read is another one.
      const from = Number.isSafeInteger(kept) && kept >= 0 && kept <= size ? kept : 0;
      if (from === size) return [];
      const skipped = size - from > mostBehindBytes ? size - from - chunkBytes : 0;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, from + skipped);
      const { texts, bytes } = linesIn(buffer.subarray(0, bytesRead));
      if (bytes === 0 && skipped === 0) return [];
      await parts.disk.write(mark, String(from + skipped + bytes));
      const said =
        skipped > 0 ? [`gpuaas: ${skipped} bytes were skipped: the machine writes faster than they are sent.`] : [];
      return [...said, ...texts].map((text) => ({ allocationId, text }));
    } finally {
      await file.close();
    }
  };
  return async (): Promise<ConsoleLine[]> => {
    const all = await Promise.all((await parts.machines()).map(readOne));
    return all.flat();
  };
}

/** Whole lines, and how many bytes they are. */
function linesIn(chunk: Buffer): { readonly texts: string[]; readonly bytes: number } {
  const texts: string[] = [];
  let at = 0;
  while (texts.length < mostLines) {
    const end = chunk.indexOf('\n', at);
    const isLong = (end < 0 ? chunk.length : end) - at > longestLine;
    if (end < 0 && !isLong) break;
    const to = isLong ? at + longestLine : end;
    const text = chunk.subarray(at, to).toString('utf8').replace(/\r+$/, '');
    if (text.trim() !== '') texts.push(text);
    at = isLong ? to : end + 1;
  }
  return { texts, bytes: at };
}
