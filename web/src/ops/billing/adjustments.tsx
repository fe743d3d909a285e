import type { Adjustment } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { adjustmentStates } from '../../words/billing/adjustments.ts';
import { spellMoney } from '../../words/money.ts';

type Decision = 'approve' | 'reject';

/** Corrections that finance asked for. Above a limit another person approves or rejects them. */
export function AdjustmentsPage() {
  const search = useSearch({ strict: false }) as { state?: string };
  const navigate = useNavigate();
  const me = useSession().me.id;
  const mayDecide = useMay()('admin_adjustment_approve');
  const [chosen, setChosen] = useState<{ readonly adjustment: Adjustment; readonly decision: Decision }>();
  const state = choices.admin_adjustment_list.state.find((each) => each === search.state);
  const list = useList(
    ['adjustments', state],
    (from, options) => api.adminBilling.adjustmentList({ ...from, ...(state && { state }) }, options),
    { everyMs: 60_000 },
  );
  return (
    <Page
      title="Adjustments"
      lead="Corrections of ledger lines and credit, newest first. A large one waits for a second person."
      actions={
        <Filter
          label="State"
          any="all"
          value={state}
          options={choices.admin_adjustment_list.state.map((each) => [each, adjustmentStates[each].text] as const)}
          onChoose={(next) =>
            void navigate({ to: '/ops/adjustments', replace: true, search: next ? { state: next } : {} })
          }
        />
      }
      shown={{ operation: 'admin_adjustment_list', input: { state, limit: 50 } }}
    >
      <Rows
        label="Adjustments"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          ...columns,
          ...(mayDecide ? [decisions(me, (adjustment, decision) => setChosen({ adjustment, decision }))] : []),
        ]}
        empty={
          <Empty icon="book" title={state ? 'No adjustments are in this state' : 'There are no adjustments'}>
            <p>Correct a line of a ledger from the list of accounts.</p>
          </Empty>
        }
      />
      {chosen && <Decide {...chosen} onClose={() => setChosen(undefined)} />}
    </Page>
  );
}

const columns: readonly Column<Adjustment>[] = [
  {
    head: 'Account',
    cell: (row) => (
      <span>
        <bdi className="line-clamp-2 font-medium break-all">{row.organization_name}</bdi>
        <span className="block text-sm text-dim">
          asked for <Ago at={row.created_at} />
        </span>
      </span>
    ),
  },
  {
    head: 'Why',
    cell: ({ reason, corrects }) => (
      <span>
        <bdi className="line-clamp-3">{reason}</bdi>
        <span className={`block text-xs break-all text-dim ${corrects ? 'font-mono' : ''}`}>
          {corrects ?? 'Credit'}
        </span>
      </span>
    ),
  },
  {
    head: 'State',
    cell: ({ state, decision_note }) => (
      <span>
        <Chip tone={adjustmentStates[state].tone}>{adjustmentStates[state].text}</Chip>
        {decision_note && <bdi className="block text-sm text-dim">{decision_note}</bdi>}
      </span>
    ),
  },
  {
    head: 'Balance',
    end: true,
    cell: ({ amount }) => <span className="tabular whitespace-nowrap">{spellMoney(amount)}</span>,
  },
];

const decisions = (me: string, onDecide: (adjustment: Adjustment, decision: Decision) => void): Column<Adjustment> => ({
  head: '',
  end: true,
  cell: (row) =>
    row.state === 'waiting' && (
      <span className="flex flex-wrap justify-end gap-2">
        {row.requested_by !== me && (
          <Button
            aria-label={`Approve ${spellMoney(row.amount)} of ${row.organization_name}`}
            onClick={() => onDecide(row, 'approve')}
          >
            Approve
          </Button>
        )}
        <Button
          aria-label={`${row.requested_by === me ? 'Withdraw' : 'Reject'} ${spellMoney(row.amount)} of ${row.organization_name}`}
          onClick={() => onDecide(row, 'reject')}
        >
          {row.requested_by === me ? 'Withdraw' : 'Reject'}
        </Button>
      </span>
    ),
});

function Decide({ adjustment, decision, onClose }: { adjustment: Adjustment; decision: Decision; onClose(): void }) {
  const adjustment_id = adjustment.id;
  const decide = useAct(
    `adjustment ${decision}`,
    (note: string, options) =>
      decision === 'approve'
        ? api.adminBilling.adjustmentApprove({ adjustment_id }, options)
        : api.adminBilling.adjustmentReject({ adjustment_id, note }, options),
    { stale: ['adjustments', 'accounts'], done: onClose },
  );
  return (
    <Confirm
      open
      onClose={onClose}
      title={decision === 'approve' ? 'Approve the correction?' : 'Reject the correction?'}
      verb={decision === 'approve' ? 'Approve' : 'Reject'}
      danger={decision === 'reject'}
      reason={decision === 'reject'}
      busy={decide.isPending}
      error={decide.error}
      onConfirm={(note) => decide.mutate(note)}
    >
      <p>
        {spellMoney(adjustment.amount)} for the balance of <bdi>{adjustment.organization_name}</bdi>:{' '}
        <bdi>{adjustment.reason}</bdi>
      </p>
      <p>
        {decision === 'approve'
          ? 'It is entered into the ledger at once, and stays there for ever.'
          : 'Nothing is entered into the ledger.'}
      </p>
    </Confirm>
  );
}
