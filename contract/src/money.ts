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
