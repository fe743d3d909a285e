import type { WriteTx } from '../../kernel/act.ts';
import { evaluateReport, isSame } from './evaluate-report.ts';
import { heldAtOnce } from './facts.ts';
import { replaceAlerts } from './replace.ts';
import { listReports, nodesOf } from './store.ts';

/**
 * Evaluates the last report of the nodes whose slots are about to become free, in the transaction that frees them. What the
 * report says against a slot is written before the slot is moved, so there is no moment in which it could be sold.
 */
export async function holdBeforeSale(
  tx: WriteTx,
  which: { readonly allocationId: string } | { readonly slotIds: readonly string[] },
): Promise<void> {
  const nodes = await nodesOf(tx, which);
  if (nodes.length === 0) return;
  for (const row of await listReports(tx, nodes, undefined, heldAtOnce)) {
    // A tenant who leaves no longer counts: findings of the node now count as its own.
    const findings = evaluateReport({ ...row, slots: row.slots.map((slot) => ({ ...slot, state: 'available' })) });
    if (!isSame(findings, row.alerts)) await replaceAlerts(tx, { source: 'health', nodeId: row.id }, findings);
  }
}
