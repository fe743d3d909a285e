import type { Adjustment, BillingAccount } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { Choice, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { isLineId } from '../../words/billing/adjustments.ts';
import { minorOf, spellMoney } from '../../words/money.ts';
import { tenantName } from '../../words/tenants.ts';

type Way = 'give' | 'take';

/** Corrects a line of a ledger by a new line. Above a limit it waits for a second person. */
export function AdjustmentDialog({
  account,
  line = '',
  onClose,
  onMade,
}: {
  account: BillingAccount;
  /** The line that was wrong, where the person has chosen one. */
  line?: string;
  onClose(): void;
  onMade(adjustment: Adjustment): void;
}) {
  const { currency } = account.balance;
  const [way, setWay] = useState<Way>('give');
  const [amount, setAmount] = useState('');
  const [corrects, setCorrects] = useState(line);
  const [reason, setReason] = useState('');
  const minor = minorOf(amount, currency);
  const isAmount = minor !== undefined && minor !== '0';
  const signed = isAmount ? `${way === 'take' ? '-' : ''}${minor}` : undefined;
  const make = useAct(
    'adjustment',
    (input: { amount_minor: string; corrects?: string; reason: string }, options) =>
      api.adminBilling.adjustmentCreate({ organization_id: account.organization_id, currency, ...input }, options),
    { stale: ['adjustments', 'accounts'], done: onMade },
  );
  return (
    <FormDialog
      title={`Correct the ledger of ${tenantName(account)}`}
      lead="A new line corrects a wrong one, or gives credit; nothing is changed or removed. A large one waits for a second person."
      verb={signed ? `Enter ${spellMoney({ amount_minor: signed, currency })}` : 'Enter'}
      busy={make.isPending}
      error={make.error}
      onClose={onClose}
      onSubmit={() => {
        const line = corrects.trim().toLowerCase();
        if (signed && (line === '' || isLineId(line)) && reason.trim() !== '') {
          make.mutate({ amount_minor: signed, ...(line !== '' && { corrects: line }), reason: reason.trim() });
        }
      }}
    >
      <Choice
        label="Direction"
        value={way}
        options={[
          ['give', 'Give back to the organization'],
          ['take', 'Take from the organization'],
        ]}
        onChoose={(next) => setWay(next as Way)}
      />
      <AmountField
        currency={currency}
        hint={amount !== '' && !isAmount ? 'Enter an amount above 0, as 25.00.' : undefined}
        wrong={amount !== '' && !isAmount}
        value={amount}
        onChange={setAmount}
      />
      <TextField
        label="Line"
        hint={
          corrects !== '' && !isLineId(corrects)
            ? 'This is not the id of a line.'
            : 'The id of the wrong line. The ledger of the account has a button for each line. Leave it empty to give credit.'
        }
        wrong={corrects !== '' && !isLineId(corrects)}
        maxLength={36}
        value={corrects}
        onChange={setCorrects}
      />
      <TextField
        label="Reason"
        hint="Kept in the ledger, where the organization sees it: no names, no mail addresses."
        required
        maxLength={500}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  );
}
