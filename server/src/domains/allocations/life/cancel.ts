import { type DeclaredEvent, provisioningReleasingCompleted } from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { freeClaims, moveSlots } from '../slots/slots.ts';
import { aboutMoved, advanceAllocation, type MovedAllocation } from './machine.ts';

/** Why allocations end. */
const releaseReasons = new Set(
  'user operator group max_duration idle drain project_removed node_lost runtime_lost balance_depleted max_spend'.split(
    ' ',
  ),
);
/** The reason for events. A stored reason that is none of ours is what a person typed, and is not repeated. */
export const releaseWord = (reason: string | undefined): string =>
  reason !== undefined && releaseReasons.has(reason) ? reason : 'released';

export interface Released {
  readonly moved: MovedAllocation;
  readonly events: readonly DeclaredEvent[];
}

/** Ends an allocation that no node was given. Nothing has touched its slots: they are free without cleaning. */
export async function cancelAllocation(
  tx: WriteTx,
  id: string,
  cancelling: {
    readonly ids: Ids;
    readonly correlationId: string;
    readonly reason: string;
    readonly said?: string | undefined;
    readonly forced: boolean;
    /** The person or program of the tenant who asked; not an operator, whom tenants do not see. */
    readonly by?: string | undefined;
    readonly seenVersion?: number | undefined;
    readonly endedAt: Date;
  },
  transitions: readonly ('cancel' | 'release' | 'prove')[],
): Promise<Released | undefined | Fault<'illegal_transition' | 'version_conflict'>> {
  const { ids, correlationId, reason, said, forced, by, seenVersion, endedAt } = cancelling;
  let moved: MovedAllocation | undefined;
  for (const transition of transitions) {
    const next = await advanceAllocation(tx, id, transition, {
      ids,
      correlationId,
      seenVersion: moved?.version ?? seenVersion,
      detail: { reason, forced, ...(by && { released_by: by }) },
      set: { releaseReason: said ?? reason },
    });
    if (!next || next instanceof Fault) return next;
    moved = { ...next, from: moved?.from ?? next.from };
  }
  if (!moved) throw new Error('a cancellation needs at least one transition');
  await freeClaims(tx, id);
  const freed = await moveSlots(tx, { allocationId: id }, 'free');
  if (freed instanceof Fault) return freed;
  const completed = { ...aboutMoved(id, moved), reason, ended_at: endedAt.toISOString() };
  return { moved, events: [provisioningReleasingCompleted.of(id, completed)] };
}
