import { createHash } from 'node:crypto';
import { TerminalRecordEvent } from '@gpuaas/contract/terminal';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { chunkFormat } from '../facts.ts';

/**
 * A chunk as it lies in the object store: one line of JSON that says what it is, then the bytes of its events. Bytes are kept as the
 * shell printed them, so that a recording holds what was delivered, whatever it was; text is made of them when a person reads.
 * The line names the digest of the chunk before, so that the digest of a chunk covers all earlier ones.
 */
const ChunkHead = Type.Object({
  format: Type.Literal(chunkFormat),
  recording_id: Type.String(),
  sequence: Type.Integer(),
  from: Type.Integer(),
  to: Type.Integer(),
  previous: Type.String(),
  final: Type.Boolean(),
  events: Type.Array(TerminalRecordEvent),
});
export type ChunkHead = Static<typeof ChunkHead>;
const head = Compile(ChunkHead);

export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
export const encodeChunk = (of: Omit<ChunkHead, 'format'>, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ format: chunkFormat, ...of })}\n`), payload]);

/** Bytes that the events speak of: all of them, and the output alone. */
export function bytesIn(events: ChunkHead['events']): { readonly all: number; readonly output: number } {
  const of = (kinds: string) =>
    events.reduce((sum, [, kind, value]) => sum + (typeof value === 'number' && kinds.includes(kind) ? value : 0), 0);
  return { all: of('oi'), output: of('o') };
}

/** Undefined when it is no chunk, or not a whole one. */
export function decodeChunk(bytes: Buffer): { readonly head: ChunkHead; readonly payload: Buffer } | undefined {
  const end = bytes.indexOf('\n');
  if (end < 0) return undefined;
  let said: unknown;
  try {
    said = JSON.parse(bytes.subarray(0, end).toString('utf8'));
  } catch {
    return undefined;
  }
  if (!head.Check(said)) return undefined;
  const payload = bytes.subarray(end + 1);
  return bytesIn(said.events).all === payload.length ? { head: said, payload } : undefined;
}
