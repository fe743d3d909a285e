import { systemViewer } from '../../kernel/act.ts';
import type { Lease } from '../../kernel/process/lease.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { makeChecks } from './checks.ts';
import { lookEveryMs, paymentsChannel } from './facts.ts';
import { makeSendRefunds } from './send-refunds.ts';
import { readNumbers } from './store.ts';

type Parts = Parameters<typeof makeChecks>[0] & { readonly listen: DatabasePort['listen']; readonly lease: Lease };

/** What the billing-worker does about payments: nothing where none are taken. */
export async function openPaymentWork(parts: Parts): Promise<{ close(): Promise<void> }> {
  if (parts.payments.provider === 'disabled') return { close: async () => undefined };
  const { clock, log, lease } = parts;
  const checks = startReconciler(makeChecks(parts), { clock, log, lease, everyMs: lookEveryMs });
  const refunds = startReconciler(makeSendRefunds(parts), { clock, log, lease, everyMs: lookEveryMs });
  const woken = await parts.listen(paymentsChannel, () => {
    checks.wake();
    refunds.wake();
  });
  showNumbers(parts);
  return {
    async close() {
      await woken.close();
      await Promise.all([checks.close(), refunds.close()]);
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
  metrics.onScrape(async () => {
    const found = await db.read(systemViewer('billing-worker', { correlationId: ids.next() }), readNumbers);
    unfit.set(found.unfit);
    lag.set(found.lag_seconds);
    waiting.set(found.refunds);
  });
}
