import type { AuditEntry } from '@gpuaas/contract';
import { csvLine } from '../../kernel/files/csv.ts';

const columns = [
  'id',
  'created_at',
  'organization_id',
  'project_id',
  'actor_id',
  'actor_kind',
  'actor_role',
  'action',
  'target_type',
  'target_id',
  'result',
  'correlation_id',
  'actor_address',
  'user_agent',
  'is_erased',
  'committed_by',
  'change',
] as const satisfies readonly (keyof AuditEntry)[];

export const asNdjson = (entries: readonly AuditEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

export const asCsv = (entries: readonly AuditEntry[]): string =>
  [csvLine(columns), ...entries.map((entry) => csvLine(columns.map((column) => entry[column])))].join('');
