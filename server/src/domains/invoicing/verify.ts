import type { DocumentContent } from '@gpuaas/contract';
import { canonicalJson } from '@gpuaas/contract/node';
import type { ReadTx } from '../../kernel/act.ts';
import { entryContent, type Head, invoiceContent, reversalContent, statementContent } from './content.ts';
import { type DocumentRow, findDocument } from './documents-store.ts';
import { renderer, renderPdf, sha256 } from './pdf.ts';

/**
 * Makes a document again from the ledger and compares it with what was issued, byte for byte. Only the names and addresses come from
 * the document: they may have changed since. Answers what does not fit.
 */
export async function findDifference(tx: ReadTx, document: DocumentRow): Promise<string | undefined> {
  const issued = JSON.parse(document.content) as DocumentContent;
  if (!sha256(document.content).equals(document.content_sha256)) return 'The content does not have its digest.';
  const again = await rebuild(tx, document, issued);
  if (again === undefined) return 'The document that it refers to is missing.';
  if (canonicalJson(again) !== document.content) return 'The ledger gives another content.';
  if (document.renderer !== renderer) return undefined;
  const isSame = sha256(await renderPdf(again)).equals(document.pdf_sha256);
  return isSame ? undefined : 'The content gives another PDF.';
}

async function rebuild(
  tx: ReadTx,
  document: DocumentRow,
  issued: DocumentContent,
): Promise<DocumentContent | undefined> {
  const head: Head = {
    ...{ organizationId: document.organization_id, number: document.number, currency: document.currency },
    ...{ issuedOn: issued.issued_on, seller: issued.seller, customer: issued.customer },
  };
  const { period, tax, kind } = issued;
  if (kind === 'statement' && period) return statementContent(tx, head, period);
  if (kind === 'invoice' && period && tax && issued.due_on !== null) {
    const treated = { treatment: tax.treatment, country: tax.country, rateBasisPoints: tax.rate_basis_points };
    return invoiceContent(tx, head, { period, dueOn: issued.due_on, treated: { ...treated, note: tax.note } });
  }
  if (document.entry_id !== null && (kind === 'receipt' || kind === 'credit_note')) {
    return entryContent(tx, kind, head, { entryId: document.entry_id, refersTo: issued.refers_to });
  }
  const taken = document.refers_to === null ? undefined : await findDocument(tx, document.refers_to);
  return taken && reversalContent(head, JSON.parse(taken.content) as DocumentContent);
}
