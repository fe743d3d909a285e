import type { AdminPayment } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { CopyMark } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { spellMoney } from '../../words/money.ts';

const columns: readonly Column<AdminPayment>[] = [
  {
    head: 'Payment',
    cell: (row) => (
      <span>
        <bdi className="line-clamp-2 font-medium break-all">{row.organization_name}</bdi>
        <span className="block text-sm text-dim">
          begun <Ago at={row.created_at} />
        </span>
      </span>
    ),
  },
  {
    head: 'What does not fit',
    cell: ({ problem }) => (
      <span className="text-bad">{problem ?? 'The provider says something else than we do.'}</span>
    ),
  },
  {
    head: 'At the provider',
    cell: ({ provider_payment_id, provider_checkout_id }) => {
      const id = provider_payment_id ?? provider_checkout_id;
      return (
        <span className="flex items-center gap-1">
          <span className="min-w-0 font-mono text-xs break-all">{id}</span>
          <CopyMark text={id} label="the id at the provider" />
        </span>
      );
    },
  },
  { head: 'Compared', cell: ({ checked_at }) => <Ago at={checked_at} /> },
  {
    head: 'Amount',
    end: true,
    cell: ({ amount }) => <span className="tabular whitespace-nowrap">{spellMoney(amount)}</span>,
  },
];

/** Payments of which the provider says something else than we do: what is missing, extra or different. */
export function ReconciliationPage() {
  const list = useList(
    ['payments', 'findings'],
    (from, options) => api.adminPayments.list({ ...from, state: 'failed_reconcile' }, options),
    { everyMs: 60_000 },
  );
  return (
    <Page
      title="Reconciliation"
      lead="Payments of which the payment provider says something else than the ledger. What can be repaired is repaired without a person."
      shown={{ operation: 'admin_payment_list', input: { state: 'failed_reconcile', limit: 50 } }}
    >
      <Rows
        label="Findings"
        list={list}
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty icon="check" title="Nothing is found">
            <p>Every payment fits what the provider says. The billing-worker compares them again and again.</p>
            <Link to="/ops/payments" className="text-accent underline underline-offset-2">
              All payments
            </Link>
          </Empty>
        }
      />
    </Page>
  );
}
