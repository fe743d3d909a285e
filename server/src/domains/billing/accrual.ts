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

/**
 * Charges a bounded number of windows in one transaction; undefined when nothing was due. It goes through the meters page by page, and
 * goes on behind the last page the next time: meters that wait for the end of their window are passed once, not for each page.
 */
export function makeAccrue({ db, begin, ids, time = databaseTime }: Parts) {
  const usual = { meters: metersAtOnce, windows: windowsAtOnce, tailMs: tailAfterMs, settleMs: settleAfterMs };
  let after: string | undefined;
  const charge = async (bounds: AccrualBounds, from: string | undefined): Promise<Accrued | undefined> => {
    const act = begin('usage.accrue', { correlationId: ids.next() });
    const written = await db.write(act, async (tx) => {
      const now = await time(tx);
      let page = await accrue(tx, bounds, act, now, from);
      while (page.meters === 0 && page.more_behind) page = await accrue(tx, bounds, act, now, page.more_behind);
      after = page.more_behind ?? undefined;
      if (page.meters === 0) return tx.abandon(new Fault('resource_not_found', 'Nothing was due.'));
      const { meters, windows, organizations } = page;
      return tx.commit<Accrued>(
        { meters, windows, organizations },
        {
          target: { type: 'ledger', id: 'usage' },
          change: { meters, windows, organizations, window_seconds: bounds.windowSeconds },
          events: 'none',
        },
      );
    });
    return written instanceof Fault ? undefined : written.value;
  };
  return async (windowSeconds: number, given: Partial<AccrualBounds> = {}): Promise<Accrued | undefined> => {
    const bounds = { windowSeconds, ...usual, ...given };
    const from = after;
    return (await charge(bounds, from)) ?? (from === undefined ? undefined : charge(bounds, undefined));
  };
}

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
