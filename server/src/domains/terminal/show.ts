import type { AdminTerminalSession, TerminalSession } from '@gpuaas/contract';
import type { TerminalSessionFacts } from '@gpuaas/contract/terminal';
import type { LiveFacts } from './live.ts';
import type { SessionRow } from './store.ts';

const time = (at: Date | null): string | null => at?.toISOString() ?? null;
const bytes = (kept: bigint | null, live: number | undefined): number | null =>
  kept === null ? (live ?? null) : Number(kept);

export const showSession = (row: SessionRow, reported: LiveFacts | undefined): TerminalSession => {
  const live = row.state === 'ended' ? undefined : reported;
  return {
    id: row.id,
    organization_id: row.organization_id,
    project_id: row.project_id,
    allocation_id: row.allocation_id,
    user_id: row.user_id,
    name: row.name,
    kind: row.kind,
    port: row.port,
    ssh_key_id: row.ssh_key_id,
    ssh_certificate_id: row.ssh_certificate_id,
    state: row.state,
    version: Number(row.version),
    has_writer: live?.writer ?? false,
    watchers: live?.watchers ?? 0,
    recording: row.recording,
    columns: row.columns,
    rows: row.rows,
    sent_bytes: bytes(row.sent_bytes, reported?.sent),
    received_bytes: bytes(row.received_bytes, reported?.written),
    simulated: row.simulated,
    created_at: row.created_at.toISOString(),
    opened_at: time(row.opened_at),
    expires_at: row.expires_at.toISOString(),
    ended_at: time(row.ended_at),
    end_reason: row.end_reason,
  };
};

export const showForOperator = (row: SessionRow, reported: LiveFacts | undefined): AdminTerminalSession => ({
  ...showSession(row, reported),
  node_id: row.node_id,
  gateway_copy: row.home_copy,
});

export const factsOf = (row: SessionRow): TerminalSessionFacts => ({
  id: row.id,
  allocation_id: row.allocation_id,
  node_id: row.node_id,
  user_id: row.user_id,
  name: row.name,
  kind: row.kind,
  expires_at: row.expires_at.toISOString(),
  recording: row.recording,
  simulated: row.simulated,
});
