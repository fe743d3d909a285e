/**
 * Columns that may be null in their table and never are in the answer of this statement. PostgreSQL describes a statement
 * by its tables and cannot know; the reason stands beside each.
 */
export const neverNull: Readonly<Record<string, string>> = {
  'alert-over.allocation_id': 'the join needs it',
  'alert-over.node_id': 'the condition asks for it',
  'allocation-queue.queue_deadline_at': 'a check of the table demands it of everything that is queued',
  'billing-last-release.released_at': 'the condition asks for it',
  'breaker-unpublished.tripped_at': 'the condition asks for it',
  'guard-idle.idle_minutes': 'the condition asks for it',
  'node-newcomers.enrolled_at': 'the comparison with the report fails without it',
  'node-task-adopt.organization_id': 'a task of an allocation has the organization of the allocation',
  'node-task-unanswered.saga_token': 'the condition asks for it',
  'node-unheard.enrolled_at': 'the comparison with the moment fails without it',
  'payment-refunds-waiting.provider_payment_id': 'only a payment that was made can be refunded',
  'slots-take.allocation_id': 'the statement sets it',
  'ssh-key-remove-all.organization_id': 'a key of a project has the organization of the project',
};
