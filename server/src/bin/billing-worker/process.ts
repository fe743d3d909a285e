import { Type } from 'typebox';
import { openBilling } from '../../domains/billing/index.ts';
import { openInvoicing } from '../../domains/invoicing/index.ts';
import { openPaymentWork, paymentsChannel } from '../../domains/payments/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { showLease } from '../../kernel/process/lease.ts';
import { defineProcess } from '../../ports/open.ts';

const name = 'billing-worker';

export const billingWorker = defineProcess({
  name,
  summary: 'Charges what hosts have proven, compares balances with the ledger and payments with their provider.',
  needs: ['database', 'payments'],
  config: Type.Object({}),
  async start({ database, payments, clock, ids, log, metrics, scope }) {
    const db = database.database;
    const policies = scope.keep('policies', await openPolicies({ ...database, db, ids, clock, log }));
    const lease = scope.keep('lease', await database.leases.hold(name));
    showLease(lease, metrics);
    const parts = { db, begin: actsOf(name, ids), ids, clock, log, metrics, lease, listen: database.listen };
    const billing = scope.keep('billing', await openBilling({ ...parts, policies }));
    scope.keep('payment-work', await openPaymentWork({ ...parts, payments, policies }));
    scope.keep('invoicing', await openInvoicing({ ...parts, policies }, paymentsChannel));
    scope.ready('accrual', billing.check);
  },
});
