import type { Allocation } from '@gpuaas/sdk';

const columns: readonly (readonly [string, (row: Allocation) => string | number | null])[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['state', ({ state }) => state],
  ['sku', ({ sku }) => sku],
  ['gpus', ({ gpu_count }) => gpu_count],
  ['region', ({ region }) => region],
  ['requested_by', ({ requested_by }) => requested_by],
  ['per_hour_minor', ({ price }) => price.per_hour.amount_minor],
  ['currency', ({ price }) => price.per_hour.currency],
  ['created_at', ({ created_at }) => created_at],
  ['active_at', ({ active_at }) => active_at],
  ['ended_at', ({ ended_at }) => ended_at],
];

/** RFC 4180. A cell that a spreadsheet would take for a formula is made plain text by a quote in front of it. */
export const csvOf = (rows: readonly Allocation[]): string =>
  [columns.map(([name]) => name).join(','), ...rows.map((row) => columns.map(([, of]) => cell(of(row))).join(','))]
    .map((line) => `${line}\r\n`)
    .join('');

function cell(value: string | number | null): string {
  const text = String(value ?? '');
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
