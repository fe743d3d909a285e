import {
  type DeclaredEvent,
  provisioningCleanupRequested,
  provisioningQueued,
  provisioningRetried,
} from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondMs } from '../../../kernel/units.ts';
import { retryPicks, spanningGpus } from '../facts.ts';
import { findFitting, readCandidates } from '../placement/candidates-store.ts';
import { decide } from '../placement/decide.ts';
import type { PlacementRequest } from '../placement/model.ts';
import type { Reserved } from '../placement/placer.ts';
import { type AttemptRow, insertAttempt, listAttempts, readAttempt } from '../retry/attempts-store.ts';
import { avoidHost } from '../retry/avoid-host-store.ts';
import type { Failure } from '../retry/failure.ts';
import { freeClaims, moveSlots, reserveSlots } from '../slots/slots.ts';
import type { LeasedAllocation } from './leased.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';
import type { LifeParts } from './parts.ts';
import { placeAllocations } from './place.ts';

/** A launch that failed and is tried again: what changed, and the events. */
export interface Retried {
  readonly change: object;
  readonly events: readonly DeclaredEvent[];
}

/**
 * Retries a launch that failed because of its host, in the transaction in which it failed. The allocation gets a place on a
 * host where it has not failed yet and its node is asked, or it goes back to the queue where its owner is willing to wait. Its new lease has a
 * greater generation; the slots of the old lease are cleaned separately.
 *
 * Undefined when it is not retried: the attempts are used up, or no other host fits. The caller holds the row.
 */
export async function retryLaunch(
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  failure: Failure,
  correlationId: string,
): Promise<Retried | undefined> {
  if (!failure.avoidHost || leased.state !== 'provisioning') return undefined;
  const row = await readAttempt(tx, leased.id);
  if (!row || row.attempt >= row.max_attempts) return undefined;
  const place = await reserveElsewhere(tx, parts, leased, row);
  if (!place && !row.queue_deadline_at) return undefined;
  const lease = { allocationId: leased.id, generation: leased.generation };
  await parts.tasks.cancelOf(tx, lease);
  const touched = await parts.tasks.wasHandedOut(tx, lease);
  const cleaning = await moveSlots(tx, lease, touched ? 'clean' : 'free');
  if (cleaning instanceof Fault) {
    // The launch fails for good: the slots that were reserved for another attempt go back.
    if (place) await moveSlots(tx, { ...lease, generation: place.reservation.generation }, 'free');
    return undefined;
  }
  if (!touched) await freeClaims(tx, leased.id, leased.generation);
  await insertAttempt(tx, {
    ...{ ...lease, organizationId: leased.organizationId, attempt: row.attempt, nodeId: leased.nodeId },
    ...{ code: failure.code, reason: failure.sentence, isClean: !touched },
  });
  const next = { attempt: row.attempt + 1, max_attempts: row.max_attempts };
  const moved = await advanceAllocation(tx, leased.id, 'retry', {
    ...{ ids: parts.ids, correlationId, seenGeneration: leased.generation },
    detail: { ...next, failure_code: failure.code, failure_reason: failure.sentence },
    set: place
      ? { placementStatus: 'reserved', nodeId: place.reservation.nodeId, generation: place.reservation.generation }
      : // No lease has this generation: late results of the old lease are refused while the allocation waits.
        { placementStatus: 'queued', generation: leased.generation + 1 },
  });
  if (!moved || moved instanceof Fault) throw new Error(`allocation ${leased.id} moved although it was held`);
  const { simulated: _, ...about } = aboutMoved(leased.id, moved);
  const what = { sku: row.sku, gpu_count: row.gpu_count, region: row.region };
  const [placed] = await Promise.all([
    place && placeAgain(tx, parts, leased, row, place, correlationId),
    avoidHost(tx, leased.nodeId, parts.failureMemoryMinutes()),
  ]);
  return {
    change: { state: [moved.from, moved.to], failure: failure.code, detail: failure.detail ?? null, ...next },
    events: [
      provisioningRetried.of(leased.id, {
        ...{ ...about, ...next, simulated: leased.simulated, generation: leased.generation },
        ...{ failure_code: failure.code, failure_reason: failure.sentence },
      }),
      ...(placed ?? [
        provisioningQueued.of(leased.id, {
          ...{ ...about, ...what, queue_deadline_at: (row.queue_deadline_at as Date).toISOString() },
        }),
      ]),
      ...(touched
        ? [
            provisioningCleanupRequested.of(leased.id, {
              ...{ ...about, simulated: leased.simulated, generation: leased.generation, node_id: leased.nodeId },
              afterwards: failure.afterwards,
            }),
          ]
        : []),
    ],
  };
}

const placeAgain = (
  tx: WriteTx,
  parts: LifeParts,
  { id, organizationId, projectId }: LeasedAllocation,
  row: AttemptRow,
  place: Reserved,
  correlationId: string,
) =>
  placeAllocations(tx, parts, correlationId, [
    { ...place, allocation: { ...row, id, organization_id: organizationId, project_id: projectId }, isNew: false },
  ]);

/** Reserves slots on a host where the launch has not failed. Slots that are kept for older requests are not taken. */
async function reserveElsewhere(
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  row: AttemptRow,
): Promise<Reserved | undefined> {
  const { lostAfterSeconds, candidates: limit, imageRequired } = parts.placing();
  const isSlice = row.capacity_shape === 'gpu_slice';
  const lasts = row.max_duration_seconds;
  const request: PlacementRequest = {
    ...{ sku: row.sku, shape: row.capacity_shape, gpus: row.gpu_count, region: row.region, nvme: isSlice },
    ...{ fabric: isSlice && row.fabric, provisionSeconds: parts.taskSeconds('provision') },
    image: isSlice && row.image_id ? { id: row.image_id, mustBeCached: imageRequired } : undefined,
    endsAt:
      lasts === null
        ? undefined
        : new Date(parts.clock.now().getTime() + (parts.taskSeconds('provision') + lasts) * secondMs).toISOString(),
  };
  const whole = row.capacity_shape === 'baremetal' || row.gpu_count >= spanningGpus;
  const except = [...row.tried, leased.nodeId];
  for (let picks = 0; picks < retryPicks; picks += 1) {
    const ids = await findFitting(tx, request, { lostAfterSeconds, whole, except, limit });
    const nodes = ids.length > 0 ? await readCandidates(tx, ids, lostAfterSeconds, request) : [];
    const decision = decide(request, nodes);
    if (!decision.chosen) return undefined;
    const { node_id: nodeId, slot_ids: slotIds } = decision.chosen;
    // Without waiting: the transaction holds slots already, and waiting for others could deadlock.
    const reservation = await reserveSlots(tx, {
      ...{ allocationId: leased.id, slotIds, wait: false, lostAfterSeconds, newcomer: request },
    });
    if (reservation) return { reservation, decision };
    except.push(nodeId);
  }
  return undefined;
}

/** The reasons of all attempts, in words that the owner may read. */
export async function sayAllFailures(tx: WriteTx, leased: LeasedAllocation, failure: Failure): Promise<string> {
  const [row, before] = [await readAttempt(tx, leased.id), await listAttempts(tx, leased.id)];
  const isLast = !row || row.attempt >= row.max_attempts || !failure.avoidHost;
  const none = isLast ? '' : ' No other host was free for it.';
  if (before.length === 0) return `${failure.sentence}${none}`;
  const reasons = [...before.map(({ failure_reason }) => failure_reason), failure.sentence];
  return `${reasons.map((reason, at) => `Attempt ${at + 1}: ${reason}`).join(' ')}${none}`;
}
