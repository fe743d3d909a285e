import { provisioningReleasingRequested } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { isClosed } from '../../../kernel/process/failpoint.ts';
import type { Tasks } from '../../nodes/index.ts';
import type { AllocationParts } from '../parts.ts';
import { queueTaskFor } from '../tasks/node-task.ts';
import { vacateTask } from '../tasks/vacate-task.ts';
import { cancelAllocation, type Released } from './cancel.ts';
import { readLeased } from './leased.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';
import type { LifeParts } from './parts.ts';
import { countAttempts } from './store.ts';

export interface Releasing {
  readonly ids: Ids;
  readonly tasks: Pick<Tasks, 'takeBack' | 'cancelOf'>;
  readonly correlationId: string;
  /** One of `releaseReasons`, for the timeline and for events, which are kept and read by many. */
  readonly reason: string;
  /** What a person typed. It stays in the row of the allocation and in the erasable part of the audit log. */
  readonly said?: string | undefined;
  /** The guest gets no time to shut down by itself. */
  readonly forced: boolean;
  /** The person or program of the tenant who asked; not an operator, whom tenants do not see. */
  readonly by?: string | undefined;
  /** How often a release may be tried in all, before only an operator's cleanup is left. */
  readonly maxAttempts: number;
  readonly seenVersion?: number | undefined;
  /** Now: an allocation that no node was given ends at once. */
  readonly endedAt: Date;
}
type Refusal = Fault<'allocation_already_releasing' | 'illegal_transition' | 'version_conflict'>;

/**
 * Begins the release of an allocation, for its owner, an operator or a guard. The row decides between two callers: the
 * second one finds it `releasing`. An allocation that no node was given is cancelled and ends at once; any other moves to
 * `releasing`, and the caller asks its node with `queueVacateTask`. Undefined when there is no such allocation.
 */
export async function beginRelease(
  tx: WriteTx,
  id: string,
  releasing: Releasing,
): Promise<Released | undefined | Refusal> {
  const { ids, correlationId, reason, said, forced, by, seenVersion } = releasing;
  const [row] = await tx.rows<{ state: string; generation: bigint; release_attempts: number }>(countAttempts, [id]);
  if (!row) return undefined;
  if (row.state === 'releasing') {
    return new Fault('allocation_already_releasing', 'It is being released already: watch its timeline.');
  }
  if (row.state === 'requested') return cancelAllocation(tx, id, releasing, ['cancel']);
  const generation = Number(row.generation);
  if (row.state === 'provisioning' && !(await releasing.tasks.takeBack(tx, { allocationId: id, generation }))) {
    return cancelAllocation(tx, id, releasing, ['release', 'prove']);
  }
  const attempt = row.release_attempts + 1;
  if (attempt > releasing.maxAttempts) {
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
    detail: { reason, forced, ...(by && { released_by: by }) },
    set: { releaseReason: said ?? reason, releaseAttempts: attempt },
  });
  if (!moved || moved instanceof Fault) return moved;
  // The node may still be building the machine: its result would come too late.
  await releasing.tasks.cancelOf(tx, { allocationId: id, generation });
  if (!moved.nodeId) throw new Error(`allocation ${id} leaves a node that it never had`);
  const requested = provisioningReleasingRequested.of(id, {
    ...aboutMoved(id, moved),
    ...{ generation: moved.generation, node_id: moved.nodeId, reason, forced, attempt },
  });
  return { moved, events: [requested] };
}

/** A release through the api: begins it and queues the node's task in the same transaction, ahead of the saga. */
export async function releaseAllocation(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act,
  id: string,
  how: {
    readonly reason: string;
    readonly said?: string | undefined;
    readonly forced: boolean;
    readonly by?: string | undefined;
  },
): Promise<Released | undefined | Fault<'allocation_already_releasing' | 'illegal_transition'>> {
  const released = await beginRelease(tx, id, {
    ...how,
    ids: parts.ids,
    tasks: parts.tasks,
    correlationId: act.correlationId,
    maxAttempts: parts.limits(act).maxReleaseAttempts,
    endedAt: parts.clock.now(),
  });
  if (!(released instanceof Fault)) {
    if (released) await queueVacateTask(tx, parts, id, released, { ...how, correlationId: act.correlationId });
    return released;
  }
  // The caller named no version, so there is none to conflict with.
  if (released.code === 'version_conflict') throw released;
  return released as Fault<'allocation_already_releasing' | 'illegal_transition'>;
}

/**
 * Asks the node in the transaction that began the release, so that no run is needed. When the slots do not allow the task, the
 * release stands and the saga deals with the obstacle.
 */
export async function queueVacateTask(
  tx: WriteTx,
  parts: LifeParts,
  id: string,
  { moved }: Released,
  how: { readonly forced: boolean; readonly correlationId: string },
): Promise<void> {
  if (moved.to !== 'releasing' || isClosed('life.ahead')) return;
  const leased = await readLeased(tx, id);
  if (!leased || leased.slots.length === 0) return;
  const queued = await queueTaskFor(tx, parts, leased, vacateTask(parts, how), how);
  if (queued instanceof Fault) await parts.tasks.cancelOf(tx, { allocationId: id, generation: leased.generation });
}
