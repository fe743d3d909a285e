import { csvLine } from '../../../kernel/files/csv.ts';
import type { ExportLine } from './lines-store.ts';

/** The columns of our own CSV and Parquet files: exact figures, nothing rounded for people. */
export const columns = [
  { name: 'line_id', kind: 'text', of: (line: ExportLine) => line.id },
  { name: 'day', kind: 'text', of: (line: ExportLine) => line.day },
  { name: 'project_id', kind: 'text', of: (line: ExportLine) => line.project_id },
  { name: 'project', kind: 'text', of: (line: ExportLine) => line.project },
  { name: 'requested_by', kind: 'text', of: (line: ExportLine) => line.requested_by },
  { name: 'person', kind: 'text', of: (line: ExportLine) => line.person },
  { name: 'sku', kind: 'text', of: (line: ExportLine) => line.sku },
  { name: 'meter', kind: 'text', of: (line: ExportLine) => line.meter },
  { name: 'app_instance_id', kind: 'text', of: (line: ExportLine) => line.app_instance_id },
  { name: 'app_meter', kind: 'text', of: (line: ExportLine) => line.app_meter },
  { name: 'allocation_id', kind: 'text', of: (line: ExportLine) => line.allocation_id },
  { name: 'allocation', kind: 'text', of: (line: ExportLine) => line.allocation },
  { name: 'region', kind: 'text', of: (line: ExportLine) => line.region },
  { name: 'unit', kind: 'text', of: (line: ExportLine) => line.unit },
  { name: 'gpus', kind: 'whole', of: (line: ExportLine) => (line.gpus === null ? null : BigInt(line.gpus)) },
  { name: 'quantity_ms', kind: 'whole', of: (line: ExportLine) => line.quantity_ms },
  { name: 'rate_micro', kind: 'whole', of: (line: ExportLine) => line.rate_micro },
  { name: 'price_id', kind: 'text', of: (line: ExportLine) => line.price_id },
  { name: 'amount_minor', kind: 'whole', of: (line: ExportLine) => line.amount_minor },
  { name: 'currency', kind: 'text', of: (line: ExportLine) => line.currency },
  { name: 'windows', kind: 'whole', of: (line: ExportLine) => BigInt(line.windows) },
] as const;

export const csvHead = (): string => csvLine(columns.map(({ name }) => name));
export const csvRow = (line: ExportLine): string => csvLine(columns.map(({ of }) => of(line)));
