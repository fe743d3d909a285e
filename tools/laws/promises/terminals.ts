import type { Promised } from './list.ts';

const when = '2026-01-01T00:00:00Z';

/** Promises of terminal sessions. */
const publicKey = `ssh-ed25519 ${'A'.repeat(68)}`;
const fingerprints = { fingerprint: `SHA256:${'A'.repeat(43)}`, key_fingerprint: `SHA256:${'B'.repeat(43)}` };

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
  ssh_platform_keys_life: {
    promise: 'an SSH key of the platform is used before it is retired',
    table: 'ssh_platform_keys',
    row: { used_from: '2026-01-02T00:00:00Z', retired_at: '2026-01-01T00:00:00Z' },
  },
  ssh_certificates_short: {
    promise: 'an SSH certificate lives for an hour at most',
    table: 'ssh_certificates',
    row: { ...fingerprints, created_at: '2026-01-01T00:00:00Z', expires_at: '2026-01-01T02:00:00Z' },
  },
};

export const terminalUniqueness: Readonly<Record<string, Promised>> = {
  ssh_platform_keys_pkey: {
    promise: 'the SSH keys of a kind have numbers of their own',
    table: 'ssh_platform_keys',
    row: { kind: 'user_authority', number: 7, public_key: publicKey, retired_at: null },
  },
  ssh_platform_keys_current: {
    promise: 'of each kind the platform uses one SSH key',
    table: 'ssh_platform_keys',
    row: { kind: 'jump_host', public_key: publicKey, used_from: '2026-01-01T00:00:00Z', retired_at: null },
  },
  ssh_platform_keys_next: {
    promise: 'of each kind one SSH key is announced',
    table: 'ssh_platform_keys',
    row: { kind: 'jump_host', public_key: publicKey, used_from: null, retired_at: null },
  },
  ssh_certificates_fingerprint_key: {
    promise: 'the bytes of an SSH certificate name one row',
    table: 'ssh_certificates',
    row: { ...fingerprints, created_at: '2026-01-01T00:00:00Z', expires_at: '2026-01-01T00:10:00Z' },
  },
  terminal_recording_chunks_pkey: {
    promise: 'a recording has one chunk of each number',
    table: 'terminal_recording_chunks',
    row: { recording_id: '01900000-0000-7000-8000-00000000c1c1', sequence: 1 },
  },
};
