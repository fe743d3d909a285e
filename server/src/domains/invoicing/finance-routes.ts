import { adminInvoiceFinalise, adminInvoiceList, adminInvoicePay, adminInvoiceVoid } from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import type { Policies } from '../policy/index.ts';
import { finalise, type How, type Moved, pay, showInvoice, takeBack } from './invoices.ts';
import { listInvoices } from './invoices-store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
}
const on = handlers<Parts>();

const list = on(adminInvoiceList, ({ db }, who, { query }) =>
  readPage({
    name: 'invoices',
    query,
    read: (before, limit) => db.read(who, (tx) => listInvoices(tx, query, before, limit)),
    keyOf: (row) => row.id,
    show: showInvoice,
  }),
);

/** One change of an invoice: its state, its document and its event in one transaction. */
const change = (
  { db, ids, clock, policies }: Parts,
  act: Act,
  work: (tx: WriteTx, how: How) => Promise<Moved | Fault<'illegal_transition' | 'invoice_not_found'>>,
) =>
  db.write(act, async (tx) => {
    const done = await work(tx, { ids, act, now: clock.now(), policies });
    if (done instanceof Fault) return tx.abandon(done);
    const { invoice, issued } = done;
    return tx.commit(showInvoice(invoice), {
      target: { type: 'invoice', id: invoice.id },
      organizationId: invoice.organization_id,
      change: { state: invoice.state, ...(issued && { document: issued.number }) },
      events: issued ? [issued.event] : 'none',
    });
  });

const finaliseNow = on(adminInvoiceFinalise, (parts, act, { params }) =>
  change(parts, act, (tx, how) => finalise(tx, how, params.invoice_id)),
);
const payNow = on(adminInvoicePay, (parts, act, { params, body }) =>
  change(parts, act, (tx, how) => pay(tx, how, params.invoice_id, body.reason.trim())),
);
const voidNow = on(adminInvoiceVoid, (parts, act, { params, body }) =>
  change(parts, act, (tx, how) => takeBack(tx, how, params.invoice_id, body.reason.trim())),
);

export const invoiceRoutes = (parts: Parts): Mounted[] =>
  [list, finaliseNow, payNow, voidNow].map((bind) => bind(parts));
