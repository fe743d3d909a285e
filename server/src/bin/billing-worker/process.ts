import { Type } from 'typebox';
import { openBilling } from '../../domains/billing/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { defineProcess } from '../../ports/open.ts';

const name = 'billing-worker';

export const billingWorker = defineProcess({
  name,
  summary: 'Charges what hosts have proven, window by window, and compares balances with the ledger.',
  needs: ['database'],
  config: Type.Object({}),
  async start({ database, clock, ids, log, metrics, scope }) {
    const db = database.database;
    const policies = scope.keep('policies', await openPolicies({ ...database, db, ids, clock, log }));
    const billing = scope.keep(
      'billing',
      await openBilling({ db, begin: actsOf(name, ids), ids, clock, log, metrics, policies, listen: database.listen }),
    );
    scope.ready('accrual', billing.check);
  },
});
