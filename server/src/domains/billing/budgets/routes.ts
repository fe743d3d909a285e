import { type Budget, budgetCreate, budgetList, budgetRemove, budgetUpdate } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Policies } from '../../policy/index.ts';
import { mostBudgets } from '../facts.ts';
import { lockAccount } from '../ladder/store.ts';
import { findAccount } from '../ledger-store.ts';
import { money } from '../money.ts';
import {
  type BudgetRow,
  countAll,
  deleteBudget,
  findBudget,
  insertBudget,
  isMember,
  isProject,
  listBudgets,
  lockBudget,
  updateBudget,
} from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly policies: Policies;
}
const on = handlers<Parts>();
const amountOf = (minor: bigint | null, currency: string) => (minor === null ? null : money(minor, currency));
const isReached = (threshold: bigint | null, spent: bigint) => threshold !== null && spent >= threshold;
const show = (row: BudgetRow): Budget => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  subject: row.subject === '' ? null : row.subject,
  subject_name: row.subject_name,
  soft: amountOf(row.soft_minor, row.currency),
  hard: amountOf(row.hard_minor, row.currency),
  spent: money(row.spent, row.currency),
  held: money(row.held, row.currency),
  period: row.period,
  state: isReached(row.hard_minor, row.spent)
    ? 'hard_reached'
    : isReached(row.soft_minor, row.spent)
      ? 'soft_reached'
      : 'within',
  version: Number(row.version),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
const absent = () => new Fault('budget_not_found', 'There is no such budget.');
const asMinor = (text: string | null | undefined): bigint | null => (text == null ? null : BigInt(text));

/** Why two thresholds do not fit. */
function thresholdFault(soft: bigint | null, hard: bigint | null): Fault<'budget_invalid'> | undefined {
  if (soft === null && hard === null) return new Fault('budget_invalid', 'A budget has a soft or a hard threshold.');
  if (soft !== null && hard !== null && soft > hard) {
    return new Fault('budget_invalid', 'The soft threshold is above the hard one.');
  }
  return undefined;
}
const limitPolicy = 'billing.max_budgets_per_organization';
const limitFault = (present: number, most: number): Fault<'budget_limit_reached'> | undefined =>
  present < most
    ? undefined
    : new Fault(
        'budget_limit_reached',
        `The organization has ${present} budgets; at most ${most} are allowed. Remove one, or ask an operator to raise ${limitPolicy}.`,
        { limit: most },
      );
const tagPattern = /^[a-zA-Z0-9][a-zA-Z0-9._/-]{0,62}=/;
/** Why there is nothing that the budget could be for. */
async function subjectFault(tx: ReadTx, organizationId: string, scope: Budget['scope'], subject: string) {
  if ((scope === 'organization') !== (subject === '')) {
    return new Fault(
      'budget_invalid',
      'A budget names its project, person or tag; one for the organization names none.',
    );
  }
  if (scope === 'project' && !(await isProject(tx, organizationId, subject))) {
    return new Fault('project_not_found', 'There is no such object.');
  }
  if (scope === 'user' && !(await isMember(tx, organizationId, subject))) {
    return new Fault('member_not_found', 'There is no such member.');
  }
  if (scope === 'tag' && !tagPattern.test(subject)) {
    return new Fault('budget_invalid', 'A tag is written as key=value.');
  }
  return undefined;
}

const list = on(budgetList, async ({ db }, who, { params }) => ({
  data: (await db.read(who, (tx) => listBudgets(tx, params.organization_id, mostBudgets))).map(show),
}));

const create = on(budgetCreate, ({ db, ids, policies }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const organizationId = params.organization_id;
    const account = await findAccount(tx, organizationId);
    if (!account) return tx.abandon(new Fault('organization_not_found', 'There is no such object.'));
    if (account.currency !== body.currency) {
      return tx.abandon(new Fault('currency_mismatch', `The account is in ${account.currency}, not ${body.currency}.`));
    }
    const [soft, hard, subject] = [asMinor(body.soft_minor), asMinor(body.hard_minor), body.subject ?? ''];
    const wrong = thresholdFault(soft, hard) ?? (await subjectFault(tx, organizationId, body.scope, subject));
    if (wrong) return tx.abandon(wrong);
    // Requests that come at once wait for each other here, so that each sees what the others created.
    await lockAccount(tx, organizationId);
    const full = limitFault(await countAll(tx, organizationId), policies.number(limitPolicy, { organizationId }));
    if (full) return tx.abandon(full);
    const id = ids.next();
    const isNew = await insertBudget(tx, {
      ...{ id, organization_id: organizationId, name: body.name, scope: body.scope, subject },
      ...{ soft_minor: soft, hard_minor: hard, createdBy: act.actorId },
    });
    if (!isNew) return tx.abandon(new Fault('budget_already_exists', 'There is a budget for this already: change it.'));
    const made = await findBudget(tx, organizationId, id);
    if (!made) throw new Error(`the budget ${id} was not stored`);
    const change = { scope: body.scope, soft_minor: body.soft_minor, hard_minor: body.hard_minor };
    return tx.commit(show(made), { target: { type: 'budget', id }, change, events: 'none' });
  }),
);

const update = on(budgetUpdate, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const { organization_id: organizationId, budget_id: id } = params;
    const version = await lockBudget(tx, organizationId, id);
    const row = await findBudget(tx, organizationId, id);
    if (version === undefined || !row) return tx.abandon(absent());
    if (body.version !== undefined && body.version !== version) {
      return tx.abandon(
        new Fault('version_conflict', `It was changed in the meantime: it is at version ${version}.`, { version }),
      );
    }
    const soft = body.soft_minor === undefined ? row.soft_minor : asMinor(body.soft_minor);
    const hard = body.hard_minor === undefined ? row.hard_minor : asMinor(body.hard_minor);
    const wrong = thresholdFault(soft, hard);
    if (wrong) return tx.abandon(wrong);
    await updateBudget(tx, {
      ...{ id, organization_id: organizationId, name: body.name ?? row.name, soft_minor: soft, hard_minor: hard },
    });
    const made = await findBudget(tx, organizationId, id);
    if (!made) throw new Error(`the budget ${id} is gone`);
    const change = { soft_minor: soft?.toString() ?? null, hard_minor: hard?.toString() ?? null };
    return tx.commit(show(made), { target: { type: 'budget', id }, change, events: 'none' });
  }),
);

const remove = on(budgetRemove, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const { organization_id: organizationId, budget_id: id } = params;
    const row = (await lockBudget(tx, organizationId, id)) && (await findBudget(tx, organizationId, id));
    if (!row) return tx.abandon(absent());
    await deleteBudget(tx, organizationId, id);
    return tx.commit(show(row), { target: { type: 'budget', id }, change: { scope: row.scope }, events: 'none' });
  }),
);

export const budgetRoutes = (parts: Parts): Mounted[] => [list, create, update, remove].map((bind) => bind(parts));
