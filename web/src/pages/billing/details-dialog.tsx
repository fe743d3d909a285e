import type { BillingDetails } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { Choice, Field, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type DetailsDraft, detailsOf, nameCountry, objectToDetails } from '../../words/billing/details.ts';

const empty: DetailsDraft = {
  ...{ legal_name: '', address: '', postal_code: '', city: '', country: '', tax_id: '' },
  ...{ customer_type: 'business', invoice_email: '' },
};
const draftOf = (it: NonNullable<BillingDetails['details']>): DetailsDraft => ({
  legal_name: it.legal_name,
  address: it.address_lines.join('\n'),
  postal_code: it.postal_code ?? '',
  city: it.city,
  country: it.country,
  tax_id: it.tax_id ?? '',
  customer_type: it.customer_type,
  invoice_email: it.invoice_email ?? '',
});

/** The details that the next documents get; those that exist keep theirs. */
export function DetailsDialog({
  organizationId,
  details,
  onClose,
}: {
  organizationId: string;
  details: NonNullable<BillingDetails['details']> | undefined;
  onClose(): void;
}) {
  const [draft, setDraft] = useState(details ? draftOf(details) : empty);
  const [isTried, setTried] = useState(false);
  const put = (name: keyof DetailsDraft) => (value: string) => setDraft((known) => ({ ...known, [name]: value }));
  const objection = objectToDetails(draft);
  const save = useAct(
    'billing details',
    (input: DetailsDraft, options) =>
      api.billing.detailsSet({ organization_id: organizationId, ...detailsOf(input) }, options),
    { stale: ['billing', 'payment-options'], done: onClose },
  );
  const country = draft.country.trim().toUpperCase();
  return (
    <FormDialog
      title="Billing details"
      lead="The next invoices, receipts and statements have them; documents that exist stay as they are."
      verb="Save"
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (objection === undefined) save.mutate(draft);
      }}
    >
      <TextField label="Legal name" required maxLength={200} value={draft.legal_name} onChange={put('legal_name')} />
      <Choice
        label="Customer"
        value={draft.customer_type}
        options={[
          ['business', 'Business'],
          ['consumer', 'Consumer'],
        ]}
        onChoose={put('customer_type')}
      />
      <Field label="Street and number" hint="Up to three lines.">
        {(id) => (
          <textarea
            id={id}
            dir="auto"
            required
            rows={2}
            maxLength={600}
            className="field"
            value={draft.address}
            onChange={(event) => put('address')(event.target.value)}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField label="Postal code" maxLength={20} value={draft.postal_code} onChange={put('postal_code')} />
        <TextField label="City" required maxLength={100} value={draft.city} onChange={put('city')} />
        <TextField
          label="Country"
          hint={/^[A-Z]{2}$/.test(country) ? nameCountry(country) : 'Two letters: DE.'}
          required
          maxLength={2}
          value={draft.country}
          onChange={put('country')}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Tax id"
          hint="DE123456788; empty for none."
          maxLength={40}
          value={draft.tax_id}
          onChange={put('tax_id')}
        />
        <TextField
          label="Send documents to"
          hint="Empty: to the owners."
          type="email"
          maxLength={254}
          value={draft.invoice_email}
          onChange={put('invoice_email')}
        />
      </div>
      {isTried && objection && (
        <p role="alert" className="text-sm text-warn">
          {objection}
        </p>
      )}
    </FormDialog>
  );
}
