import { type Invoice, invoiceMachine, invoicePastDue } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { makeAdvance } from '../../kernel/machine.ts';
import { dayMs } from '../../kernel/units.ts';
import { enter, money } from '../billing/index.ts';
import type { Policies } from '../policy/index.ts';
import { invoiceContent, reversalContent, treatmentOf } from './content.ts';
import { findDocument } from './documents-store.ts';
import { findInvoice, type InvoiceRow, lockInvoice, moveInvoice, remind } from './invoices-store.ts';
import { dayOf, type Issued, issue, newAbout } from './issue.ts';

/** The only code that changes the state of an invoice. */
const advance = makeAdvance(invoiceMachine, { lock: lockInvoice, move: moveInvoice });
type Refused = Fault<'illegal_transition' | 'invoice_not_found'>;
export interface Moved {
  readonly invoice: InvoiceRow;
  readonly issued?: Issued;
}
export interface How {
  readonly ids: Ids;
  readonly act: Act;
  readonly now: Date;
  readonly policies: Policies;
}
interface Also {
  readonly documentId?: string;
  readonly dueAt?: Date;
  readonly net?: bigint;
  readonly tax?: bigint;
  readonly entryId?: string;
  readonly creditNoteId?: string;
  readonly note?: string;
  readonly reminderDays?: number;
}
const absent = () => new Fault('invoice_not_found', 'There is no such invoice.');

async function move(
  tx: WriteTx,
  id: string,
  transition: Parameters<typeof advance>[2],
  also: Also,
): Promise<InvoiceRow | Refused> {
  const moved = await advance(tx, id, transition, undefined, [
    ...[also.documentId ?? null, also.dueAt ?? null, also.net ?? null, also.tax ?? null, also.entryId ?? null],
    ...[also.creditNoteId ?? null, also.note ?? null, also.reminderDays ?? null],
  ]);
  if (moved instanceof Fault) {
    if (moved.code === 'illegal_transition') return moved as Refused;
    throw new Error(moved.message);
  }
  const row = moved && (await findInvoice(tx, id));
  return row ?? absent();
}
/** Locks the invoice, and answers it only while the transition is possible. */
async function lockFor(
  tx: WriteTx,
  id: string,
  transition: Parameters<typeof advance>[2],
): Promise<InvoiceRow | undefined> {
  const [locked] = await tx.rows<Pick<InvoiceRow, 'state'>>(lockInvoice, [id]);
  return locked && invoiceMachine.may(transition, locked.state) ? findInvoice(tx, id) : undefined;
}

/** A draft gets its number, its date and its content from the ledger as it is now. */
export async function finalise(tx: WriteTx, how: How, id: string): Promise<Moved | Refused> {
  const draft = await lockFor(tx, id, 'finalise');
  if (!draft) return refusal(await move(tx, id, 'finalise', {}));
  const organizationId = draft.organization_id;
  const days = how.policies.number('billing.payment_terms_days', { organizationId });
  const dueAt = new Date(how.now.getTime() + days * dayMs);
  const period = { from: draft.period_from, to: draft.period_to };
  const issued = await issue(
    tx,
    'invoice',
    newAbout(how.ids, draft),
    (head, parties) =>
      invoiceContent(tx, head, { period, dueOn: dayOf(dueAt), treated: treatmentOf(parties, head.issuedOn) }),
    how,
  );
  const { tax } = issued.content;
  const [net, taxMinor] = [BigInt(tax?.net_minor ?? '0'), BigInt(tax?.tax_minor ?? '0')];
  const invoice = await move(tx, id, 'finalise', { documentId: issued.id, dueAt, net, tax: taxMinor });
  return invoice instanceof Fault ? invoice : { invoice, issued };
}

