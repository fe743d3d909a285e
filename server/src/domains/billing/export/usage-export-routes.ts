import { billingUsageExport } from '@gpuaas/contract';
import type { Database, Mounted, Viewer } from '../../../kernel/act.ts';
import { handlers } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { exportLines } from '../facts.ts';
import { periodOf } from '../period.ts';
import type { Filters } from '../usage/series-store.ts';
import { focusHead, focusRow } from './focus.ts';
import { type ExportLine, listExportLines } from './lines-store.ts';
import { csvHead, csvRow } from './own-columns.ts';
import { asParquet } from './parquet.ts';
import { findPayer } from './payer-store.ts';

const on = handlers<{ readonly db: Database; readonly clock: Clock }>();

/** A batch at a time, each in a transaction of its own: a slow reader holds no connection. */
async function* batchesOf(db: Database, who: Viewer, of: Filters): AsyncGenerator<readonly ExportLine[]> {
  for (let last: ExportLine | undefined; ; ) {
    const lines = await db.read(who, (tx) => listExportLines(tx, of, last, exportLines));
    if (lines.length > 0) yield lines;
    if (lines.length < exportLines) return;
    last = lines.at(-1);
  }
}
async function* asText(
  batches: AsyncIterable<readonly ExportLine[]>,
  head: string,
  row: (line: ExportLine) => string,
): AsyncGenerator<string> {
  yield head;
  for await (const lines of batches) yield lines.map(row).join('');
}

const exported = on(billingUsageExport, async ({ db, clock }, who, { params, query }) => {
  const period = periodOf(query, clock.now());
  if (period instanceof Fault) return period;
  const payer = await db.read(who, (tx) => findPayer(tx, params.organization_id));
  if (!payer) return new Fault('organization_not_found', 'There is no such object.');
  const batches = batchesOf(db, who, {
    ...{ organizationId: params.organization_id, ...period, projectId: query.project_id, sku: query.sku },
    ...{ requestedBy: query.requested_by, allocationId: query.allocation_id, meter: query.meter },
  });
  const pieces =
    query.format === 'parquet'
      ? asParquet(batches)
      : query.format === 'focus'
        ? asText(batches, focusHead(), (line) => focusRow(line, payer))
        : asText(batches, csvHead(), csvRow);
  // The mount sends the pieces of a stream as they come.
  return pieces as unknown as string;
});

export const usageExportRoutes = (parts: { readonly db: Database; readonly clock: Clock }): Mounted[] => [
  exported(parts),
];
