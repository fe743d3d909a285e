import type { TerminalRecordingInfo } from '@gpuaas/contract';
import type { RecordingRow } from './store.ts';

function stateOf(row: RecordingRow): TerminalRecordingInfo['state'] {
  if (row.removed_at !== null) return 'removed';
  if (row.session_state !== 'ended') return 'recording';
  return row.kind === 'metadata' || row.finished_at !== null ? 'complete' : 'partial';
}

export const showRecording = (row: RecordingRow): TerminalRecordingInfo => ({
  id: row.id,
  organization_id: row.organization_id,
  project_id: row.project_id,
  allocation_id: row.allocation_id,
  user_id: row.user_id,
  name: row.session_name,
  kind: row.kind,
  state: stateOf(row),
  records_input: row.records_input,
  columns: row.columns,
  rows: row.rows,
  created_at: row.created_at.toISOString(),
  began_at: row.began_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
  end_reason: row.end_reason,
  duration_ms: Number(row.last_ms),
  output_bytes: Number(row.kind === 'output' ? row.recorded_to : (row.sent_bytes ?? 0n)),
  stored_bytes: Number(row.stored_bytes),
  chunks: row.chunks,
  sha256: row.last_sha256,
});
