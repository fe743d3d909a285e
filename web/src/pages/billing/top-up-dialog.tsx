import type { PaymentOptions } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { objectToAmount, tellProvider, withTax } from '../../words/billing/payments.ts';
import { minorOf, spellMoney } from '../../words/money.ts';

/** Asks for an amount and goes to the page of the payment provider, which sends the browser back here. */
export function TopUpDialog({
  organizationId,
  options,
  onClose,
}: {
  organizationId: string;
  options: PaymentOptions;
  onClose(): void;
}) {
  const { currency } = options.minimum;
  const [amount, setAmount] = useState('');
  const minor = minorOf(amount, currency);
  const objection = objectToAmount(minor, options);
  const rate = options.tax_rate_basis_points;
  const total = objection === undefined && minor ? withTax(minor, rate) : undefined;
  const begin = useAct(
    'top up',
    (amount_minor: string, how) =>
      api.payments.sessionCreate({ organization_id: organizationId, amount_minor, currency }, how),
    { stale: ['billing', 'balance'], done: ({ url }) => url && location.assign(url) },
  );
  return (
    <FormDialog
      title="Top up"
      lead={tellProvider(options)}
      verb={total ? `Pay ${spellMoney({ amount_minor: total, currency })}` : 'Pay'}
      busy={begin.isPending}
      error={begin.error}
      onClose={onClose}
      onSubmit={() => objection === undefined && minor && begin.mutate(minor)}
    >
      <AmountField
        currency={currency}
        hint={
          amount !== '' && objection
            ? objection
            : `From ${spellMoney(options.minimum)} to ${spellMoney(options.maximum)}${rate > 0 ? `, and ${rate / 100} % of tax on top` : ''}.`
        }
        wrong={amount !== '' && objection !== undefined}
        value={amount}
        onChange={setAmount}
      />
    </FormDialog>
  );
}
