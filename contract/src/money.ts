import { type Static, Type } from 'typebox';

/** Money is whole minor units and a currency. On the wire the amount is a decimal string: JSON numbers lose cents. */
export const Money = Type.Object(
  {
    amount_minor: Type.String({ pattern: '^-?(?:0|[1-9][0-9]{0,17})$' }),
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  },
  { $id: 'Money', additionalProperties: false },
);
export type Money = Static<typeof Money>;

/** `25.00 USD`, for messages. The decimal point is inserted into the digits, so that no cent is lost. */
export function showMoney(amount: bigint, currency: string): string {
  const { maximumFractionDigits: digits = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const text = (amount < 0n ? -amount : amount).toString().padStart(digits + 1, '0');
  const point = text.length - digits;
  return `${amount < 0n ? '-' : ''}${text.slice(0, point)}${digits === 0 ? '' : `.${text.slice(point)}`} ${currency}`;
}
