import type { LedgerLine } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { SimulatedChip } from '../../parts/chip.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { spellAmountOf, spellDate, tellKind, tellSubject } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';
import { WindowsDialog } from './windows-dialog.tsx';

/** Every change of the balance. A usage line opens into its windows. */
export function LedgerTable({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const mayOpen = useMay()('billing_window_list');
  const [open, setOpen] = useState<LedgerLine>();
  const list = useList(
    ['billing', 'ledger', organization_id],
    (from, options) => api.billing.ledgerList({ organization_id, ...from }, options),
    { limit: 25 },
  );
  const columns = ledgerColumns(mayOpen ? setOpen : undefined);
  return (
    <section className="grid gap-3" aria-label="Ledger">
      <h2 className="text-lg font-semibold">Ledger</h2>
      <Rows
        label="Ledger"
        list={list}
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty icon="book" title="The ledger is empty">
            <p>Credit and usage appear here, newest day first.</p>
          </Empty>
        }
      />
      {open && <WindowsDialog organizationId={organization_id} line={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

/** The columns of a ledger; `onOpen` opens the windows of a line, where the reader may see them. */
export const ledgerColumns = (onOpen?: (line: LedgerLine) => void): readonly Column<LedgerLine>[] => [
  { head: 'Day', cell: (line) => <span className="whitespace-nowrap">{spellDate(line.day)}</span> },
  { head: 'What', cell: tellKind },
  {
    head: 'For',
    cell: (line) => (
      <span className="min-w-0">
        {onOpen && line.windows !== null ? (
          <button
            type="button"
            className="text-start font-medium wrap-anywhere max-[720px]:text-end text-accent underline-offset-2 hover:underline"
            aria-label={`Windows of ${tellSubject(line)} on ${spellDate(line.day)}`}
            onClick={() => onOpen(line)}
          >
            <bdi className="line-clamp-2">{tellSubject(line)}</bdi>
          </button>
        ) : (
          <bdi className="line-clamp-2">{tellSubject(line)}</bdi>
        )}
        <SimulatedChip of={line} />
        {line.sku && <span className="block font-mono text-xs text-dim">{line.sku}</span>}
      </span>
    ),
  },
  {
    head: 'GPU or node hours',
    end: true,
    cell: ({ quantity_ms, meter }) =>
      quantity_ms !== null && <span className="tabular">{spellAmountOf(quantity_ms, meter)}</span>,
  },
  {
    head: 'Amount',
    end: true,
    cell: ({ amount }) => <span className="tabular whitespace-nowrap">{spellMoney(amount)}</span>,
  },
];
