import type { AdminPayment, PaymentRefund } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { leftOf, paymentStates } from '../../words/billing/payments.ts';
import { spellMoney } from '../../words/money.ts';
import { RefundDialog } from './refund-dialog.tsx';

/** Every payment, what does not fit, and a way to send one back. */
export function PaymentsPage() {
  const search = useSearch({ strict: false }) as { state?: string };
  const navigate = useNavigate();
  const mayRefund = useMay()('admin_payment_refund');
  const state = choices.admin_payment_list.state.find((each) => each === search.state);
  const [chosen, setChosen] = useState<AdminPayment>();
  const [sent, setSent] = useState<PaymentRefund>();
  const list = useList(
    ['payments', state],
    (from, options) => api.adminPayments.list({ ...from, ...(state && { state }) }, options),
    { everyMs: 60_000 },
  );
  return (
    <Page
      title="Payments"
      lead="What organizations have paid, newest first, compared with the payment provider."
      actions={
        <Filter
          label="State"
          any="all"
          value={state}
          options={choices.admin_payment_list.state.map((each) => [each, paymentStates[each].text] as const)}
          onChoose={(next) =>
            void navigate({ to: '/ops/payments', replace: true, search: next ? { state: next } : {} })
          }
        />
      }
      shown={{ operation: 'admin_payment_list', input: { state, limit: 50 } }}
    >
      {sent && (
        <p role="status" className="rounded-lg bg-ok-soft px-4 py-3 text-ok">
          {spellMoney(sent.amount)} is on its way back. The balance is {spellMoney(sent.balance)}.
        </p>
      )}
      <Rows
        label="Payments"
        list={list}
        keyOf={({ id }) => id}
        columns={columnsFor(mayRefund ? setChosen : undefined)}
        empty={<Empty icon="wallet" title={state ? 'No payments are in this state' : 'Nothing was paid yet'} />}
      />
      {chosen && (
        <RefundDialog
          payment={chosen}
          onClose={() => setChosen(undefined)}
          onSent={(refund) => {
            setSent(refund);
            setChosen(undefined);
          }}
        />
      )}
    </Page>
  );
}

const columnsFor = (onRefund: ((payment: AdminPayment) => void) | undefined): readonly Column<AdminPayment>[] => [
  { head: 'Begun', cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    head: 'Organization',
    cell: (row) => <bdi className="line-clamp-2 font-medium break-all">{row.organization_name}</bdi>,
  },
  {
    head: 'State',
    cell: ({ state, problem }) => (
      <span>
        <Chip tone={paymentStates[state].tone}>{paymentStates[state].text}</Chip>
        {problem && <span className="block text-sm text-bad">{problem}</span>}
      </span>
    ),
  },
  {
    head: 'Paid',
    end: true,
    cell: ({ credited }) => <span className="tabular whitespace-nowrap">{spellMoney(credited)}</span>,
  },
  {
    head: 'Went back',
    end: true,
    cell: ({ refunded }) => <span className="tabular whitespace-nowrap">{spellMoney(refunded)}</span>,
  },
  ...(onRefund
    ? [
        {
          head: '',
          end: true,
          cell: (row: AdminPayment) =>
            row.state === 'paid' &&
            leftOf(row).amount_minor !== '0' && (
              <Button
                aria-label={`Refund ${spellMoney(row.credited)} of ${row.organization_name}`}
                onClick={() => onRefund(row)}
              >
                Refund
              </Button>
            ),
        },
      ]
    : []),
];
