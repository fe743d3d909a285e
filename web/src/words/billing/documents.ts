import type { BillingDocument } from '@gpuaas/sdk';

export const documentKinds: Readonly<Record<BillingDocument['kind'], string>> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
  receipt: 'Receipt',
  statement: 'Statement',
};
/** The state of a document in one or two words, and how it is to be seen. */
export const documentStates: Readonly<
  Record<BillingDocument['state'], { readonly text: string; readonly tone: 'ok' | 'bad' | 'calm' }>
> = {
  final: { text: 'Issued', tone: 'calm' },
  paid: { text: 'Paid', tone: 'ok' },
  past_due: { text: 'Past due', tone: 'bad' },
  void: { text: 'Void', tone: 'calm' },
};
