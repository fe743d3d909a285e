import { adminBillingAccountList, adminBillingGrantCreate, type BillingAccount, showMoney } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import type { Policies } from '../policy/index.ts';
import { usualUsageDays } from './facts.ts';
import { enter, findAccount } from './ledger-store.ts';
import { money } from './money.ts';
import { type BillingAccountRow, findGranted, listAccounts } from './read-store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly policies: Policies;
}
const on = handlers<Parts>();
const show = (row: BillingAccountRow): BillingAccount => ({
  organization_id: row.organization_id,
  name: row.name,
  slug: row.slug,
  balance: money(row.balance_minor, row.currency),
  held: money(row.held_minor, row.currency),
  charged_30_days: money(row.charged, row.currency),
  entries: Number(row.entries),
});

const list = on(adminBillingAccountList, ({ db }, who, { query }) =>
  readPage({
    name: 'billing-accounts',
    query,
    read: (before, limit) => db.read(who, (tx) => listAccounts(tx, query.q, before, { days: usualUsageDays, limit })),
    keyOf: (row) => row.organization_id,
    show,
  }),
);

const grant = on(adminBillingGrantCreate, ({ db, ids, policies }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const organizationId = params.organization_id;
    const account = await findAccount(tx, organizationId);
    if (!account) return tx.abandon(new Fault('organization_not_found', 'There is no such organization.'));
    if (account.currency !== body.currency) {
      return tx.abandon(new Fault('currency_mismatch', `The account is in ${account.currency}, not ${body.currency}.`));
    }
    const amount = BigInt(body.amount_minor);
    const most = policies.number('billing.maximum_grant_minor', { organizationId });
    if (amount > BigInt(most)) {
      return tx.abandon(
        new Fault(
          'amount_out_of_bounds',
          `One grant gives at most ${showMoney(BigInt(most), account.currency)} (billing.maximum_grant_minor).`,
        ),
      );
    }
    const [id, reason] = [ids.next(), body.reason.trim()];
    await enter(tx, { id, organizationId, kind: 'grant', amount, reason }, act);
    const made = await findGranted(tx, organizationId, id);
    if (!made) throw new Error(`the grant ${id} was not entered`);
    return tx.commit(
      {
        id,
        organization_id: organizationId,
        amount: money(amount, account.currency),
        balance: money(made.balance_minor, account.currency),
        reason,
        created_at: made.at.toISOString(),
      },
      {
        target: { type: 'ledger_entry', id },
        organizationId,
        change: { grant: money(amount, account.currency), reason },
        events: 'none',
      },
    );
  }),
);

export const grantRoutes = (parts: Parts): Mounted[] => [list, grant].map((bind) => bind(parts));
