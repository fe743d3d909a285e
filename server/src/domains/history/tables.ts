import type { Policies } from '../policy/index.ts';
import type { Subject } from './store.ts';

/**
 * Tables that grow with history, and how their rows leave. RFD 17 has the reasons. A table that is kept for ever has no policy.
 */
export const historyTables = {
  audit_logs: { keptBy: 'months', policy: 'history.audit_days' },
  audit_seals: { keptBy: 'batches', policy: 'history.audit_days' },
  audit_particulars: { keptBy: 'batches', policy: 'history.audit_days' },
  allocation_timeline: { keptBy: 'batches', policy: 'history.allocation_days' },
  placement_decisions: { keptBy: 'batches', policy: 'history.allocation_days' },
  node_tasks: { keptBy: 'batches', policy: 'history.allocation_days' },
  readiness_attestations: { keptBy: 'batches', policy: 'history.evidence_days' },
  outbox_events: { keptBy: 'sweeps', policy: 'events.retention_days' },
  consumed_events: { keptBy: 'sweeps', policy: 'events.retention_days' },
  idempotency_records: { keptBy: 'sweeps', policy: null },
  ledger_entries: { keptBy: 'months', policy: null },
  ledger_seals: { keptBy: 'ever', policy: null },
  usage_windows: { keptBy: 'months', policy: null },
  usage_evidence: { keptBy: 'months', policy: null },
} as const;
type HistoryPolicy = Exclude<(typeof historyTables)[keyof typeof historyTables]['policy'], null>;

export const retentionDays = (policies: Policies, policy: HistoryPolicy | null): number | null =>
  policy === null ? null : policies.number(policy);

export const policyOf = {
  audit: 'history.audit_days',
  allocations: 'history.allocation_days',
  node_tasks: 'history.allocation_days',
  attestations: 'history.evidence_days',
} as const satisfies Readonly<Record<Subject, HistoryPolicy>>;
