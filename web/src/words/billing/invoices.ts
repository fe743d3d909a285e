import type { Invoice } from '@gpuaas/sdk';

/** The state of an invoice in one or two words, and how it is to be seen. */
export const invoiceStates: Readonly<
  Record<Invoice['state'], { readonly text: string; readonly tone: 'ok' | 'warn' | 'bad' | 'calm' | 'busy' }>
> = {
  draft: { text: 'Draft', tone: 'busy' },
  final: { text: 'Not paid yet', tone: 'warn' },
  past_due: { text: 'Past due', tone: 'bad' },
  paid: { text: 'Paid', tone: 'ok' },
  void: { text: 'Void', tone: 'calm' },
};

export type InvoiceAct = Invoice['actions'][number];
export const invoiceVerbs: Readonly<Record<InvoiceAct, string>> = {
  finalise: 'Finalise',
  pay: 'Note a payment',
  void: 'Void',
};
/** What an act does, before it is done. */
export function warnOf(act: InvoiceAct, state: Invoice['state']): string {
  if (act === 'finalise') return 'It gets its number and its date, and goes to the organization. Both stay for ever.';
  if (act === 'pay') return 'The invoice counts as paid in full, outside of the payment provider. Reminders end.';
  return state === 'draft'
    ? 'The draft is discarded. It has no number, so none is missing.'
    : 'A credit note takes the invoice back. Both keep their numbers.';
}
