import type { BillingDetails } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { nameCountry } from '../../words/billing/details.ts';
import { DetailsDialog } from './details-dialog.tsx';

/** Name, address and tax id that stand on the documents of the organization. */
export function DetailsPanel({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const mayEdit = useMay()('billing_details_set');
  const [isOpen, setOpen] = useState(false);
  const details = useAsk(
    ['billing', 'details', organization_id],
    (options) => api.billing.detailsGet({ organization_id }, options),
    { freshMs: 300_000 },
  );
  const it = details.data?.details;
  return (
    <Panel
      title="Billing details"
      aside={
        mayEdit &&
        details.data && (
          <Button
            aria-label={it ? 'Edit the billing details' : 'Enter the billing details'}
            onClick={() => setOpen(true)}
          >
            {it ? 'Edit' : 'Enter'}
          </Button>
        )
      }
    >
      {details.error && !details.data ? (
        <Problem error={details.error} again={() => void details.refetch()} />
      ) : !details.data ? (
        <Loading rows={3} label="Loading the billing details" />
      ) : it ? (
        <Shown it={it} />
      ) : (
        <Empty icon="book" title="No billing details yet">
          <p>Until they are entered, invoices and receipts have the name of the organization and nothing else.</p>
        </Empty>
      )}
      {isOpen && (
        <DetailsDialog organizationId={organization_id} details={it ?? undefined} onClose={() => setOpen(false)} />
      )}
    </Panel>
  );
}

function Shown({ it }: { it: NonNullable<BillingDetails['details']> }) {
  const city = [it.postal_code, it.city].filter(Boolean).join(' ');
  return (
    <Facts
      rows={[
        ['Name', <bdi key="name">{it.legal_name}</bdi>],
        ['Address', <bdi key="address">{[...it.address_lines, city, nameCountry(it.country)].join(', ')}</bdi>],
        ['Tax id', it.tax_id ?? '–'],
        ['Customer', it.customer_type === 'business' ? 'Business' : 'Consumer'],
        ['Documents go to', it.invoice_email ?? 'the owners of the organization'],
        ['Changed', <Ago key="changed" at={it.updated_at} />],
      ]}
    />
  );
}
