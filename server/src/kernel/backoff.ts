/** How long to wait after so many failures in a row: twice as long each time, and never longer than `maxMs`. */
export const backoffMs = (wait: { readonly firstMs: number; readonly maxMs: number }, failures: number): number =>
  Math.min(wait.maxMs, wait.firstMs * 2 ** (failures - 1));
