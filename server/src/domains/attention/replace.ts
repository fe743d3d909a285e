import type { Alert } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { heldBack, mayTake, takesMore } from './breaker.ts';
import { type Finding, oncePerTarget } from './evaluate-report.ts';
import { holdNode, listAlertsOf, writeAlerts } from './store.ts';

export interface Replaced {
  readonly raised: readonly string[];
  readonly cleared: readonly string[];
  /** Something that would block sale only informs, because the breaker of the pool is tripped. */
  readonly heldBack: boolean;
  /** The breaker tripped, or holds one more host back. */
  readonly isBreakerChange: boolean;
}

/**
 * Sources whose blocks are automation that the breaker counts. What a host holds of another tenant, and its silence, say
 * nothing about its health: such capacity is never sold, however many hosts are concerned.
 */
const counted: ReadonlySet<Alert['source']> = new Set(['health']);

/** Replaces the alerts of a source about a node, or about one allocation there. */
export async function replaceAlerts(
  tx: WriteTx,
  of: { readonly source: Alert['source']; readonly nodeId: string; readonly allocationId?: string },
  findings: readonly Finding[],
): Promise<Replaced> {
  const wanted = oncePerTarget(findings);
  if (!counted.has(of.source)) {
    const [, changed] = await Promise.all([holdNode(tx, of.nodeId), writeAlerts(tx, of, wanted)]);
    return { ...changed, heldBack: false, isBreakerChange: false };
  }
  const [, before] = await Promise.all([holdNode(tx, of.nodeId), listAlertsOf(tx, of.source, of.nodeId)]);
  if (!takesMore(wanted, before))
    return { ...(await writeAlerts(tx, of, wanted)), heldBack: false, isBreakerChange: false };
  const reason = wanted.find(({ effect }) => effect === 'blocks_sale')?.message ?? '';
  const asked = await mayTake(tx, { kind: 'quarantine', nodeId: of.nodeId, source: of.source, reason });
  const changed = await writeAlerts(tx, of, asked.granted ? wanted : heldBack(wanted, before));
  return { ...changed, heldBack: !asked.granted, isBreakerChange: asked.isBreakerChange };
}
