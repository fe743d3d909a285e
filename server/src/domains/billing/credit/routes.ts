import {
  adminBillingAccountList,
  adminBillingCreditList,
  adminBillingGrantCreate,
  type BillingAccount,
  billingCreditList,
  type Credit,
  showMoney,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { readPage } from '../../../kernel/page.ts';
import type { Policies } from '../../policy/index.ts';
import { usualUsageDays } from '../facts.ts';
import { lockAccount } from '../ladder/store.ts';
import { enter, findAccount } from '../ledger-store.ts';
import { money } from '../money.ts';
import { type BillingAccountRow, findGranted, listAccounts } from '../read-store.ts';
import { isBeyondAlone } from './alone.ts';
import { readCredit } from './count.ts';
import { type CreditGrantRow, listGrants, readNow, setEnd } from './store.ts';

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
  owner_name: row.owner_name,
  balance: money(row.balance_minor, row.currency),
  held: money(row.held_minor, row.currency),
  charged_30_days: money(row.charged, row.currency),
  entries: Number(row.entries),
  state: row.state,
  releases_at: row.releases_at?.toISOString() ?? null,
});

const list = on(adminBillingAccountList, ({ db }, who, { query }) =>
  readPage({
    name: 'billing-accounts',
    query,
    read: (before, limit) => db.read(who, (tx) => listAccounts(tx, query, before, { days: usualUsageDays, limit })),
    keyOf: (row) => row.organization_id,
    show,
  }),
);

const showCredit = (row: CreditGrantRow, left: bigint): Credit => ({
  id: row.id,
  organization_id: row.organization_id,
  amount: money(row.amount_minor, row.currency),
  left: money(left, row.currency),
  expired: money(row.expired_minor, row.currency),
  expires_at: row.expires_at?.toISOString() ?? null,
  state: left > 0n ? 'open' : row.expired_minor > 0n ? 'expired' : 'used',
  reason: row.reason ?? '',
  created_at: row.created_at.toISOString(),
});
type PageQuery = { readonly cursor?: string; readonly limit?: number };
async function readGrants({ db }: Parts, who: Viewer, organizationId: string, query: PageQuery) {
  const left = new Map(
    (await db.read(who, (tx) => readCredit(tx, organizationId))).map((grant) => [grant.id, grant.left]),
  );
  return readPage({
    name: 'credit-grants',
    query,
    read: (before, limit) => db.read(who, (tx) => listGrants(tx, organizationId, before, limit)),
    keyOf: (row) => row.id,
    // A grant that was used up before is not counted any more.
    show: (row) => showCredit(row, left.get(row.id) ?? 0n),
  });
}
const listCredit = on(billingCreditList, (parts, who, { params, query }) =>
  readGrants(parts, who, params.organization_id, query),
);
const adminListCredit = on(adminBillingCreditList, async (parts, who, { params, query }) => {
  const account = await parts.db.read(who, (tx) => findAccount(tx, params.organization_id));
  if (!account) return new Fault('organization_not_found', 'There is no such organization.');
  return readGrants(parts, who, params.organization_id, query);
});

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
    // Grants of one account wait for each other here, so that each sees what the others gave.
    await lockAccount(tx, organizationId);
    const beyond = await isBeyondAlone(tx, policies, {
      ...{ organizationId, actorId: act.actorId, amount, currency: account.currency },
    });
    if (beyond) {
      const whom = beyond.policy === 'billing.grant_limit_minor' ? 'an account' : 'all accounts together';
      return tx.abandon(
        new Fault(
          'second_person_required',
          `One person gives ${whom} at most ${showMoney(beyond.limit, account.currency)} within a day (${beyond.policy}). Ask for it as an adjustment without a line (gpuaas ops billing adjust, or Adjust in the console): another person of finance approves it.`,
        ),
      );
    }
    if (body.expires_at !== undefined && new Date(body.expires_at) <= (await readNow(tx))) {
      return tx.abandon(new Fault('period_invalid', 'The credit would have expired already: name a later time.'));
    }
    const [id, reason] = [ids.next(), body.reason.trim()];
    await enter(tx, { id, organizationId, kind: 'grant', amount, reason }, act);
    const end = body.expires_at === undefined ? undefined : new Date(body.expires_at);
    const expiresAt = await setEnd(
      tx,
      organizationId,
      id,
      end,
      policies.number('billing.credit_days', { organizationId }),
    );
    const made = await findGranted(tx, organizationId, id);
    if (!made) throw new Error(`the grant ${id} was not entered`);
    return tx.commit(
      {
        id,
        organization_id: organizationId,
        amount: money(amount, account.currency),
        balance: money(made.balance_minor, account.currency),
        reason,
        expires_at: expiresAt.toISOString(),
        created_at: made.at.toISOString(),
      },
      {
        target: { type: 'ledger_entry', id },
        organizationId,
        change: { grant: money(amount, account.currency), reason, expires_at: expiresAt.toISOString() },
        events: 'none',
      },
    );
  }),
);

export const grantRoutes = (parts: Parts): Mounted[] =>
  [list, grant, listCredit, adminListCredit].map((bind) => bind(parts));
