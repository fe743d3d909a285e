import type { BeginAct, Database } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import {
  type AccrualBounds,
  type Accrued,
  accrue,
  type BillingTime,
  databaseTime,
  makeMonths,
} from './accrual-store.ts';
import { metersAtOnce, settleAfterMs, tailAfterMs, windowsAtOnce } from './facts.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  /** Asked in the transaction that charges; the database's when left out. */
  readonly time?: BillingTime;
}

/** Charges a bounded number of windows in one transaction; undefined when nothing was due. */
export const makeAccrue =
  ({ db, begin, ids, time = databaseTime }: Parts) =>
  async (windowSeconds: number, bounds: Partial<AccrualBounds> = {}): Promise<Accrued | undefined> => {
    const act = begin('usage.accrue', { correlationId: ids.next() });
    const written = await db.write(act, async (tx) => {
      const usual = { meters: metersAtOnce, windows: windowsAtOnce, tailMs: tailAfterMs, settleMs: settleAfterMs };
      const done = await accrue(tx, { windowSeconds, ...usual, ...bounds }, act, await time(tx));
      if (done.meters === 0) return tx.abandon(new Fault('resource_not_found', 'Nothing was due.'));
      return tx.commit(done, {
        target: { type: 'ledger', id: 'usage' },
        change: { ...done, window_seconds: windowSeconds },
        events: 'none',
      });
    });
    return written instanceof Fault ? undefined : written.value;
  };

/** Charges until nothing is due. */
export function makeAccrual(
  parts: Parts & { readonly metrics: Metrics; readonly windowSeconds: () => number; readonly charged?: () => void },
): Reconciler {
  const charge = makeAccrue(parts);
  const windows = parts.metrics.counter(
    'gpuaas_billing_windows_charged_total',
    'Windows of usage that were charged.',
    [],
  );
  return {
    name: 'billing-accrual',
    async round() {
      const done = await charge(parts.windowSeconds());
      if (!done) return 'idle';
      windows.inc(done.windows);
      parts.charged?.();
      return 'more';
    },
  };
}

/** Makes the months of the ledger before they are needed. */
export const makeMonthsAhead = ({ db, begin, ids }: Parts): Reconciler => ({
  name: 'billing-months',
  async round() {
    await db.write(begin('ledger.months', { correlationId: ids.next() }), async (tx) => {
      const made = await makeMonths(tx);
      if (made === 0) return tx.abandon(new Fault('resource_not_found', 'The partitions exist already.'));
      return tx.commit(made, { target: { type: 'ledger', id: 'months' }, change: { made }, events: 'none' });
    });
    return 'idle';
  },
});
