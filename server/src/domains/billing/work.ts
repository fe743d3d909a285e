import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Lease } from '../../kernel/process/lease.ts';
import { type Reconciler, startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { minuteMs, secondMs } from '../../kernel/units.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import type { Policies } from '../policy/index.ts';
import { makeAccrual, makeMonthsAhead } from './accrual.ts';
import { readLag } from './accrual-store.ts';
import { makeUnitsAccrual } from './app-units/charge.ts';
import { makeBudgets } from './budgets/watch.ts';
import { makeCredit } from './credit/work.ts';
import {
  accountsAtOnce,
  accrueEveryMs,
  budgetsEveryMs,
  compareEveryMs,
  creditEveryMs,
  evidenceChannel,
  evidenceEveryMs,
  holdsEveryMs,
  ladderEveryMs,
  monthsEveryMs,
  sampleEveryMs,
  staleAfterMs,
  storageEveryMs,
} from './facts.ts';
import { makeCaps, makeHolds } from './holds/work.ts';
import { makeLadder } from './ladder/ladder.ts';
import { compareBalances } from './ledger-store.ts';
import { makeStorageAccrual } from './storage/charge.ts';
import { makeIdleSampling } from './usage/sampling.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly policies: Policies;
  readonly listen: DatabasePort['listen'];
  readonly lease: Lease;
}
export interface Billing {
  /** Throws when charging has stood still. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Everything that the billing-worker does. */
export async function openBilling(parts: Parts): Promise<Billing> {
  const { clock, log, lease, policies } = parts;
  // Where GPU time passes faster, a window of it does too.
  const windowSeconds = () =>
    Math.max(
      1,
      Math.floor(policies.number('billing.window_seconds') / policies.number('node.simulated_gpu_time_speed')),
    );
  // Months first: what is charged before its month is made stays apart from it.
  await makeMonthsAhead(parts).round(new AbortController().signal);
  const ladder = startReconciler(makeLadder(parts), {
    ...{ clock, log, lease, everyMs: ladderEveryMs, restMs: evidenceEveryMs },
  });
  const others = [makeHolds(parts), makeCaps(parts)].map((each) =>
    startReconciler(each, { ...{ clock, log, lease, everyMs: holdsEveryMs, restMs: evidenceEveryMs } }),
  );
  others.push(startReconciler(makeBudgets(parts), { clock, log, lease, everyMs: budgetsEveryMs }));
  const credit = startReconciler(makeCredit(parts), { clock, log, lease, everyMs: creditEveryMs });
  const charged = () => {
    for (const each of [ladder, ...others]) each.wake();
  };
  const accrual = startReconciler(makeAccrual({ ...parts, windowSeconds, charged }), {
    ...{ clock, log, lease, everyMs: accrueEveryMs, restMs: evidenceEveryMs },
  });
  const storageSeconds = () => (policies.number('billing.storage_window_minutes') * minuteMs) / secondMs;
  const storage = startReconciler(makeStorageAccrual({ ...parts, windowSeconds: storageSeconds, charged }), {
    ...{ clock, log, lease, everyMs: storageEveryMs, restMs: evidenceEveryMs },
  });
  const unitSeconds = () => (policies.number('billing.app_window_minutes') * minuteMs) / secondMs;
  const units = startReconciler(makeUnitsAccrual({ ...parts, windowSeconds: unitSeconds, charged }), {
    ...{ clock, log, lease, everyMs: storageEveryMs, restMs: evidenceEveryMs },
  });
  const months = startReconciler(makeMonthsAhead(parts), { clock, log, lease, everyMs: monthsEveryMs });
  const sampling = startReconciler(
    makeIdleSampling({ ...parts, idlePercent: () => policies.number('allocation.idle_percent') }),
    { clock, log, lease, everyMs: sampleEveryMs },
  );
  const comparing = startReconciler(makeComparison(parts), { clock, log, lease, everyMs: compareEveryMs });
  const woken = await parts.listen(evidenceChannel, accrual.wake);
  showLag(parts, windowSeconds);
  return {
    async check() {
      const last = accrual.lastRoundAt();
      if (last && clock.now().getTime() - last.getTime() > staleAfterMs) {
        throw new Error(`nothing was charged since ${last.toISOString()}`);
      }
    },
    async close() {
      await woken.close();
      await Promise.all(
        [accrual, storage, units, ladder, ...others, credit, months, sampling, comparing].map((each) => each.close()),
      );
    },
  };
}

/** Compares the balance of every account with the sum of its ledger, a bounded number at a time. */
export function makeComparison({ db, ids, log, metrics }: Pick<Parts, 'db' | 'ids' | 'log' | 'metrics'>): Reconciler {
  const wrong = metrics.gauge(
    'gpuaas_billing_accounts_unbalanced',
    'Accounts whose balance is not the sum of their ledger, as of the last comparison of all.',
    [],
  );
  wrong.set(0);
  let after: string | undefined;
  let found = 0;
  return {
    name: 'billing-comparison',
    async round() {
      const rows = await db.read(systemViewer('billing-worker', { correlationId: ids.next() }), (tx) =>
        compareBalances(tx, after, accountsAtOnce),
      );
      for (const { organization_id, wrong: isWrong } of rows) {
        if (!isWrong) continue;
        found += 1;
        log.error({ organization_id }, 'the balance of an account is not the sum of its ledger');
      }
      after = rows.length === accountsAtOnce ? rows.at(-1)?.organization_id : undefined;
      if (after !== undefined) return 'more';
      wrong.set(found);
      found = 0;
      return 'idle';
    },
  };
}

function showLag({ db, ids, metrics }: Parts, windowSeconds: () => number): void {
  const seconds = metrics.gauge(
    'gpuaas_billing_accrual_lag_seconds',
    'How long the oldest evidence that could be charged has been waiting.',
    [],
  );
  const meters = metrics.gauge('gpuaas_billing_meters_waiting', 'Meters with evidence that could be charged.', []);
  metrics.onScrape(async () => {
    const lag = await db.read(systemViewer('billing-worker', { correlationId: ids.next() }), (tx) =>
      readLag(tx, windowSeconds()),
    );
    seconds.set(lag.seconds);
    meters.set(lag.meters);
  });
}