/** What was paid outside of the provider: the net goes to the balance, the tax to the tax office. */
export async function pay(tx: WriteTx, how: How, id: string, note: string): Promise<Moved | Refused> {
  const owed = await lockFor(tx, id, 'pay');
  if (!owed) return refusal(await move(tx, id, 'pay', {}));
  const entryId = how.ids.next();
  await enter(
    tx,
    {
      ...{ id: entryId, organizationId: owed.organization_id, kind: 'top_up', reason: `${owed.number}: ${note}` },
      ...{ amount: owed.net_minor, tax: owed.tax_minor },
    },
    how.act,
  );
  const invoice = await move(tx, id, 'pay', { entryId, note });
  return invoice instanceof Fault ? invoice : { invoice };
}

/** A draft goes away; a final invoice is taken back by a credit note, and its usage comes with the next invoice. */
export async function takeBack(tx: WriteTx, how: How, id: string, note: string): Promise<Moved | Refused> {
  const draft = await lockFor(tx, id, 'discard');
  if (draft) {
    const invoice = await move(tx, id, 'discard', { note });
    return invoice instanceof Fault ? invoice : { invoice };
  }
  const final = await lockFor(tx, id, 'void');
  const document = final?.document_id ? await findDocument(tx, final.document_id) : undefined;
  if (!final || !document) return refusal(await move(tx, id, 'void', {}));
  const about = { ...newAbout(how.ids, final), refersTo: document.id };
  const issued = await issue(
    tx,
    'credit_note',
    about,
    async (head) => reversalContent(head, JSON.parse(document.content)),
    how,
  );
  const invoice = await move(tx, id, 'void', { creditNoteId: issued.id, note });
  return invoice instanceof Fault ? invoice : { invoice, issued };
}

export async function lapse(tx: WriteTx, how: How, id: string): Promise<Moved | Refused> {
  const organizationId = (await findInvoice(tx, id))?.organization_id;
  const reminderDays = how.policies.number('billing.reminder_days', organizationId ? { organizationId } : {});
  const invoice = await move(tx, id, 'lapse', { reminderDays });
  return invoice instanceof Fault ? invoice : { invoice };
}
/** Nothing when it was reminded of in the meantime. */
export async function remindOf(tx: WriteTx, { now, policies }: How, id: string) {
  const found = await findInvoice(tx, id);
  if (!found) return undefined;
  const of = { organizationId: found.organization_id };
  const [most, days] = [policies.number('billing.max_reminders', of), policies.number('billing.reminder_days', of)];
  const reminder = await remind(tx, id, { now, most, days });
  return reminder === undefined ? undefined : { invoice: found, reminder };
}

/** A transition that is not possible changes nothing, and says why. */
function refusal(answer: InvoiceRow | Refused): Refused {
  if (answer instanceof Fault) return answer;
  throw new Error(`the invoice ${answer.id} moved without its document`);
}

export const pastDueEvent = (row: InvoiceRow, reminder: number) =>
  invoicePastDue.of(row.organization_id, {
    ...{ organization_id: row.organization_id, invoice_id: row.id, document_id: row.document_id ?? '', reminder },
    ...{ number: row.number ?? '', currency: row.currency, due_at: row.due_at?.toISOString() ?? '' },
    gross_minor: (row.net_minor + row.tax_minor).toString(),
  });

/** What finance may do now, from the edges of the machine: an invoice becomes void from any state that has a way there. */
function actionsOf(state: Invoice['state']): Invoice['actions'] {
  const edges: Readonly<Record<string, string>> = invoiceMachine.states[state];
  const actions = { finalise: 'finalise' in edges, pay: 'pay' in edges, void: Object.values(edges).includes('void') };
  return (['finalise', 'pay', 'void'] as const).filter((action) => actions[action]);
}

export const showInvoice = (row: InvoiceRow): Invoice => ({
  id: row.id,
  organization_id: row.organization_id,
  organization_name: row.organization_name,
  state: row.state,
  version: Number(row.version),
  number: row.number,
  document_id: row.document_id,
  period: { from: row.period_from, to: row.period_to },
  net: money(row.net_minor, row.currency),
  tax: money(row.tax_minor, row.currency),
  gross: money(row.net_minor + row.tax_minor, row.currency),
  finalise_at: row.finalise_at.toISOString(),
  due_at: row.due_at?.toISOString() ?? null,
  reminders: row.reminders,
  note: row.note,
  actions: actionsOf(row.state),
});
