import type { HeldLease } from '@gpuaas/contract/node';
import type { Finding } from '../../attention/index.ts';
import { reportLagMs } from '../facts.ts';

/**
 * Compares what a node holds with what it should hold. It names each difference once; `drift-guard.ts` acts on them. A machine
 * that should not exist is never killed, because a tenant's work may be in it: its free slots are quarantined and an operator
 * looks.
 */
export interface Desired {
  readonly allocationId: string;
  readonly state: string;
  readonly generation: number;
  /** Since when the node should have it; a report from before says nothing about it. */
  readonly since: Date;
}
export interface Reported {
  readonly at: Date;
  readonly leases: readonly HeldLease[];
}
export type Drift =
  /** It holds something for an allocation that ended, or that never was. */
  | { readonly kind: 'orphan'; readonly lease: HeldLease }
  /** It holds something for a lease that has been replaced. */
  | { readonly kind: 'stale'; readonly lease: HeldLease; readonly generation: number }
  /** It should hold something and does not report it. */
  | { readonly kind: 'absent'; readonly allocationId: string; readonly generation: number }
  /** It ended the lease by itself, at its deadline. */
  | { readonly kind: 'ended'; readonly allocationId: string; readonly generation: number };

/** What is known of allocations that the node should not hold any more. */
export interface Gone {
  /** Their slots are being cleaned or are set aside: what the node still holds of them is being dealt with. */
  readonly leaving: ReadonlySet<string>;
  /** When they ended; a report from before says nothing about it. */
  readonly endedAt: ReadonlyMap<string, Date>;
}

export function compareWithReport(desired: readonly Desired[], gone: Gone, reported: Reported): Drift[] {
  // A report is older than its arrival by the time of its transport, and knows nothing of that time.
  const knownUntil = new Date(reported.at.getTime() - reportLagMs);
  const wanted = new Map(desired.map((each) => [each.allocationId, each]));
  const held = new Map(reported.leases.map((lease) => [lease.allocation_id, lease]));
  const found: Drift[] = [];
  for (const lease of held.values()) {
    const want = wanted.get(lease.allocation_id);
    if (lease.state === 'ended' || gone.leaving.has(lease.allocation_id)) continue;
    const endedAt = gone.endedAt.get(lease.allocation_id);
    if (endedAt && endedAt >= knownUntil) continue;
    if (!want) found.push({ kind: 'orphan', lease });
    else if (lease.generation < want.generation) {
      found.push({ kind: 'stale', lease, generation: want.generation });
    }
  }
  for (const { allocationId, state, generation, since } of wanted.values()) {
    if (state !== 'active' || since >= knownUntil) continue;
    const lease = held.get(allocationId);
    if (!lease || lease.generation < generation) found.push({ kind: 'absent', allocationId, generation });
    else if (lease.state === 'ended') found.push({ kind: 'ended', allocationId, generation });
  }
  return found;
}

/** Machines that the report of their node does not name, as alerts: for operators, and for the tenant. */
export const missingOf = (found: readonly Drift[]): Finding[] =>
  found.flatMap((drift): Finding[] =>
    drift.kind === 'absent'
      ? [
          {
            ...{ kind: 'runtime_missing', effect: 'informs', slotId: null, allocationId: drift.allocationId },
            message: `The node does not report allocation ${drift.allocationId}, which should run there. The agent may have lost its state: look at the host. The allocation ends when the node reports the same after a restart of the host, or when its owner or an operator releases it.`,
            tenantMessage:
              'The host does not report this machine any more. It may still run. Release it if you cannot use it.',
          },
        ]
      : [],
  );

/**
 * What a node holds that nobody wants, as alerts. Slots that are not of this node say nothing. A lease that names none of its
 * slots is one of the whole node.
 */
export const leftoversOf = (found: readonly Drift[], slotsOfNode: readonly string[]): Finding[] =>
  found.flatMap((drift): Finding[] => {
    if (drift.kind !== 'orphan' && drift.kind !== 'stale') return [];
    const { allocation_id, slot_ids } = drift.lease;
    const named = slotsOfNode.filter((id) => slot_ids.includes(id));
    const shared = {
      ...({
        kind: `leftover_${allocation_id.replaceAll('-', '')}`,
        effect: 'blocks_sale',
        allocationId: null,
      } as const),
      message: `The node still holds allocation ${allocation_id}, which should not be there.`,
      tenantMessage: null,
    };
    return named.length === 0 ? [{ ...shared, slotId: null }] : named.map((slotId) => ({ ...shared, slotId }));
  });
