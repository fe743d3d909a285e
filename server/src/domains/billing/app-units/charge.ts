import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { secondMs } from '../../../kernel/units.ts';
import { markUses } from '../../app-instances/index.ts';
import { type BillingTime, databaseTime } from '../accrual-store.ts';
import { instancesAtOnce } from '../facts.ts';
import { chargeAlone, chargeUnits, readUnitsLag, type UnitsCharged } from './charge-store.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  /** Asked in the transaction that charges; the database's when left out. */
  readonly time?: BillingTime;
}

/** Charges what a bounded number of app instances have reported; undefined when nothing was due. */
export const makeChargeUnits =
  ({ db, begin, ids, time = databaseTime }: Parts) =>
  async (windowSeconds: number, instances: number = instancesAtOnce): Promise<UnitsCharged | undefined> => {
    const act = begin('usage.accrue_app_units', { correlationId: ids.next() });
    const written = await db.write(act, async (tx) => {
      await chargeAlone(tx);
      const now = await time(tx);
      const windowMs = windowSeconds * secondMs;
      const to = new Date(Math.floor(now.getTime() / windowMs) * windowMs);
      const instanceIds = await markUses(tx, to, instances);
      if (instanceIds.length === 0) return tx.abandon(new Fault('resource_not_found', 'Nothing was due.'));
      const done = await chargeUnits(tx, { instanceIds, to, windowSeconds }, act, now);
      return tx.commit(done, {
        target: { type: 'ledger', id: 'app-units' },
        change: { ...done, instances: instanceIds.length, window_seconds: windowSeconds },
        events: 'none',
      });
    });
    return written instanceof Fault ? undefined : written.value;
  };

/** Charges what apps have counted until nothing is due. */
export function makeUnitsAccrual(
  parts: Parts & { readonly metrics: Metrics; readonly windowSeconds: () => number; readonly charged?: () => void },
): Reconciler {
  const charge = makeChargeUnits(parts);
  const windows = parts.metrics.counter(
    'gpuaas_billing_app_windows_charged_total',
    'Windows of units that apps counted, and that were charged.',
    [],
  );
  const { db, ids, metrics } = parts;
  const lag = metrics.gauge(
    'gpuaas_billing_app_units_lag_seconds',
    'How long the oldest units of apps that could be charged have been waiting.',
    [],
  );
  metrics.onScrape(async () => {
    const viewer = systemViewer('billing-worker', { correlationId: ids.next() });
    lag.set(Math.max(0, (await db.read(viewer, readUnitsLag)) - parts.windowSeconds()));
  });
  return {
    name: 'billing-app-units',
    async round() {
      const done = await charge(parts.windowSeconds());
      if (!done) return 'idle';
      windows.inc(done.windows);
      parts.charged?.();
      return 'more';
    },
  };
}
