import type { PaymentSession } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { Chip } from '../../parts/chip.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { paymentStates } from '../../words/billing/payments.ts';
import { spellMoney } from '../../words/money.ts';

const isSome = ({ amount_minor }: { readonly amount_minor: string }) => amount_minor !== '0';
const columns: readonly Column<PaymentSession>[] = [
  { head: 'Begun', cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    head: 'State',
    cell: ({ state, url }) => (
      <span className="flex flex-wrap items-center gap-2">
        <Chip tone={paymentStates[state].tone}>{paymentStates[state].text}</Chip>
        {url && (
          <a href={url} className="text-accent underline-offset-2 hover:underline">
            Pay now
          </a>
        )}
      </span>
    ),
  },
  {
    head: 'Amount',
    end: true,
    cell: (row) => (
      <span className="tabular whitespace-nowrap">
        {spellMoney(row.amount)}
        {isSome(row.refunded) && <span className="block text-xs text-dim">{spellMoney(row.refunded)} went back</span>}
        {isSome(row.disputed) && <span className="block text-xs text-dim">{spellMoney(row.disputed)} is held</span>}
      </span>
    ),
  },
];

/** What the organization has paid, and what it can still pay. */
export function PaymentsTable({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const list = useList(
    ['billing', 'payments', organization_id],
    (from, options) => api.payments.sessionList({ organization_id, ...from }, options),
    { limit: 10 },
  );
  return (
    <section className="grid gap-3" aria-label="Payments">
      <h2 className="text-lg font-semibold">Payments</h2>
      <Rows
        label="Payments"
        list={list}
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty icon="wallet" title="Nothing was paid yet">
            <p>Payments appear here as soon as they are begun.</p>
          </Empty>
        }
      />
    </section>
  );
}
