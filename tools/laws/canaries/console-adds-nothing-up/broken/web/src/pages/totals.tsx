// reported as console-adds-nothing-up: a page of rows is not all rows
export const gpusOf = (rows: readonly { readonly gpus: number }[]): number =>
  rows.reduce((sum, { gpus }) => sum + gpus, 0);
