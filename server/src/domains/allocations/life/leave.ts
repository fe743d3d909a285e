import { type DeclaredEvent, provisioningReleasingCompleted, provisioningReleasingRequested } from '@gpuaas/contract';
import { sql, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Tasks } from '../../nodes/index.ts';
import { freeClaims, moveSlots } from '../slots/slots.ts';
import { aboutMoved, advanceAllocation, type MovedAllocation } from './machine.ts';

const countAttempts = sql(
  'allocation-release-attempts',
  'select state, generation, release_attempts from allocations where id = $1 and mine(organization_id) for update',
);

export interface Leaving {
  readonly ids: Ids;
  readonly tasks: Pick<Tasks, 'takeBack' | 'cancelOf'>;
  readonly correlationId: string;
  /** A word of ours, for the timeline and for events, which are kept and read by many. */
  readonly reason: string;
  /** What a person typed; it stays in the row of the allocation and in the erasable part of the audit log. */
  readonly said?: string | undefined;
  /** Nobody waits for the guest to agree. */
  readonly forced: boolean;
  /** How often a release may be tried in all, before only an operator's cleanup is left. */
  readonly maxAttempts: number;
  readonly seenVersion?: number | undefined;
  /** Now: what no node was given ends at once. */
  readonly endedAt: Date;
}
/** Why allocations end, in words of ours. */
const releaseReasons = new Set(
  'user operator group max_duration idle drain project_removed node_lost runtime_lost balance_depleted'.split(' '),
);
/** The word for a reason that may be what a person typed. */
export const releaseWord = (reason: string | undefined): string =>
  reason !== undefined && releaseReasons.has(reason) ? reason : 'released';

export interface Left {
  readonly moved: MovedAllocation;
  readonly events: readonly DeclaredEvent[];
}

/**
 * The one way out of an allocation, whoever asks: its owner, an operator or a guard. Two who ask at once are told apart
 * by the row: the second finds it leaving. What no node was ever given is gone at once; the rest begins to leave, and the
 * worker takes it from there. Undefined when there is no such allocation.
 */
export async function beginRelease(
  tx: WriteTx,
  id: string,
  leaving: Leaving,
): Promise<Left | undefined | Fault<'allocation_already_releasing' | 'illegal_transition' | 'version_conflict'>> {
  const { ids, correlationId, reason, said, forced, seenVersion } = leaving;
  const [row] = await tx.rows<{ state: string; generation: bigint; release_attempts: number }>(countAttempts, [id]);
  if (!row) return undefined;
  if (row.state === 'releasing') {
    return new Fault('allocation_already_releasing', 'It is being released already: watch its timeline.');
  }
  if (row.state === 'requested') return cancel(tx, id, leaving, ['cancel']);
  const generation = Number(row.generation);
  if (row.state === 'provisioning' && !(await leaving.tasks.takeBack(tx, { allocationId: id, generation }))) {
    return cancel(tx, id, leaving, ['release', 'prove']);
  }
  const attempt = row.release_attempts + 1;
  if (attempt > leaving.maxAttempts) {
    return new Fault(
      'illegal_transition',
      `Its release was tried ${row.release_attempts} times: an operator has to look at the node and clean up.`,
      { attempts: row.release_attempts },
    );
  }
  const moved = await advanceAllocation(tx, id, 'release', {
    ids,
    correlationId,
    seenVersion,
    detail: { reason, forced },
    set: { releaseReason: said ?? reason, releaseAttempts: attempt },
  });
  if (!moved || moved instanceof Fault) return moved;
  // Nobody works for this lease any more: its node may still be building what was asked for, and its answer is too late.
  await leaving.tasks.cancelOf(tx, { allocationId: id, generation });
  return { moved, events: [requested(id, moved, leaving, attempt)] };
}

/** It never reached a node: its slots are as they were. */
async function cancel(
  tx: WriteTx,
  id: string,
  leaving: Leaving,
  way: readonly ('cancel' | 'release' | 'prove')[],
): ReturnType<typeof beginRelease> {
  const { ids, correlationId, reason, said, forced, seenVersion } = leaving;
  let moved: MovedAllocation | undefined;
  for (const transition of way) {
    const next = await advanceAllocation(tx, id, transition, {
      ids,
      correlationId,
      seenVersion: moved?.version ?? seenVersion,
      detail: { reason, forced },
      set: { releaseReason: said ?? reason },
    });
    if (!next || next instanceof Fault) return next;
    moved = { ...next, from: moved?.from ?? next.from };
  }
  if (!moved) throw new Error('there is no way out of nowhere');
  await freeClaims(tx, id);
  const freed = await moveSlots(tx, { allocationId: id }, 'free');
  if (freed instanceof Fault) return freed;
  return { moved, events: [completed(id, moved, leaving)] };
}

const completed = (id: string, moved: MovedAllocation, { reason, endedAt }: Leaving): DeclaredEvent =>
  provisioningReleasingCompleted.of(id, { ...aboutMoved(id, moved), reason, ended_at: endedAt.toISOString() });

function requested(id: string, moved: MovedAllocation, { reason, forced }: Leaving, attempt: number): DeclaredEvent {
  if (!moved.nodeId) throw new Error(`allocation ${id} leaves a node that it never had`);
  const { nodeId: node_id, generation } = moved;
  return provisioningReleasingRequested.of(id, {
    ...aboutMoved(id, moved),
    generation,
    node_id,
    reason,
    forced,
    attempt,
  });
}
