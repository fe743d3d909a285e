import { type BillingDocument, type DocumentContent, documentIssued } from '@gpuaas/contract';
import { canonicalJson } from '@gpuaas/contract/node';
import type { WriteTx } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Head } from './content.ts';
import { insertDocument, takeNumber } from './documents-store.ts';
import { dayLength, digits } from './facts.ts';
import { type Parties, readParties } from './parties-routes.ts';
import { renderer, renderPdf, sha256 } from './pdf.ts';

export const dayOf = (at: Date): string => at.toISOString().slice(0, dayLength);
const prefixes = { invoice: 'INV', credit_note: 'CN', receipt: 'RCT' } as const;

/** What a document needs beside its content. */
export interface About {
  readonly id: string;
  readonly organizationId: string;
  readonly currency: string;
  readonly entryId?: string;
  readonly refersTo?: string | null;
}
export interface Issued {
  readonly id: string;
  readonly number: string;
  readonly content: DocumentContent;
  readonly event: ReturnType<typeof documentIssued.of>;
}

/**
 * Issues a document in this transaction. The number is taken from the row of its series, which stays locked until the end: a
 * transaction that rolls back gives its number back, so that numbers have no gaps.
 */
export async function issue(
  tx: WriteTx,
  kind: BillingDocument['kind'],
  about: About,
  write: (head: Head, parties: Parties) => Promise<DocumentContent>,
  at: { readonly now: Date; readonly numberOfStatement?: string },
): Promise<Issued> {
  const parties = await readParties(tx, about.organizationId);
  const sequence = kind === 'statement' ? null : await takeNumber(tx, kind);
  const number =
    kind === 'statement'
      ? (at.numberOfStatement ?? about.id)
      : `${prefixes[kind]}-${`${sequence}`.padStart(digits, '0')}`;
  const content = await write({ ...about, ...parties, number, issuedOn: dayOf(at.now) }, parties);
  const text = canonicalJson(content);
  const total = BigInt(content.tax?.gross_minor ?? content.balance?.closing_minor ?? '0');
  await insertDocument(tx, {
    ...{ id: about.id, organization_id: about.organizationId, currency: about.currency, kind, number },
    ...{ series: kind === 'statement' ? null : kind, sequence },
    ...{ period_from: content.period?.from ?? null, period_to: content.period?.to ?? null },
    ...{ entry_id: about.entryId ?? null, refers_to: about.refersTo ?? null },
    ...{ tax_minor: BigInt(content.tax?.tax_minor ?? '0'), total_minor: total },
    ...{ content: text, content_sha256: sha256(text), renderer, pdf_sha256: sha256(await renderPdf(content)) },
  });
  const event = documentIssued.of(about.organizationId, {
    ...{ organization_id: about.organizationId, document_id: about.id, kind, number },
    ...{ gross_minor: total.toString(), currency: about.currency },
  });
  return { id: about.id, number, content, event };
}

export const newAbout = (ids: Ids, of: { readonly organization_id: string; readonly currency: string }): About => ({
  ...{ id: ids.next(), organizationId: of.organization_id, currency: of.currency },
});
