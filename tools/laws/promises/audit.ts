import type { Promised } from './list.ts';

/** Of an archive whose rows have left the database. */
const gone = {
  ...{ archived_at: '2026-01-01T00:00:00Z', removed_at: '2026-01-01T00:00:00Z', rows: 1, sha256: '0'.repeat(64) },
};

/** What keeps personal data out of the audit log, and beside it erasable. */
export const auditUniqueness: Readonly<Record<string, Promised>> = {
  audit_logs_pkey: {
    promise: 'an act leaves one audit row in its month',
    table: 'audit_logs',
    row: { id: '01900000-0000-7000-8000-00000000c1c2', created_at: '2026-01-01T00:00:00Z' },
  },
  history_archives_part: {
    promise: 'a month is archived once',
    table: 'history_archives',
    row: { part: 'audit_logs_2026_01', ...gone },
  },
  history_archives_open: {
    promise: 'one archive of a subject is under way at a time',
    table: 'history_archives',
    row: { subject: 'audit', removed_at: null },
  },
  history_archives_object_key_key: {
    promise: 'an archive has an object of its own',
    table: 'history_archives',
    row: { object_key: 'history/audit/one', ...gone },
  },
  history_links_pkey: {
    promise: 'a link of an audit chain is the last one of one archive',
    table: 'history_links',
    row: { chain: 'platform', last_sequence: 5 },
  },
  history_links_chain_first_sequence_key: {
    promise: 'a link of an audit chain is the first one of one archive',
    table: 'history_links',
    row: { chain: 'platform', first_sequence: 1 },
  },
  audit_particulars_pkey: {
    promise: 'a person has one row of particulars beside an audit row',
    table: 'audit_particulars',
    row: { audit_id: '01900000-0000-7000-8000-00000000c1c1', owner: 'one' },
  },
};

export const auditChecks: Readonly<Record<string, Promised>> = {
  history_archives_check: {
    promise: 'an archive that is there has a digest and a number of rows',
    table: 'history_archives',
    row: { archived_at: '2026-01-01T00:00:00Z', sha256: null, rows: 1, removed_at: null },
  },
  history_archives_check1: {
    promise: 'rows leave after their archive is there',
    table: 'history_archives',
    row: { archived_at: null, sha256: null, rows: null, removed_at: '2026-01-01T00:00:00Z' },
  },
  history_links_check: {
    promise: 'the links of an archive are a stretch of their chain',
    table: 'history_links',
    row: { first_sequence: 5, last_sequence: 4 },
  },
  audit_logs_no_address: {
    promise: 'the log says nothing of where a person was: that stands in a row that can be erased',
    table: 'audit_logs',
    row: { actor_address: '192.0.2.1', user_agent: null },
  },
  audit_logs_no_mail: {
    promise: 'no mail address reaches the log',
    table: 'audit_logs',
    row: { change: '{"to": "ada@example.test"}', target_id: 'x', actor_id: 'x', correlation_id: 'x' },
  },
};
