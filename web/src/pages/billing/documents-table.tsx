import type { BillingDocument } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { documentKinds, documentStates } from '../../words/billing/documents.ts';
import { spellMoney } from '../../words/money.ts';

const columns: readonly Column<BillingDocument>[] = [
  { head: 'Issued', cell: ({ issued_at }) => <Ago at={issued_at} /> },
  {
    head: 'Document',
    cell: ({ kind, number }) => (
      <span>
        {documentKinds[kind]}
        <span className="block text-xs break-all text-dim">{number}</span>
      </span>
    ),
  },
  {
    head: 'State',
    cell: ({ state }) => <Chip tone={documentStates[state].tone}>{documentStates[state].text}</Chip>,
  },
  { head: 'Total', end: true, cell: ({ total }) => <span className="tabular">{spellMoney(total)}</span> },
];

/** Hands bytes to the browser as a file. */
function save({ file_name, media_type, content_base64 }: Awaited<ReturnType<typeof api.billing.documentFileGet>>) {
  const bytes = Uint8Array.from(atob(content_base64), (letter) => letter.charCodeAt(0));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type: media_type }));
  link.download = file_name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Asked for when a person wants them: the page itself already makes most of the requests that its rate limit allows. */
export function Documents({ organizationId }: { organizationId: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <section className="grid gap-3" aria-label="Documents">
      <h2 className="text-lg font-semibold">Documents</h2>
      {isShown ? (
        <DocumentsTable organizationId={organizationId} />
      ) : (
        <p>
          <Button onClick={() => setShown(true)}>Show invoices, receipts and statements</Button>
        </p>
      )}
    </section>
  );
}

/** Invoices, credit notes, receipts and statements of the organization, each as PDF. */
function DocumentsTable({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const list = useList(
    ['billing', 'documents', organization_id],
    (from, options) => api.billing.documentList({ organization_id, ...from }, options),
    { limit: 10 },
  );
  const download = useAct(
    'document download',
    (document_id: string, options) => api.billing.documentFileGet({ organization_id, document_id }, options),
    { done: save },
  );
  const file: Column<BillingDocument> = {
    head: 'File',
    end: true,
    cell: ({ id, number }) => (
      <Button
        aria-label={`Download ${number} as PDF`}
        busy={download.isPending && download.variables === id}
        onClick={() => download.mutate(id)}
      >
        PDF
      </Button>
    ),
  };
  return (
    <>
      {download.error && <Problem error={download.error} />}
      <Rows
        label="Documents"
        list={list}
        keyOf={({ id }) => id}
        columns={[...columns, file]}
        empty={
          <Empty icon="wallet" title="There are no documents yet">
            <p>Each payment gives a receipt, and each month a statement soon after it has ended.</p>
          </Empty>
        }
      />
    </>
  );
}
