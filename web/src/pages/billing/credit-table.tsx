import type { Credit } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { Chip, type Tone } from '../../parts/chip.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Ago } from '../../parts/time.tsx';
import { spellMoney } from '../../words/money.ts';

const states: Readonly<Record<Credit['state'], { readonly text: string; readonly tone: Tone }>> = {
  open: { text: 'Open', tone: 'ok' },
  used: { text: 'Used', tone: 'calm' },
  expired: { text: 'Expired', tone: 'warn' },
};
const columns: readonly Column<Credit>[] = [
  { head: 'Given', cell: ({ created_at }) => <Ago at={created_at} /> },
  { head: 'For', cell: ({ reason }) => <bdi className="break-words">{reason}</bdi> },
  { head: 'State', cell: ({ state }) => <Chip tone={states[state].tone}>{states[state].text}</Chip> },
  { head: 'Expires', cell: ({ expires_at }) => (expires_at ? <Ago at={expires_at} /> : 'never') },
  {
    head: 'Left',
    end: true,
    cell: ({ left, amount }) => (
      <span className="tabular whitespace-nowrap">
        {spellMoney(left)}
        <span className="block text-xs text-dim">of {spellMoney(amount)}</span>
      </span>
    ),
  },
];

/** Credit that the organization was given. An organization without any has no such table. */
export function CreditTable({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const list = useList(
    ['billing', 'credit', organization_id],
    (from, options) => api.billing.creditList({ organization_id, ...from }, options),
    { limit: 10 },
  );
  if (!list.rows || list.rows.length === 0) return null;
  return (
    <section className="grid gap-3" aria-label="Credit">
      <h2 className="text-lg font-semibold">Credit</h2>
      <p className="text-dim">
        Usage burns credit before money that you paid, and what expires soonest first. Credit is never refunded.
      </p>
      <Rows label="Credit" list={list} keyOf={({ id }) => id} columns={columns} empty={null} />
    </section>
  );
}
