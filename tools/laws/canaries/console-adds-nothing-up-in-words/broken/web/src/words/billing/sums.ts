// reported as console-adds-nothing-up: a page of rows is not all rows
export const centsOf = (rows: readonly { readonly cents: bigint }[]): bigint =>
  rows.reduce((sum, { cents }) => sum + cents, 0n);
