import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';

/** Promises of logs. */
export const logChecks: Readonly<Record<string, Promised>> = {
  node_log_lines_owner_known: {
    promise: 'a line of a console says whose it is, and a line of an agent belongs to no tenant',
    table: 'node_log_lines',
    row: { stream: 'agent', level: 'info', line: 'x', allocation_id: uuid, organization_id: uuid },
  },
  node_log_lines_console: {
    promise: 'a line of a console names its allocation',
    table: 'node_log_lines',
    row: { stream: 'console', level: 'info', line: 'x', allocation_id: null, organization_id: uuid },
  },
};
