import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../../kernel/units.ts';
import { type BillingTime, databaseTime } from '../accrual-store.ts';
import { bucketsAtOnce, windowsAtOnce } from '../facts.ts';
import { chargeStorage, holdBuckets, readStorageLag, type StorageCharged } from './charge-store.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  /** Asked in the transaction that charges; the database's when left out. */
  readonly time?: BillingTime;
}

/**
 * Charges what a bounded number of projects stored, to the end of the last whole window; undefined when nothing was due. The time is
 * read before the buckets are held, so that no reading can come that is older than what is charged.
 */
export const makeChargeStorage =
  ({ db, begin, ids, time = databaseTime }: Parts) =>
  async (
    windowSeconds: number,
    { buckets = bucketsAtOnce, windows = windowsAtOnce }: { readonly buckets?: number; readonly windows?: number } = {},
  ): Promise<StorageCharged | undefined> => {
    const act = begin('usage.accrue_storage', { correlationId: ids.next() });
    const written = await db.write(act, async (tx) => {
      const now = await time(tx);
      const windowMs = windowSeconds * secondMs;
      const to = new Date(Math.floor(now.getTime() / windowMs) * windowMs);
      const projectIds = await holdBuckets(tx, to, buckets);
      if (projectIds.length === 0) return tx.abandon(new Fault('resource_not_found', 'Nothing was due.'));
      const done = await chargeStorage(tx, { windowSeconds, projectIds, to, windows }, act, now);
      return tx.commit(done, {
        target: { type: 'ledger', id: 'storage' },
        change: { ...done, window_seconds: windowSeconds },
        events: 'none',
      });
    });
    return written instanceof Fault ? undefined : written.value;
  };

/** Charges what is stored until nothing is due. */
export function makeStorageAccrual(
  parts: Parts & { readonly metrics: Metrics; readonly windowSeconds: () => number; readonly charged?: () => void },
): Reconciler {
  const { db, ids, metrics } = parts;
  const charge = makeChargeStorage(parts);
  const windows = metrics.counter(
    'gpuaas_billing_storage_windows_charged_total',
    'Windows of stored files that were charged.',
    [],
  );
  const lag = metrics.gauge(
    'gpuaas_billing_storage_lag_seconds',
    'How long the oldest stored files that could be charged have been waiting.',
    [],
  );
  metrics.onScrape(async () => {
    const viewer = systemViewer('billing-worker', { correlationId: ids.next() });
    lag.set(Math.max(0, (await db.read(viewer, readStorageLag)) - parts.windowSeconds()));
  });
  return {
    name: 'billing-storage',
    async round() {
      const done = await charge(parts.windowSeconds());
      if (!done) return 'idle';
      windows.inc(done.windows);
      parts.charged?.();
      return 'more';
    },
  };
}
