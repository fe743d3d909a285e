import type { PaymentRow } from './store.ts';

type Taxed = Pick<PaymentRow, 'amount_minor' | 'tax_minor'>;

/** What of a part of a payment is tax: the same share as of the whole, rounded half up. */
export const taxWithin = ({ amount_minor, tax_minor }: Taxed, part: bigint): bigint =>
  (twice(part * tax_minor) + amount_minor) / twice(amount_minor);
const twice = (amount: bigint): bigint => amount + amount;

/**
 * What of a change is tax, when `before` becomes `after`. It is the difference of two rounded wholes, so that any number of partial
 * refunds gives back exactly the tax that was paid.
 */
export const taxBetween = (payment: Taxed, before: bigint, after: bigint): bigint =>
  taxWithin(payment, after) - taxWithin(payment, before);
