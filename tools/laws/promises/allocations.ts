import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000a1a1';

/** What the schema promises about allocations: a row with these values is refused. */
export const allocationChecks: Readonly<Record<string, Promised>> = {
  allocations_attempts_check: {
    promise: 'a launch is tried a bounded number of times',
    table: 'allocations',
    row: { attempt: 4, max_attempts: 3 },
  },
  allocations_check: {
    promise: 'only what is requested waits in the queue',
    table: 'allocations',
    row: { placement_status: 'queued', state: 'active', node_id: uuid, generation: 1 },
  },
  allocations_check1: {
    promise: 'what is being made or used has a host and a lease',
    table: 'allocations',
    row: { state: 'active', node_id: null },
  },
  allocations_check2: {
    promise: 'what failed says why',
    table: 'allocations',
    row: { state: 'failed', failure_code: null },
  },
  allocations_unit_price_minor_check: {
    promise: 'no price is negative',
    table: 'allocations',
    row: { unit_price_minor: -1 },
  },
  allocations_queue_deadline_check: {
    promise: 'what waits in the queue gives up at a time',
    table: 'allocations',
    row: { placement_status: 'queued', state: 'requested', queue_deadline_at: null },
  },
};
