import type { AuditEntry } from '@gpuaas/contract';

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

/** RFC 4180. A cell that a spreadsheet would take for a formula is made plain text by a quote in front of it. */
export const asCsv = (entries: readonly AuditEntry[]): string =>
  [columns.join(','), ...entries.map((entry) => columns.map((column) => cell(entry[column])).join(','))]
    .map((line) => `${line}\r\n`)
    .join('');

function cell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
