import type { LedgerLine } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { CodeBlock } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { spellDate, spellQuantity, spellRate, tellSubject } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';
import { spellClock } from '../../words/time.ts';

/** The windows of a usage line: quantity, price and amount. */
export function WindowsDialog({
  organizationId,
  line,
  onClose,
}: {
  organizationId: string;
  line: LedgerLine;
  onClose(): void;
}) {
  const list = useList(['billing', 'windows', line.id], (from, options) =>
    api.billing.windowList({ organization_id: organizationId, line_id: line.id, ...from }, options),
  );
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={`${tellSubject(line)}, ${spellDate(line.day)}`}
      lead={
        line.meter === 'storage'
          ? 'Each window is charged for what the project stored in it. Times are local; the day is in UTC.'
          : line.meter === 'app_units'
            ? 'Each window is charged for what the app had counted by then. Times are local; the day is in UTC.'
            : 'Each window is charged for what its host has proven. Times are local; the day is in UTC.'
      }
    >
      <Rows
        label="Windows"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'When',
            cell: ({ from, to }) => (
              <span className="tabular whitespace-nowrap">
                {spellClock(from)} – {spellClock(to)}
              </span>
            ),
          },
          { head: 'Quantity', end: true, cell: (row) => <span className="tabular">{spellQuantity(row)}</span> },
          { head: 'Price', end: true, cell: (row) => <span className="tabular">{spellRate(row)}</span> },
          { head: 'Amount', end: true, cell: (row) => <span className="tabular">{spellMoney(row.amount)}</span> },
        ]}
        empty={<Empty icon="clock" title="No windows" />}
      />
      <div className="mt-4 grid gap-2">
        <p className="text-sm text-dim">
          {line.meter === 'storage'
            ? 'This command fetches the readings of what was stored and recomputes the amount on your own machine. The readings are the word of the server; no host signs them:'
            : line.meter === 'app_units'
              ? 'This command fetches the readings of what was counted and recomputes the amount on your own machine. The app said the counts; nobody signs them:'
              : 'You need not trust this page. This command fetches the records that the host signed and recomputes the amount on your own machine:'}
        </p>
        <CodeBlock text={`npx gpuaas billing prove ${line.id} --organization ${organizationId}`} wrap />
      </div>
    </Dialog>
  );
}
