import type { Argv } from '../commands.ts';

export const nvlinkQuery: Argv = ['nvidia-smi', 'nvlink', '-gt', 'd'];

/** KiB that went over all links of each GPU since its driver was started, by UUID. Without links there is nothing. */
export function readNvlink(text: string): Map<string, { readonly receivedKib: number; readonly sentKib: number }> {
  const found = new Map<string, { receivedKib: number; sentKib: number }>();
  let current: { receivedKib: number; sentKib: number } | undefined;
  for (const line of text.split('\n')) {
    const uuid = /\(UUID: (GPU-[0-9a-f-]{36})\)/.exec(line)?.[1];
    if (uuid !== undefined) {
      current = { receivedKib: 0, sentKib: 0 };
      found.set(uuid, current);
      continue;
    }
    const [, way, amount] = /^\s*Link \d+: Data (Tx|Rx): (\d{1,15}) KiB\s*$/.exec(line) ?? [];
    if (!current || amount === undefined) continue;
    if (way === 'Rx') current.receivedKib += Number(amount);
    else current.sentKib += Number(amount);
  }
  // A GPU without a link is named and has no lines.
  for (const [uuid, { receivedKib, sentKib }] of found) if (receivedKib + sentKib === 0) found.delete(uuid);
  return found;
}
