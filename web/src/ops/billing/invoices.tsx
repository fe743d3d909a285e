import type { Invoice } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { type InvoiceAct, invoiceStates, invoiceVerbs, warnOf } from '../../words/billing/invoices.ts';
import { spellMoney } from '../../words/money.ts';

/** Every invoice with its state, and what finance can do with it. */
export function InvoicesPage() {
  const search = useSearch({ strict: false }) as { state?: string };
  const navigate = useNavigate();
  const mayChange = useMay()('admin_invoice_finalise');
  const [chosen, setChosen] = useState<{ readonly invoice: Invoice; readonly act: InvoiceAct }>();
  const state = choices.admin_invoice_list.state.find((each) => each === search.state);
  const list = useList(
    ['invoices', state],
    (from, options) => api.adminBilling.invoiceList({ ...from, ...(state && { state }) }, options),
    { everyMs: 60_000 },
  );
  const columns = mayChange
    ? [...shownColumns, actColumn((invoice, act) => setChosen({ invoice, act }))]
    : shownColumns;
  return (
    <Page
      title="Invoices"
      lead="The invoices of organizations that pay at the end of a month, newest first. Totals are with tax."
      actions={
        <Filter
          label="State"
          any="all"
          value={state}
          options={choices.admin_invoice_list.state.map((each) => [each, invoiceStates[each].text] as const)}
          onChoose={(next) =>
            void navigate({ to: '/ops/invoices', replace: true, search: next ? { state: next } : {} })
          }
        />
      }
      shown={{ operation: 'admin_invoice_list', input: { state, limit: 50 } }}
    >
      <Rows
        label="Invoices"
        list={list}
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty icon="book" title={state ? 'No invoices are in this state' : 'There are no invoices yet'}>
            <p>An organization that pays by invoice gets one for each month soon after it has ended.</p>
          </Empty>
        }
      />
      {chosen && <InvoiceConfirm {...chosen} onClose={() => setChosen(undefined)} />}
    </Page>
  );
}

const shownColumns: readonly Column<Invoice>[] = [
  {
    head: 'Invoice',
    cell: (row) => (
      <span>
        <bdi className="line-clamp-2 font-medium break-all">{row.organization_name}</bdi>
        <span className="block text-xs break-all text-dim">{row.number ?? 'no number yet'}</span>
      </span>
    ),
  },
  {
    head: 'Period',
    cell: ({ period }) => (
      <span className="tabular whitespace-nowrap">
        {period.from} – {period.to}
      </span>
    ),
  },
  {
    head: 'State',
    cell: ({ state, note, reminders }) => (
      <span>
        <Chip tone={invoiceStates[state].tone}>{invoiceStates[state].text}</Chip>
        {reminders > 0 && <span className="block text-sm text-dim">{reminders} reminders</span>}
        {note && <bdi className="block text-sm text-dim">{note}</bdi>}
      </span>
    ),
  },
  {
    head: 'Due',
    cell: ({ due_at, state, finalise_at }) =>
      state === 'draft' ? (
        <span className="text-dim">
          final <Ago at={finalise_at} />
        </span>
      ) : (
        <Ago at={due_at} />
      ),
  },
  {
    head: 'Total',
    end: true,
    cell: ({ gross }) => <span className="tabular whitespace-nowrap">{spellMoney(gross)}</span>,
  },
];

const actColumn = (onAct: (invoice: Invoice, act: InvoiceAct) => void): Column<Invoice> => ({
  head: '',
  end: true,
  cell: (row) => (
    <span className="flex flex-wrap justify-end gap-2">
      {row.actions.map((act) => (
        <Button
          key={act}
          aria-label={`${invoiceVerbs[act]}: ${row.number ?? `the draft of ${row.organization_name}`}`}
          onClick={() => onAct(row, act)}
        >
          {invoiceVerbs[act]}
        </Button>
      ))}
    </span>
  ),
});

function InvoiceConfirm({ invoice, act, onClose }: { invoice: Invoice; act: InvoiceAct; onClose(): void }) {
  const change = useAct(
    `invoice ${act}`,
    (reason: string, options) => {
      const invoice_id = invoice.id;
      if (act === 'finalise') return api.adminBilling.invoiceFinalise({ invoice_id }, options);
      return act === 'pay'
        ? api.adminBilling.invoicePay({ invoice_id, reason }, options)
        : api.adminBilling.invoiceVoid({ invoice_id, reason }, options);
    },
    { stale: ['invoices'], done: onClose },
  );
  return (
    <Confirm
      open
      onClose={onClose}
      title={`${invoiceVerbs[act]}: ${invoice.number ?? `the draft of ${invoice.organization_name}`}`}
      verb={invoiceVerbs[act]}
      danger={act === 'void'}
      reason={act !== 'finalise'}
      busy={change.isPending}
      error={change.error}
      onConfirm={(reason) => change.mutate(reason)}
    >
      <p>
        {spellMoney(invoice.gross)} of <bdi>{invoice.organization_name}</bdi>, {invoice.period.from} to{' '}
        {invoice.period.to}.
      </p>
      <p>{warnOf(act, invoice.state)}</p>
    </Confirm>
  );
}
