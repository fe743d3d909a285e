import type { AdminPayment, PaymentRefund } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { leftOf } from '../../words/billing/payments.ts';
import { minorOf, spellMoney } from '../../words/money.ts';

/** Sends a payment, or a part of it, back to where it came from. */
export function RefundDialog({
  payment,
  onClose,
  onSent,
}: {
  payment: AdminPayment;
  onClose(): void;
  onSent(refund: PaymentRefund): void;
}) {
  const { currency } = payment.credited;
  const left = leftOf(payment);
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const minor = minorOf(amount, currency);
  const isAmount = minor !== undefined && minor !== '0' && BigInt(minor) <= BigInt(left.amount_minor);
  const send = useAct(
    'payment refund',
    (input: { amount_minor: string; reason: string }, options) =>
      api.adminPayments.refund({ payment_id: payment.id, currency, ...input }, options),
    { stale: ['payments', 'accounts'], done: onSent },
  );
  return (
    <FormDialog
      title={`Refund a payment of ${payment.organization_name}`}
      lead={`${spellMoney(left)} of it can go back. It leaves the balance at once.`}
      verb={isAmount ? `Refund ${spellMoney({ amount_minor: minor, currency })}` : 'Refund'}
      busy={send.isPending}
      error={send.error}
      onClose={onClose}
      onSubmit={() => isAmount && reason.trim() !== '' && send.mutate({ amount_minor: minor, reason: reason.trim() })}
    >
      <AmountField
        currency={currency}
        hint={amount !== '' && !isAmount ? `Enter an amount up to ${spellMoney(left)}.` : undefined}
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
    </FormDialog>
  );
}
