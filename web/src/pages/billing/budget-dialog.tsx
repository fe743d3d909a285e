import type { Budget } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { callName } from '../../client/names.ts';
import { useSession } from '../../client/session.tsx';
import { Choice, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { budgetScopes, objectToThresholds } from '../../words/billing/budgets.ts';
import { faultOfAmount, minorOf, plainAmount } from '../../words/money.ts';

type Scope = Budget['scope'];
interface Draft {
  readonly name: string;
  readonly scope: Scope;
  readonly subject: string;
  readonly soft: string | undefined;
  readonly hard: string | undefined;
}

/** Makes a budget, or changes its name and thresholds. Whom it is about stays. */
export function BudgetDialog({
  organizationId,
  currency,
  budget,
  onClose,
}: {
  organizationId: string;
  currency: string;
  budget: Budget | undefined;
  onClose(): void;
}) {
  const [name, setName] = useState(budget?.name ?? '');
  const [scope, setScope] = useState<Scope>(budget?.scope ?? 'organization');
  const [subject, setSubject] = useState(budget?.subject ?? '');
  const [soft, setSoft] = useState(budget?.soft ? plainAmount(budget.soft) : '');
  const [hard, setHard] = useState(budget?.hard ? plainAmount(budget.hard) : '');
  const [softMinor, hardMinor] = [minorOf(soft, currency), minorOf(hard, currency)];
  const wrong = faultOfAmount(soft, currency) ?? faultOfAmount(hard, currency);
  const objection = wrong ?? objectToThresholds(softMinor, hardMinor);
  const save = useSave({ organizationId, currency, budget, onClose });
  return (
    <FormDialog
      title={budget ? `Edit the budget ${budget.name}` : 'New budget'}
      lead="It counts what a calendar month (UTC) was charged and what is held for orders."
      verb={budget ? 'Save' : 'Create'}
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() => {
        if (objection === undefined)
          save.mutate({ name: name.trim(), scope, subject, soft: softMinor, hard: hardMinor });
      }}
    >
      <TextField label="Name" required maxLength={100} value={name} onChange={setName} />
      {!budget && (
        <>
          <Choice
            label="For"
            value={scope}
            options={Object.entries(budgetScopes)}
            onChoose={(next) => {
              setScope(next as Scope);
              setSubject('');
            }}
          />
          <SubjectField organizationId={organizationId} scope={scope} value={subject} onChange={setSubject} />
        </>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={`Warn at (${currency})`} decimal maxLength={16} value={soft} onChange={setSoft} />
        <TextField label={`Refuse launches at (${currency})`} decimal maxLength={16} value={hard} onChange={setHard} />
      </div>
      {(soft !== '' || hard !== '') && objection && (
        <p role="status" className="text-sm text-warn">
          {objection}
        </p>
      )}
    </FormDialog>
  );
}

function useSave(parts: { organizationId: string; currency: string; budget: Budget | undefined; onClose(): void }) {
  const { budget, currency, organizationId: organization_id } = parts;
  return useAct(
    'budget save',
    ({ name, scope, subject, soft, hard }: Draft, options) =>
      budget
        ? api.billing.budgetUpdate(
            {
              ...{ organization_id, budget_id: budget.id, name, version: budget.version },
              ...{ soft_minor: soft ?? null, hard_minor: hard ?? null },
            },
            options,
          )
        : api.billing.budgetCreate(
            {
              ...{ organization_id, name, scope, currency },
              ...(scope !== 'organization' && { subject: subject.trim() }),
              ...(soft !== undefined && { soft_minor: soft }),
              ...(hard !== undefined && { hard_minor: hard }),
            },
            options,
          ),
    { stale: ['billing', 'quote'], done: parts.onClose },
  );
}

/** Whom or what a budget is about: a choice where there is a list, a text for a tag. */
function SubjectField(parts: { organizationId: string; scope: Scope; value: string; onChange(value: string): void }) {
  const { organizationId: organization_id, scope } = parts;
  const { projects } = useSession();
  const members = useAsk(
    ['members', 'names', organization_id],
    (options) => api.members.list({ organization_id, limit: 200 }, options),
    { enabled: scope === 'user', freshMs: 300_000 },
  );
  if (scope === 'organization') return null;
  if (scope === 'tag') {
    return (
      <TextField
        label="Tag"
        hint="As key=value, for example team=vision."
        required
        maxLength={264}
        value={parts.value}
        onChange={parts.onChange}
      />
    );
  }
  const own = projects.filter((project) => project.organization_id === organization_id);
  const options =
    scope === 'project'
      ? own.map(({ id, name }) => [id, name] as const)
      : (members.data?.data ?? []).map((member) => [member.user_id, callName(member)] as const);
  return (
    <Choice
      label={scope === 'project' ? 'Project' : 'Person'}
      value={parts.value}
      options={[['', 'Choose…'], ...options]}
      onChoose={parts.onChange}
    />
  );
}
