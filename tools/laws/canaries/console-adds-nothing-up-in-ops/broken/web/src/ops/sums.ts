// reported as console-adds-nothing-up: a page of rows is not all rows
export function gpusOf(rows: readonly { readonly gpus: number }[]): number {
  let all = 0;
  for (const { gpus } of rows) all += gpus;
  return all;
}
