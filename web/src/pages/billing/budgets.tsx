import type { Budget } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { useNames } from '../../client/names.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { LevelBar } from '../../parts/charts/level-bar.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Panel } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { levelOf, tellScope, tellThresholds } from '../../words/billing/budgets.ts';
import { spellMoney } from '../../words/money.ts';
import { BudgetDialog } from './budget-dialog.tsx';

/** What may be spent in a month, and how much of it is spent. */
export function Budgets({ organizationId, currency }: { organizationId: string; currency: string | undefined }) {
  const organization_id = organizationId;
  const may = useMay();
  const [edited, setEdited] = useState<Budget | 'new'>();
  const [removed, setRemoved] = useState<Budget>();
  const budgets = useAsk(['billing', 'budgets', organization_id], (options) =>
    api.billing.budgetList({ organization_id }, options),
  );
  const rows = budgets.data?.data;
  return (
    <div id="budgets" className="scroll-mt-20">
      <Panel
        title="Budgets"
        aside={
          may('budget_create') &&
          currency && (
            <Button icon="plus" onClick={() => setEdited('new')}>
              New budget
            </Button>
          )
        }
      >
        {budgets.error && !rows ? (
          <Problem error={budgets.error} again={() => void budgets.refetch()} />
        ) : !rows ? (
          <Loading rows={2} label="Loading the budgets" />
        ) : rows.length === 0 ? (
          <Empty icon="wallet" title="There are no budgets">
            <p>
              A budget warns at one amount of a month and refuses launches at another: for the organization, a project,
              a person or a tag.
            </p>
          </Empty>
        ) : (
          <ul className="grid grid-cols-1 gap-5 lg:grid-cols-2">
            {rows.map((budget) => (
              <li key={budget.id} className="min-w-0">
                <BudgetLine
                  budget={budget}
                  onEdit={may('budget_update') ? () => setEdited(budget) : undefined}
                  onRemove={may('budget_remove') ? () => setRemoved(budget) : undefined}
                />
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {edited && currency && (
        <BudgetDialog
          organizationId={organization_id}
          currency={currency}
          budget={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      <Removal
        it={removed}
        name="budget remove"
        title={({ name }) => `Remove the budget ${name}?`}
        verb="Remove"
        act={({ id }, options) => api.billing.budgetRemove({ organization_id, budget_id: id }, options)}
        stale={['billing', 'quote']}
        onClose={() => setRemoved(undefined)}
      >
        <p>Its thresholds no longer warn or refuse. What was spent stays in the ledger.</p>
      </Removal>
    </div>
  );
}

const states = { within: undefined, soft_reached: 'Warning reached', hard_reached: 'Launches are refused' } as const;

function BudgetLine({
  budget,
  onEdit,
  onRemove,
}: {
  budget: Budget;
  onEdit: (() => void) | undefined;
  onRemove: (() => void) | undefined;
}) {
  const nameOf = useNames();
  const { counted, percent, mark, tone } = levelOf(budget);
  const limit = budget.hard ?? budget.soft;
  const whose = tellScope(budget, budget.scope === 'user' && budget.subject ? nameOf(budget.subject) : undefined);
  const state = states[budget.state];
  return (
    <div className="grid gap-1.5">
      <div className="flex items-start gap-2">
        <div className="min-w-0 grow">
          <p className="flex flex-wrap items-center gap-2">
            <bdi className="font-medium">{budget.name}</bdi>
            {state && <Chip tone={tone}>{state}</Chip>}
          </p>
          <p className="text-sm text-dim">
            <bdi>{whose}</bdi> · {tellThresholds(budget)}
          </p>
        </div>
        {onEdit && (
          <Button look="quiet" aria-label={`Edit the budget ${budget.name}`} onClick={onEdit}>
            Edit
          </Button>
        )}
        {onRemove && (
          <Button look="quiet" aria-label={`Remove the budget ${budget.name}`} onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
      <LevelBar label={`Spent of the budget ${budget.name}`} percent={percent} mark={mark} tone={tone} />
      <p className="tabular flex justify-between gap-3 text-sm">
        <span>
          {spellMoney(counted)} in {budget.period}
          {budget.held.amount_minor !== '0' && (
            <span className="text-dim"> ({spellMoney(budget.held)} of it is held)</span>
          )}
        </span>
        {limit && <span className="text-dim">{percent.toLocaleString('en')} %</span>}
      </p>
    </div>
  );
}
