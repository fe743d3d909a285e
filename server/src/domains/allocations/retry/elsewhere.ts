import {
  type DeclaredEvent,
  provisioningCleanupRequested,
  provisioningQueued,
  provisioningRequested,
  provisioningRetried,
} from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondMs } from '../../../kernel/units.ts';
import { retryPicks, spanningGpus } from '../facts.ts';
import { aboutMoved, advanceAllocation, type MovedAllocation, noteAllocation } from '../life/machine.ts';
import type { Order } from '../life/order.ts';
import { findFitting, readCandidates } from '../placement/candidates-store.ts';
import { type Decision, decide } from '../placement/decide.ts';
import type { PlacementRequest } from '../placement/model.ts';
import type { Failure } from '../sagas/failure.ts';
import type { SagaParts } from '../sagas/parts.ts';
import { claimSlots, freeClaims, moveSlots, type Reservation, reserveSlots } from '../slots/slots.ts';
import { insertDecision } from '../store.ts';
import { type AttemptRow, insertAttempt, listAttempts, readAttempt } from './attempts-store.ts';

/** What became of a launch that failed and is tried again. */
export interface Retried {
  readonly moved: MovedAllocation;
  readonly change: object;
  readonly events: readonly DeclaredEvent[];
}

/**
 * Tries a launch that failed because of its host on another one, in the transaction in which it failed. The allocation goes
 * back to scheduling: with a place on a host where it has not failed yet, or to the queue where its owner is willing to
 * wait. It gets a lease with a greater generation; the slots of the old one are cleaned as after any failure, apart.
 *
 * Undefined when it is not tried again: the attempts are used up, or there is no other host. The caller holds the row.
 */
export async function tryElsewhere(
  tx: WriteTx,
  parts: SagaParts,
  order: Order,
  failure: Failure,
  correlationId: string,
): Promise<Retried | undefined> {
  if (!failure.avoidHost || order.state !== 'provisioning') return undefined;
  const row = await readAttempt(tx, order.id);
  if (!row || row.attempt >= row.max_attempts) return undefined;
  const place = await findPlace(tx, parts, order, row);
  if (!place && !row.queue_deadline_at) return undefined;
  const lease = { allocationId: order.id, generation: order.generation };
  await parts.tasks.cancelOf(tx, lease);
  const touched = await parts.tasks.wasHandedOut(tx, lease);
  const cleaning = await moveSlots(tx, lease, touched ? 'clean' : 'free');
  if (cleaning instanceof Fault) return undefined;
  if (!touched) await freeClaims(tx, order.id, order.generation);
  await insertAttempt(tx, {
    ...{ ...lease, organizationId: order.organizationId, attempt: row.attempt, nodeId: order.nodeId },
    ...{ code: failure.code, reason: failure.sentence, isClean: !touched },
  });
  const next = { attempt: row.attempt + 1, max_attempts: row.max_attempts };
  const moved = await advanceAllocation(tx, order.id, 'retry', {
    ...{ ids: parts.ids, correlationId, seenGeneration: order.generation },
    detail: { ...next, failure_code: failure.code, failure_reason: failure.sentence },
    set: place
      ? { placementStatus: 'reserved', nodeId: place.reservation.nodeId, generation: place.reservation.generation }
      : // No lease has this number: whoever comes late with the old one is refused while it waits.
        { placementStatus: 'queued', generation: order.generation + 1 },
  });
  if (!moved || moved instanceof Fault) throw new Error(`allocation ${order.id} moved although it was held`);
  if (place) await takePlace(tx, parts, order, place, correlationId);
  const { simulated: _, ...about } = aboutMoved(order.id, moved);
  return {
    moved,
    change: { state: [moved.from, moved.to], failure: failure.code, detail: failure.detail ?? null, ...next },
    events: [
      provisioningRetried.of(order.id, {
        ...{ ...about, ...next, simulated: order.simulated, generation: order.generation },
        ...{ failure_code: failure.code, failure_reason: failure.sentence },
      }),
      place
        ? provisioningRequested.of(order.id, {
            ...{ ...about, sku: row.sku, gpu_count: row.gpu_count, region: row.region },
            ...{ simulated: place.reservation.simulated, node_id: place.reservation.nodeId },
            generation: place.reservation.generation,
          })
        : provisioningQueued.of(order.id, {
            ...{ ...about, sku: row.sku, gpu_count: row.gpu_count, region: row.region },
            queue_deadline_at: (row.queue_deadline_at as Date).toISOString(),
          }),
      ...(touched
        ? [
            provisioningCleanupRequested.of(order.id, {
              ...{ ...about, simulated: order.simulated, generation: order.generation, node_id: order.nodeId },
              afterwards: failure.afterwards,
            }),
          ]
        : []),
    ],
  };
}

interface Place {
  readonly reservation: Reservation;
  readonly decision: Decision;
}

/** Slots on a host where it has not failed, taken. What is kept for those who wait longer is not taken. */
async function findPlace(tx: WriteTx, parts: SagaParts, order: Order, row: AttemptRow): Promise<Place | undefined> {
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
  const except = [...row.tried, order.nodeId];
  for (let picks = 0; picks < retryPicks; picks += 1) {
    const ids = await findFitting(tx, request, { lostAfterSeconds, whole, except, limit });
    const nodes = ids.length > 0 ? await readCandidates(tx, ids, lostAfterSeconds, request) : [];
    const decision = decide(request, nodes);
    if (!decision.chosen) return undefined;
    const { node_id: nodeId, slot_ids: slotIds } = decision.chosen;
    // Without waiting: it holds slots already, and whoever holds some and waits for others may wait for ever.
    const reservation = await reserveSlots(tx, { allocationId: order.id, slotIds, wait: false });
    if (reservation) return { reservation, decision };
    except.push(nodeId);
  }
  return undefined;
}

async function takePlace(
  tx: WriteTx,
  parts: SagaParts,
  order: Order,
  { reservation, decision }: Place,
  correlationId: string,
): Promise<void> {
  const of = { allocationId: order.id, organizationId: order.organizationId };
  const kind = order.shape === 'baremetal' ? 'node_exclusive' : 'slot';
  await claimSlots(tx, { ...reservation, ...of, ids: parts.ids, kind });
  await insertDecision(tx, { ...of, id: parts.ids.next(), outcome: 'placed', document: decision });
  await noteAllocation(tx, order.id, {
    ...{ ids: parts.ids, correlationId, kind: 'note', name: 'placement_reserved' },
    detail: { generation: reservation.generation },
  });
}

/** Why it failed in the end: the reasons of all attempts, in words that its owner may read. */
export async function sayAllFailures(tx: WriteTx, order: Order, failure: Failure): Promise<string> {
  const [row, before] = [await readAttempt(tx, order.id), await listAttempts(tx, order.id)];
  const isLast = !row || row.attempt >= row.max_attempts || !failure.avoidHost;
  const none = isLast ? '' : ' No other host was free for it.';
  if (before.length === 0) return `${failure.sentence}${none}`;
  const told = [...before.map(({ failure_reason }) => failure_reason), failure.sentence];
  return `${told.map((reason, at) => `Attempt ${at + 1}: ${reason}`).join(' ')}${none}`;
}
