import type { Promised } from './list.ts';

const when = '2026-01-01T00:00:00Z';

/** Promises of terminal sessions. */
export const terminalChecks: Readonly<Record<string, Promised>> = {
  terminal_sessions_ended: {
    promise: 'a session that ended says when and why, and no other one does',
    table: 'terminal_sessions',
    row: { state: 'ended', ended_at: when, end_reason: null },
  },
  terminal_sessions_home: {
    promise: 'a session that has a home says where it is reached',
    table: 'terminal_sessions',
    row: { home_copy: 'gateway-1', home_peer_url: null },
  },
  terminal_sessions_port: {
    promise: 'a session has a port exactly when it forwards one',
    table: 'terminal_sessions',
    row: { kind: 'forward', port: null },
  },
  terminal_recordings_begun: {
    promise: 'a recording with chunks says when it began and has the digest of the last one, and no other one does',
    table: 'terminal_recordings',
    row: { chunks: 1, began_at: when, last_sha256: null },
  },
  terminal_recording_chunks_range: {
    promise: 'a chunk of a recording ends where it begins or later',
    table: 'terminal_recording_chunks',
    row: { from_offset: 2, to_offset: 1 },
  },
};

export const terminalUniqueness: Readonly<Record<string, Promised>> = {
  terminal_recording_chunks_pkey: {
    promise: 'a recording has one chunk of each number',
    table: 'terminal_recording_chunks',
    row: { recording_id: '01900000-0000-7000-8000-00000000c1c1', sequence: 1 },
  },
};
