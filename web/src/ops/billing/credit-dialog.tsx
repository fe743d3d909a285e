import type { BillingAccount, CreditGrant } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { tellGrant } from '../../words/billing/usage.ts';
import { minorOf, spellMoney } from '../../words/money.ts';
import { tenantName } from '../../words/tenants.ts';

/** Gives an organization credit. The dialog shows the amount and the name before it is done. */
export function CreditDialog({
  account,
  onClose,
  onGiven,
}: {
  account: BillingAccount;
  onClose(): void;
  onGiven(grant: CreditGrant): void;
}) {
  const { organization_id } = account;
  const name = tenantName(account);
  const { currency } = account.balance;
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [lastDay, setLastDay] = useState('');
  const minor = minorOf(amount, currency);
  const isAmount = minor !== undefined && minor !== '0';
  const give = useAct(
    'credit grant',
    (input: { amount_minor: string; reason: string; expires_at?: string }, options) =>
      api.adminBilling.grantCreate({ organization_id, currency, ...input }, options),
    { stale: ['accounts', 'tenants'], done: onGiven },
  );
  return (
    <FormDialog
      title={`Give credit to ${name}`}
      lead={`Its balance is ${spellMoney(account.balance)}.`}
      verb={isAmount ? `Give ${spellMoney({ amount_minor: minor, currency })}` : 'Give credit'}
      busy={give.isPending}
      error={give.error}
      onClose={onClose}
      onSubmit={() => {
        if (!isAmount || reason.trim() === '') return;
        const end = lastDay === '' ? {} : { expires_at: `${lastDay}T23:59:59Z` };
        give.mutate({ amount_minor: minor, reason: reason.trim(), ...end });
      }}
    >
      <AmountField
        currency={currency}
        hint={amount !== '' && !isAmount ? 'Enter an amount above 0, for example 25.00.' : undefined}
        wrong={amount !== '' && !isAmount}
        value={amount}
        onChange={setAmount}
      />
      <TextField
        label="Reason"
        hint="Kept in the ledger, where the organization sees it, and in the audit log."
        required
        maxLength={500}
        value={reason}
        onChange={setReason}
      />
      <TextField
        label="Last day"
        type="date"
        maxLength={10}
        hint="What is left after this day (UTC) leaves the balance. Leave it empty for the usual time (billing.credit_days)."
        value={lastDay}
        onChange={setLastDay}
      />
      {isAmount && <p role="status">{tellGrant({ amount_minor: minor, currency }, account)}</p>}
    </FormDialog>
  );
}
