import { systemViewer } from '../../kernel/act.ts';
import type { Lease } from '../../kernel/process/lease.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import type { Policies } from '../policy/index.ts';
import { makeAutoTopUps } from './cards/auto-top-up.ts';
import { makeChecks } from './checks.ts';
import { lookEveryMs, paymentsChannel, stuckAfterMs } from './facts.ts';
import { makeSendRefunds } from './send-refunds.ts';
import { readNumbers } from './store.ts';

type Parts = Parameters<typeof makeChecks>[0] & {
  readonly listen: DatabasePort['listen'];
  readonly lease: Lease;
  readonly policies: Policies;
};

/** What the billing-worker does about payments: nothing where none are taken. */
export async function openPaymentWork(parts: Parts): Promise<{ close(): Promise<void> }> {
  if (parts.payments.provider === 'disabled') return { close: async () => undefined };
  const { clock, log, lease } = parts;
  const checks = startReconciler(makeChecks(parts), { clock, log, lease, everyMs: lookEveryMs });
  const refunds = startReconciler(makeSendRefunds(parts), { clock, log, lease, everyMs: lookEveryMs });
  const topUps = startReconciler(makeAutoTopUps(parts), { clock, log, lease, everyMs: lookEveryMs });
  const woken = await parts.listen(paymentsChannel, () => {
    checks.wake();
    refunds.wake();
    topUps.wake();
  });
  showNumbers(parts);
  return {
    async close() {
      await woken.close();
      await Promise.all([checks.close(), refunds.close(), topUps.close()]);
    },
  };
}

function showNumbers({ db, ids, metrics }: Parts): void {
  const unfit = metrics.gauge('gpuaas_payments_unfit', 'Payments that do not fit what their provider says.', []);
  const lag = metrics.gauge(
    'gpuaas_payments_check_lag_seconds',
    'How long the payment that has waited longest to be compared with its provider has been due.',
    [],
  );
  const waiting = metrics.gauge('gpuaas_payments_refunds_waiting', 'Refunds that the provider has not taken yet.', []);
  const stuck = metrics.gauge(
    'gpuaas_auto_top_ups_stuck',
    'Automatic top-ups that were begun a while ago and that the provider has not charged.',
    [],
  );
  metrics.onScrape(async () => {
    const found = await db.read(systemViewer('billing-worker', { correlationId: ids.next() }), (tx) =>
      readNumbers(tx, stuckAfterMs),
    );
    unfit.set(found.unfit);
    lag.set(found.lag_seconds);
    waiting.set(found.refunds);
    stuck.set(found.stuck);
  });
}
