import { csvLine } from '../../../kernel/files/csv.ts';
import { dayMs } from '../../../kernel/units.ts';
import { unitDigits } from '../facts.ts';
import { decimal, hours, major, majorRate } from './figures.ts';
import { focusColumns, ownColumns } from './focus-columns.ts';
import type { ExportLine } from './lines-store.ts';

/** Whose costs they are. */
export interface Payer {
  readonly organizationId: string;
  readonly organization: string;
}

const provider = 'GPUaaS';
const time = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

/** Hours of what is priced by the hour; of counted units as many as the price is for. */
const quantityOf = ({ unit, quantity_ms }: ExportLine): string => {
  const digits = unitDigits[unit ?? ''];
  return digits === undefined ? hours(quantity_ms) : decimal(quantity_ms, digits);
};
const units: Readonly<Record<string, string>> = {
  ...{ gpu_hour: 'GPU-Hours', node_hour: 'Node-Hours', gib_hour: 'GiB-Hours' },
  ...{ unit: 'Units', thousand_units: '1000 Units', million_units: '1000000 Units' },
};
/** What was used, by its meter. */
function kindOf(line: ExportLine): Readonly<Record<string, string>> {
  if (line.meter === 'storage') {
    const resource = line.project ?? line.project_id;
    return {
      ...{ category: 'Storage', service: 'File storage', subcategory: 'File Storage', meter: 'Stored files' },
      ...{ resourceType: 'Project', resourceId: line.project_id, resource, description: `Files of ${resource}` },
    };
  }
  if (line.meter === 'app_units') {
    const meter = line.app_meter ?? '';
    return {
      ...{ category: 'Other', service: 'Apps', subcategory: 'Other (Other)', meter, resource: line.sku },
      ...{
        resourceType: 'App instance',
        resourceId: line.app_instance_id ?? '',
        description: `${meter} of ${line.sku}`,
      },
    };
  }
  const resource = line.allocation ?? line.allocation_id ?? '';
  return {
    ...{ category: 'Compute', service: 'GPU compute', subcategory: 'Other (Compute)', meter: 'GPU time' },
    ...{ resourceType: 'Allocation', resourceId: line.allocation_id ?? '', resource },
    description: `GPU time of ${resource}, ${line.sku_name ?? line.sku}`,
  };
}

/** Everything that a column can be filled with, by the names of `focus-columns.ts`. */
function factsOf(line: ExportLine, payer: Payer): Readonly<Record<string, string>> {
  const day = Date.parse(line.day);
  const at = new Date(day);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return {
    ...payer,
    ...{ provider, usage: 'Usage', usageBased: 'Usage-Based', standard: 'Standard' },
    ...kindOf(line),
    ...{ accountType: 'Organization', subAccountType: 'Project' },
    cost: major(line.amount_minor, line.currency),
    currency: line.currency,
    monthStart: time(Date.UTC(year, month, 1)),
    monthEnd: time(Date.UTC(year, month + 1, 1)),
    dayStart: time(day),
    dayEnd: time(day + dayMs),
    hours: quantityOf(line),
    unit: units[line.unit ?? ''] ?? 'Hours',
    rate: majorRate(line.rate_micro ?? 0n, line.currency),
    region: line.region ?? '',
    sku: line.sku,
    priceId: line.price_id ?? `${line.sku}@launch`,
    projectId: line.project_id,
    project: line.project ?? line.project_id,
    tags: JSON.stringify(line.tags ?? {}),
    lineId: line.id,
    amountMinor: line.amount_minor.toString(),
    quantityMs: line.quantity_ms.toString(),
    requestedBy: line.requested_by,
  };
}

const names = [...focusColumns.map(({ name }) => name), ...Object.keys(ownColumns)];
const sources = [...focusColumns.map(({ fact }) => fact), ...Object.values(ownColumns)];

export const focusHead = (): string => csvLine(names);
export const focusRow = (line: ExportLine, payer: Payer): string => {
  const facts = factsOf(line, payer);
  return csvLine(sources.map((fact) => (fact === undefined ? '' : facts[fact])));
};
