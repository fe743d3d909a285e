import type { Promised } from './list.ts';

/** What keeps personal data out of the audit log, and beside it erasable. */
export const auditUniqueness: Readonly<Record<string, Promised>> = {
  audit_particulars_pkey: {
    promise: 'a person has one row of particulars beside an audit row',
    table: 'audit_particulars',
    row: { audit_id: '01900000-0000-7000-8000-00000000c1c1', owner: 'one' },
  },
};

export const auditChecks: Readonly<Record<string, Promised>> = {
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
