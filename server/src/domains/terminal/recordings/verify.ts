import type { RecordingVerdict } from '@gpuaas/contract';
import type { Database, Viewer } from '../../../kernel/act.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import { beforeTheFirst, pageChunks } from '../facts.ts';
import { readChunk } from './read.ts';
import { type ChunkRow, listChunks, type RecordingRow } from './store.ts';

/**
 * Reads every chunk and recomputes its digest, whatever the store says of it. Each must follow the one before: by its number, by its
 * place in the output and by the digest that it names. The last one must be the one that the recording, and the audit log, end with.
 */
export async function verifyRecording(
  parts: { readonly db: Database; readonly objects: Pick<Objects, 'get'> },
  who: Viewer,
  recording: RecordingRow,
): Promise<RecordingVerdict> {
  let [checked, to, previous] = [0, 0n, beforeTheFirst];
  const verdict = (broken: RecordingVerdict['broken']): RecordingVerdict => ({
    recording_id: recording.id,
    ...{ intact: broken === null, chunks: checked, broken },
  });
  const misplaced = (row: ChunkRow): string | undefined => {
    if (row.sequence !== checked + 1) return 'It is missing.';
    if (row.previous_sha256 !== previous) return 'It does not follow the chunk before it.';
    return row.from_offset === to ? undefined : 'Output between it and the chunk before it is missing.';
  };
  for (;;) {
    const rows = await parts.db.read(who, (tx) => listChunks(tx, recording.id, checked, pageChunks));
    for (const row of rows) {
      const problem = misplaced(row) ?? (await readChunk(parts.objects, recording.id, row));
      if (typeof problem === 'string') return verdict({ sequence: checked + 1, problem });
      checked += 1;
      to = row.to_offset;
      previous = row.sha256;
    }
    if (rows.length === 0) break;
  }
  if (checked < recording.chunks) return verdict({ sequence: checked + 1, problem: 'It is missing.' });
  if (checked > 0 && previous !== recording.last_sha256) {
    return verdict({ sequence: checked, problem: 'It is not the chunk that the recording ends with.' });
  }
  return verdict(null);
}
