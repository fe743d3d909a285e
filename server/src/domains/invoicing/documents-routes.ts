import {
  type BillingDocument,
  billingDocumentFileGet,
  billingDocumentGet,
  billingDocumentList,
  billingDocumentVerify,
  type DocumentCheck,
  type DocumentContent,
  type DocumentFile,
  type DocumentWithContent,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { money } from '../billing/index.ts';
import { findDocument, listDocuments, type ShownRow } from './documents-store.ts';
import { renderPdf, sha256 } from './pdf.ts';
import { findDifference } from './verify.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
}
const on = handlers<Parts>();
const absent = () => new Fault('document_not_found', 'There is no such document.');

const show = (row: ShownRow): BillingDocument => ({
  id: row.id,
  organization_id: row.organization_id,
  kind: row.kind,
  number: row.number,
  state: row.state,
  issued_at: row.issued_at.toISOString(),
  period: row.period_from !== null && row.period_to !== null ? { from: row.period_from, to: row.period_to } : null,
  due_at: row.due_at?.toISOString() ?? null,
  total: money(row.total_minor, row.currency),
  tax: money(row.tax_minor, row.currency),
});

const list = on(billingDocumentList, ({ db }, who, { params, query }) =>
  readPage({
    name: 'billing-documents',
    query,
    read: (before, limit) =>
      db.read(who, (tx) =>
        listDocuments(tx, { organizationId: params.organization_id, kind: query.kind }, before, limit),
      ),
    keyOf: (row) => row.id,
    show,
  }),
);

/** Of this organization and no other. */
async function find(
  { db }: Parts,
  who: Viewer,
  of: { readonly organization_id: string; readonly document_id: string },
) {
  const row = await db.read(who, (tx) => findDocument(tx, of.document_id));
  return row?.organization_id === of.organization_id ? row : undefined;
}
const get = on(billingDocumentGet, async (parts, who, { params }) => {
  const row = await find(parts, who, params);
  if (!row) return absent();
  const content = JSON.parse(row.content) as DocumentContent;
  return { document: show(row), content, sha256: row.content_sha256.toString('hex') } satisfies DocumentWithContent;
});
const file = on(billingDocumentFileGet, async (parts, who, { params }) => {
  const row = await find(parts, who, params);
  if (!row) return absent();
  const bytes = await renderPdf(JSON.parse(row.content) as DocumentContent);
  return {
    ...{ file_name: `${row.number}.pdf`, media_type: 'application/pdf', sha256: sha256(bytes).toString('hex') },
    content_base64: bytes.toString('base64'),
  } satisfies DocumentFile;
});
const verify = on(billingDocumentVerify, async (parts, who, { params }) => {
  const row = await find(parts, who, params);
  if (!row) return absent();
  const problem = await parts.db.read(who, (tx) => findDifference(tx, row));
  const checkedAt = parts.clock.now().toISOString();
  return { ok: problem === undefined, problem: problem ?? null, checked_at: checkedAt } satisfies DocumentCheck;
});

export const documentRoutes = (parts: Parts): Mounted[] => [list, get, file, verify].map((bind) => bind(parts));
