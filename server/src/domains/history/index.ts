import { systemViewer } from '../../kernel/act.ts';
import type { Lease } from '../../kernel/process/lease.ts';
import { type Reconciling, startReconciler } from '../../kernel/process/reconciler.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../kernel/units.ts';
import type { Policies } from '../policy/index.ts';
import { type ArchiveParts, makeArchiving } from './archive.ts';
import { lookEveryMs } from './facts.ts';
import { listArchives, readSizes } from './store.ts';
import { historyTables, policyOf } from './tables.ts';

export { makeArchiving } from './archive.ts';
export { makeConfirming } from './confirm.ts';
export { lookEveryMs as confirmEveryMs } from './facts.ts';
export { historyRoutes } from './routes.ts';

type Parts = Omit<ArchiveParts, 'keptDays'> & {
  readonly policies: Policies;
  readonly metrics: Metrics;
  readonly lease: Lease;
};

/** History: makes months ahead of time, and archives what is older than its retention. */
export function startHistory(parts: Parts): Reconciling {
  const { clock, log, lease, policies } = parts;
  showHistory(parts);
  return startReconciler(makeArchiving({ ...parts, keptDays: (subject) => policies.number(policyOf[subject]) }), {
    ...{ clock, log, lease, everyMs: lookEveryMs },
  });
}

function showHistory({ db, ids, clock, metrics }: Parts): void {
  const unplaced = metrics.gauge(
    'gpuaas_history_unplaced_rows',
    'Rows of the last day that came without a month of their own, by table.',
    ['table'],
  );
  const bytes = metrics.gauge('gpuaas_history_bytes', 'How large a table that grows with history is.', ['table']);
  const open = metrics.gauge(
    'gpuaas_history_archive_open_seconds',
    'How long the oldest archive that is not finished has been under way; 0 when none is.',
    [],
  );
  metrics.onScrape(async () => {
    const viewer = systemViewer('outbox-relay', { correlationId: ids.next() });
    const { sizes, archives } = await db.read(viewer, async (tx) => ({
      sizes: await readSizes(tx),
      archives: await listArchives(tx, undefined, Object.keys(policyOf).length),
    }));
    for (const row of sizes) {
      if (!Object.hasOwn(historyTables, row.table_name)) continue;
      bytes.set({ table: row.table_name }, Number(row.bytes));
      unplaced.set({ table: row.table_name }, Number(row.unplaced));
    }
    const ages = archives
      .filter(({ removed_at }) => !removed_at)
      .map(({ started_at }) => clock.now().getTime() - started_at.getTime());
    open.set(Math.max(0, ...ages) / secondMs);
  });
}
