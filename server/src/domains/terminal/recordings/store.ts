import type { TerminalEndReason } from '@gpuaas/contract/terminal';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface RecordingRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly allocation_id: string;
  readonly user_id: string;
  readonly kind: 'metadata' | 'output';
  readonly records_input: boolean;
  readonly created_at: Date;
  readonly began_at: Date | null;
  readonly chunks: number;
  readonly stored_bytes: bigint;
  readonly recorded_to: bigint;
  readonly last_ms: bigint;
  readonly last_sha256: string | null;
  readonly finished_at: Date | null;
  readonly removed_at: Date | null;
  readonly session_name: string;
  readonly session_state: 'opening' | 'open' | 'ended';
  readonly columns: number;
  readonly rows: number;
  readonly ended_at: Date | null;
  readonly end_reason: TerminalEndReason | null;
  readonly sent_bytes: bigint | null;
}
export interface ChunkRow {
  readonly sequence: number;
  readonly from_offset: bigint;
  readonly to_offset: bigint;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly previous_sha256: string;
  readonly object_key: string;
}

const insert = sql(
  'terminal-recording-insert',
  `insert into terminal_recordings (id, organization_id, project_id, allocation_id, user_id, kind, records_input)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);
const find = sql(
  'terminal-recording-find',
  `select r.id, r.organization_id, r.project_id, r.allocation_id, r.user_id, r.kind, r.records_input, r.created_at, r.began_at,
     r.chunks, r.stored_bytes, r.recorded_to, r.last_ms, r.last_sha256, r.finished_at, r.removed_at,
     s.name as session_name, s.state as session_state, s.columns, s.rows, s.ended_at, s.end_reason, s.sent_bytes
   from terminal_recordings r join terminal_sessions s on s.id = r.id and s.organization_id = r.organization_id
   where r.id = $1 and mine(r.organization_id)`,
);
const list = sql(
  'terminal-recording-list',
  `select r.id, r.organization_id, r.project_id, r.allocation_id, r.user_id, r.kind, r.records_input, r.created_at, r.began_at,
     r.chunks, r.stored_bytes, r.recorded_to, r.last_ms, r.last_sha256, r.finished_at, r.removed_at,
     s.name as session_name, s.state as session_state, s.columns, s.rows, s.ended_at, s.end_reason, s.sent_bytes
   from terminal_recordings r join terminal_sessions s on s.id = r.id and s.organization_id = r.organization_id
   where mine(r.organization_id) and ($1::uuid is null or r.organization_id = $1)
     and ($2::uuid is null or r.allocation_id = $2) and ($3::uuid is null or r.user_id = $3)
     and ($4::timestamptz is null or r.created_at >= $4) and ($5::timestamptz is null or r.created_at < $5)
     and ($6::uuid is null or r.id < $6)
   order by r.id desc limit $7`,
);
const owner = sql(
  'terminal-recording-owner',
  'select organization_id, project_id from terminal_recordings where id = $1 and mine(organization_id)',
);
const append = sql(
  'terminal-recording-append',
  `insert into terminal_recording_chunks (recording_id, sequence, organization_id, from_offset, to_offset, last_ms, size_bytes,
     sha256, previous_sha256, object_key)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);
const grow = sql(
  'terminal-recording-grow',
  `update terminal_recordings set chunks = $2, recorded_to = $3, last_ms = $4, stored_bytes = stored_bytes + $5, last_sha256 = $6,
     began_at = coalesce(began_at, act_time()), finished_at = case when $7 then act_time() end
   where id = $1 and mine(organization_id)`,
);
const lastChunk = sql(
  'terminal-recording-chunk',
  `select sequence, from_offset, to_offset, size_bytes, sha256, previous_sha256, object_key from terminal_recording_chunks
   where recording_id = $1 and sequence = $2 and mine(organization_id)`,
);
const chunks = sql(
  'terminal-recording-chunks',
  `select sequence, from_offset, to_offset, size_bytes, sha256, previous_sha256, object_key from terminal_recording_chunks
   where recording_id = $1 and sequence > $2 and mine(organization_id) order by sequence limit $3`,
);
/** Recordings whose session is over, oldest first, by the time that their retention counts from. */
const kept = sql(
  'terminal-recordings-kept',
  `select r.id, r.organization_id, r.project_id, r.user_id, s.ended_at
   from terminal_recordings r join terminal_sessions s on s.id = r.id and s.organization_id = r.organization_id
   where r.removed_at is null and r.chunks > 0 and s.ended_at < $1 and mine(r.organization_id)
     and ($2::uuid is null or r.id > $2)
   order by r.id limit $3`,
);
const remove = sql(
  'terminal-recording-remove',
  `update terminal_recordings set removed_at = act_time() where id = $1 and removed_at is null and mine(organization_id)`,
);

export const insertRecording = (
  tx: WriteTx,
  one: Pick<
    RecordingRow,
    'id' | 'organization_id' | 'project_id' | 'allocation_id' | 'user_id' | 'kind' | 'records_input'
  >,
) =>
  tx.run(insert, [
    ...[one.id, one.organization_id, one.project_id, one.allocation_id, one.user_id, one.kind, one.records_input],
  ]);
export const findRecording = async (tx: ReadTx, id: string): Promise<RecordingRow | undefined> =>
  (await tx.rows<RecordingRow>(find, [id]))[0];
export interface RecordingFilter {
  readonly organization?: string | undefined;
  readonly allocation?: string | undefined;
  readonly user?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
export const listRecordings = (tx: ReadTx, of: RecordingFilter, before: string | undefined, limit: number) =>
  tx.rows<RecordingRow>(list, [
    ...[of.organization ?? null, of.allocation ?? null, of.user ?? null, of.from ?? null, of.to ?? null],
    ...[before ?? null, limit],
  ]);
export const findRecordingOwner = async (tx: ReadTx, id: string) =>
  (await tx.rows<{ organization_id: string; project_id: string }>(owner, [id]))[0];
export async function appendChunk(
  tx: WriteTx,
  recording: Pick<RecordingRow, 'id' | 'organization_id'>,
  chunk: ChunkRow & { readonly last_ms: number; readonly final: boolean },
): Promise<void> {
  await tx.run(append, [
    ...[recording.id, chunk.sequence, recording.organization_id, chunk.from_offset, chunk.to_offset, chunk.last_ms],
    ...[chunk.size_bytes, chunk.sha256, chunk.previous_sha256, chunk.object_key],
  ]);
  await tx.run(grow, [
    ...[recording.id, chunk.sequence, chunk.to_offset, chunk.last_ms, chunk.size_bytes, chunk.sha256, chunk.final],
  ]);
}
export const findChunk = async (tx: ReadTx, id: string, sequence: number): Promise<ChunkRow | undefined> =>
  (await tx.rows<ChunkRow>(lastChunk, [id, sequence]))[0];
export const listChunks = (tx: ReadTx, id: string, after: number, limit: number) =>
  tx.rows<ChunkRow>(chunks, [id, after, limit]);
export interface KeptRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly user_id: string;
  readonly ended_at: Date | null;
}
export const listKept = (tx: ReadTx, endedBefore: Date, after: string | undefined, limit: number) =>
  tx.rows<KeptRow>(kept, [endedBefore, after ?? null, limit]);
export const noteRemoved = (tx: WriteTx, id: string) => tx.run(remove, [id]);
