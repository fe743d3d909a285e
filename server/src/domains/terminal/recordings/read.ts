import { buffer } from 'node:stream/consumers';
import type { Database, Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import { pageBytes, pageChunks } from '../facts.ts';
import { type CastFormat, castEvents, castHeader } from './cast.ts';
import { type ChunkHead, decodeChunk, digestOf } from './chunk.ts';
import { type ChunkRow, listChunks, type RecordingRow } from './store.ts';

type Store = Pick<Objects, 'get'>;

/** Why a chunk is not what was stored, or the chunk. */
export async function readChunk(
  objects: Store,
  recordingId: string,
  row: ChunkRow,
): Promise<{ readonly head: ChunkHead; readonly payload: Buffer } | string> {
  const object = await objects.get(row.object_key);
  if (!object) return 'Its object is gone from the store.';
  const bytes = await buffer(object.body);
  if (digestOf(bytes) !== row.sha256) return 'Its object was changed: the digest is not the one that was noted.';
  const chunk = decodeChunk(bytes);
  if (!chunk) return 'Its object is no chunk of a recording.';
  const { head } = chunk;
  const isIts =
    head.recording_id === recordingId &&
    head.sequence === row.sequence &&
    head.previous === row.previous_sha256 &&
    BigInt(head.from) === row.from_offset &&
    BigInt(head.to) === row.to_offset;
  return isIts ? chunk : 'Its row was changed: the object says another thing.';
}

const damaged = (sequence: number, problem: string) =>
  new Fault('recording_damaged', `Chunk ${sequence} cannot be shown. ${problem}`, { sequence });

/** One page of a recording, and where the next one begins. `at` is `SEQUENCE.MILLISECONDS.BYTES` of the page before. */
export async function readCast(
  parts: { readonly db: Database; readonly objects: Store },
  who: Viewer,
  recording: RecordingRow,
  query: { readonly at?: string; readonly format?: CastFormat },
): Promise<{ readonly cast: string; readonly next: string | null } | Fault<'recording_damaged'>> {
  const format = query.format ?? 'v2';
  const [sequence = '0', ms = '0', cut = ''] = (query.at ?? '').split('.');
  const after = Number(sequence);
  const rows = await parts.db.read(who, (tx) => listChunks(tx, recording.id, after, pageChunks));
  const chunks: { readonly head: ChunkHead; readonly payload: Buffer }[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.size_bytes;
    if (chunks.length > 0 && bytes > pageBytes) break;
    const chunk = await readChunk(parts.objects, recording.id, row);
    if (typeof chunk === 'string') return damaged(row.sequence, chunk);
    chunks.push(chunk);
  }
  const { text, at } = castEvents(chunks, format, { ms: Number(ms), cut: Buffer.from(cut, 'hex') });
  const last = chunks.at(-1)?.head.sequence ?? after;
  // The first event says how large the screen is.
  const [, kind, size] = chunks[0]?.head.events[0] ?? [];
  const [columns, lines] = kind === 'r' ? String(size).split('x').map(Number) : [];
  const header = castHeader(format, {
    ...{ name: recording.session_name, beganAt: recording.began_at },
    ...{ columns: columns ?? recording.columns, rows: lines ?? recording.rows },
  });
  const hasMore = rows.length > chunks.length || last < recording.chunks;
  const place = at.cut.length > 0 ? `${last}.${at.ms}.${at.cut.toString('hex')}` : `${last}.${at.ms}`;
  return { cast: after === 0 ? `${header}${text}` : text, next: hasMore && chunks.length > 0 ? place : null };
}
