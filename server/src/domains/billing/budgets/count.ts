import { showMoney } from '@gpuaas/contract';
import type { InProject, ReadTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Order } from '../../allocations/index.ts';
import { mostBudgets } from '../facts.ts';
import { money } from '../money.ts';
import { type BudgetRow, type CommittedRow, listCommitted, listConcerning } from './store.ts';

/** A budget with what it counts for launches: what was charged, held or committed before them, and what they set aside. */
export interface CountedBudget {
  readonly row: BudgetRow;
  readonly launch: bigint;
  readonly counted: bigint;
  readonly blocks: boolean;
}

/** Whose spending a budget counts: of a person in a project. */
export type Whose = InProject & { readonly actorId: string };

/** The budgets that count these launches. Each order counts with what it would hold; `seconds` is how long a hold lasts. */
export async function countBudgets(
  tx: ReadTx,
  { organizationId, projectId, actorId }: Whose,
  orders: readonly { readonly order: Pick<Order, 'tags'>; readonly hold: bigint }[],
  seconds: number,
): Promise<CountedBudget[]> {
  const of = { organizationId, projectId, actorId };
  const found = new Map<string, CountedBudget>();
  for (const [tags, group] of Map.groupBy(orders, ({ order }) => JSON.stringify(order.tags))) {
    const launch = group.reduce((sum, { hold }) => sum + hold, 0n);
    for (const row of await listConcerning(tx, of, JSON.parse(tags) as Record<string, string>, mostBudgets)) {
      const more = launch + (found.get(row.id)?.launch ?? 0n);
      const counted = row.spent + row.held + more;
      const blocks = row.hard_minor !== null && (counted > row.hard_minor || row.spent >= row.hard_minor);
      found.set(row.id, { row, launch: more, counted, blocks });
    }
  }
  if (![...found.values()].some(({ row }) => row.hard_minor !== null)) return [...found.values()];
  const committed = await listCommitted(tx, organizationId, seconds);
  return [...found.values()].map(({ row, launch }) => {
    const held = row.held + committed.reduce((sum, each) => sum + (isCounted(row, each) ? each.committed : 0n), 0n);
    const counted = row.spent + held + launch;
    const blocks = row.hard_minor !== null && (counted > row.hard_minor || row.spent >= row.hard_minor);
    return { row: { ...row, held }, launch, counted, blocks };
  });
}

function isCounted({ scope, subject }: BudgetRow, { project_id, requested_by, tags }: CommittedRow): boolean {
  if (scope === 'project') return project_id === subject;
  if (scope === 'user') return requested_by === subject;
  const at = subject.indexOf('=');
  return scope === 'organization' || tags[subject.slice(0, at)] === subject.slice(at + 1);
}

/** Why tags may not be taken off an allocation: a hard budget counts by them, and the caller does not see to the account. */
export async function tagFault(
  tx: ReadTx,
  whose: Whose,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Promise<Fault<'budget_tag_locked'> | undefined> {
  const lost = Object.entries(before).filter(([key, value]) => after[key] !== value);
  if (lost.length === 0) return undefined;
  const rows = await listConcerning(tx, whose, Object.fromEntries(lost), mostBudgets);
  const budget = rows.find(({ scope, hard_minor }) => scope === 'tag' && hard_minor !== null);
  if (!budget) return undefined;
  return new Fault(
    'budget_tag_locked',
    `A budget counts what has the tag ${budget.subject}, so it stays on this allocation. Ask an owner, an administrator or finance to change it.`,
    { tag: budget.subject },
  );
}

const scopeWords = {
  organization: 'the organization',
  project: 'the project',
  user: 'a person',
  tag: 'the tag',
} as const;

/** Why a budget refuses a launch or an extension: with everything that it counts for those who see the account. */
export function sayBudget(
  { row, launch, counted }: CountedBudget,
  { isSeen, of }: { readonly isSeen: boolean; readonly of: 'launch' | 'extension' },
): Fault<'budget_exceeded'> {
  if (!isSeen) {
    return new Fault(
      'budget_exceeded',
      `A budget for ${scopeWords[row.scope]} does not allow this ${of}. Ask an owner, an administrator or finance.`,
      { scope: row.scope, period: row.period },
    );
  }
  const show = (amount: bigint) => showMoney(amount, row.currency);
  const hard = row.hard_minor ?? 0n;
  return new Fault(
    'budget_exceeded',
    `The budget "${row.name}" for ${scopeWords[row.scope]} allows ${show(hard)} in ${row.period}. Counted: ${show(row.spent)} charged, ${show(row.held)} held for orders, ${show(launch)} for this ${of}: ${show(counted)}. Raise the budget (Billing in the console, or gpuaas billing budgets), or wait for the next month.`,
    {
      budget_id: row.id,
      ...{ scope: row.scope, period: row.period, hard: money(hard, row.currency) },
      charged: money(row.spent, row.currency),
      held: money(row.held, row.currency),
      launch: money(launch, row.currency),
      counted: money(counted, row.currency),
    },
  );
}
