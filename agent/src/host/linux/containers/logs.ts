import { open } from 'node:fs/promises';
import { type OciLogLine, ociMost } from '@gpuaas/contract/node';

/** How much of the end of a log is looked at. */
const windowBytes = 256 * 1_024;
const line = /^(\S+) (stdout|stderr) ([FP]) ?(.*)$/s;

export interface Tail {
  readonly truncated: boolean;
  readonly lines: OciLogLine[];
}

/**
 * The last lines of a log, as conmon writes it: a time, a stream, whether the line is whole (F) or goes on in the next (P), and the words.
 * The words are a tenant's: bytes that are no text and NUL, which no database takes, are replaced.
 */
export async function readTail(path: string, tailLines: number): Promise<Tail> {
  const { text, isWhole } = await endOf(path);
  const rows = text.split('\n').slice(isWhole ? 0 : 1);
  const lines = joined(rows);
  const kept: OciLogLine[] = [];
  let bytes = 0;
  for (const one of lines.toReversed()) {
    bytes += Buffer.byteLength(one.text);
    if (kept.length === tailLines || bytes > ociMost.logBytes) break;
    kept.unshift(one);
  }
  return { truncated: !isWhole || kept.length < lines.length, lines: kept };
}

function joined(rows: readonly string[]): OciLogLine[] {
  const lines: OciLogLine[] = [];
  const open = new Map<string, string>();
  for (const row of rows) {
    const [, at = '', stream, whole, words = ''] = line.exec(row) ?? [];
    if (stream !== 'stdout' && stream !== 'stderr') continue;
    const text = (open.get(stream) ?? '') + words;
    if (whole === 'P') {
      open.set(stream, text);
      continue;
    }
    open.delete(stream);
    lines.push({ at: momentOf(at), stream, text: clean(text) });
  }
  return lines;
}

const clean = (text: string) => text.replaceAll('\0', '\ufffd').slice(0, ociMost.logBytes).toWellFormed();
function momentOf(text: string): string | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

async function endOf(path: string): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return { text: '', isWhole: true };
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - windowBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    return { text: buffer.subarray(0, bytesRead).toString('utf8'), isWhole: from === 0 };
  } finally {
    await handle.close();
  }
}
