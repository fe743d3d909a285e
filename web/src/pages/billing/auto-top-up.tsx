import type { AutoTopUp } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { tellAutoTopUp } from '../../words/billing/cards.ts';
import { faultOfAmount, minorOf, plainAmount, spellMoney } from '../../words/money.ts';

/** Whether the balance is topped up automatically, how that went, and a way to change it. */
export function AutoTopUpNote({ organizationId, currency }: { organizationId: string; currency: string }) {
  const organization_id = organizationId;
  const mayPay = useMay()('auto_top_up_set');
  const [isOpen, setOpen] = useState(false);
  const query = useAsk(['billing', 'auto-top-up', organization_id], (how) =>
    api.payments.autoTopUpGet({ organization_id }, how),
  );
  const turnOff = useAct(
    'auto top-up off',
    (version: number, how) => api.payments.autoTopUpSet({ organization_id, enabled: false, version }, how),
    { stale: ['billing'] },
  );
  const it = query.data;
  if (query.error && !it) return <Problem error={query.error} again={() => void query.refetch()} />;
  if (!it) return <Loading rows={1} label="Loading the automatic top-up" />;
  return (
    <div className="grid gap-2">
      <p>{tellAutoTopUp(it)}</p>
      {it.last_failure && (
        <p className="text-warn">
          The last attempt failed: {it.last_failure}
          {it.turned_off === 'failures' && ' It was turned off after too many failures.'}
        </p>
      )}
      {it.pending?.url && (
        <p>
          <a href={it.pending.url} className="text-accent underline underline-offset-2">
            The bank asks you to confirm a payment
          </a>
        </p>
      )}
      {turnOff.error && <Problem error={turnOff.error} />}
      {mayPay && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen(true)}>{it.enabled ? 'Change the top-up' : 'Top up automatically'}</Button>
          {it.enabled && (
            <Button busy={turnOff.isPending} onClick={() => turnOff.mutate(it.version)}>
              Turn off
            </Button>
          )}
        </div>
      )}
      {isOpen && (
        <AutoTopUpDialog organizationId={organization_id} currency={currency} it={it} onClose={() => setOpen(false)} />
      )}
    </div>
  );
}

function AutoTopUpDialog(parts: { organizationId: string; currency: string; it: AutoTopUp; onClose(): void }) {
  const { it, currency, organizationId: organization_id } = parts;
  const [threshold, setThreshold] = useState(plainAmount(it.threshold));
  const [amount, setAmount] = useState(plainAmount(it.amount));
  const [limit, setLimit] = useState(plainAmount(it.monthly_limit));
  const faults = [threshold, amount, limit].map((text) => faultOfAmount(text, currency));
  const save = useAct(
    'auto top-up',
    (input: { threshold_minor: string; amount_minor: string; monthly_limit_minor: string }, how) =>
      api.payments.autoTopUpSet({ organization_id, enabled: true, currency, version: it.version, ...input }, how),
    { stale: ['billing'], done: parts.onClose },
  );
  const submit = () => {
    const [threshold_minor, amount_minor, monthly_limit_minor] = [threshold, amount, limit].map((text) =>
      minorOf(text, currency),
    );
    if (threshold_minor && amount_minor && monthly_limit_minor) {
      save.mutate({ threshold_minor, amount_minor, monthly_limit_minor });
    }
  };
  return (
    <FormDialog
      title="Top up automatically"
      lead={`The saved card is charged when the balance falls. ${spellMoney(it.added_this_month)} was added in this month.`}
      verb="Save"
      busy={save.isPending}
      error={save.error}
      onClose={parts.onClose}
      onSubmit={submit}
    >
      <TextField
        label={`When the balance is at most (${currency})`}
        hint={faults[0]}
        wrong={faults[0] !== undefined}
        decimal
        required
        maxLength={16}
        value={threshold}
        onChange={setThreshold}
      />
      <TextField
        label={`Add (${currency})`}
        hint={faults[1] ?? 'Tax is added to it.'}
        wrong={faults[1] !== undefined}
        decimal
        required
        maxLength={16}
        value={amount}
        onChange={setAmount}
      />
      <TextField
        label={`In one month at most (${currency})`}
        hint={faults[2]}
        wrong={faults[2] !== undefined}
        decimal
        required
        maxLength={16}
        value={limit}
        onChange={setLimit}
      />
    </FormDialog>
  );
}
