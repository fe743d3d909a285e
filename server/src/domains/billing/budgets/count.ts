import { showMoney } from '@gpuaas/contract';
import type { InProject, ReadTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Order } from '../../allocations/index.ts';
import { mostBudgets } from '../facts.ts';
import { money } from '../money.ts';
import { type BudgetRow, listConcerning } from './store.ts';

/** A budget with what it counts for launches: what was charged and held before them, and what they set aside. */
export interface CountedBudget {
  readonly row: BudgetRow;
  readonly launch: bigint;
  readonly counted: bigint;
  readonly blocks: boolean;
}

/** Whose spending a budget counts: of a person in a project. */
export type Whose = InProject & { readonly actorId: string };

/** The budgets that count these launches. Each order counts with what it would hold. */
export async function countBudgets(
  tx: ReadTx,
  { organizationId, projectId, actorId }: Whose,
  orders: readonly { readonly order: Pick<Order, 'tags'>; readonly hold: bigint }[],
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
  return [...found.values()];
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
