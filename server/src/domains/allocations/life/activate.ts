import { provisioningActive } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { Halt } from '../../../kernel/saga.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { TaskAnswer } from '../../nodes/index.ts';
import { markKeysUsed } from '../../ssh/index.ts';
import { moveSlots } from '../slots/slots.ts';
import { keepAttestation, problemsIn } from './keep-attestation.ts';
import { holdLeased, type LeasedAllocation, readLeaseState } from './leased.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';
import type { LifeChange, LifeParts, OfLease } from './parts.ts';
import { keysOnNode } from './store.ts';

/**
 * `provisioning` to `active`, for an allocation that the transaction holds. It refuses another state and an attestation with
 * a problem, and then has changed nothing. It also refuses when the slots cannot be used; the attestation is then kept if
 * the caller commits. The door of nodes calls it with the result (apply-result.ts), the saga calls it for an answer that the
 * door did not apply.
 */
export async function activateAllocation(
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  answer: TaskAnswer,
  correlationId: string,
): Promise<LifeChange | Fault> {
  const { id: allocationId, generation, state, organizationId, projectId } = leased;
  if (state !== 'provisioning') return new Fault('illegal_transition', `It is ${state}.`, { state });
  const problems = problemsIn(leased, answer);
  if (problems.length > 0) return new Fault('illegal_transition', problems.join(' '));
  const [kept, used] = await Promise.all([
    keepAttestation(tx, parts, leased, answer),
    moveSlots(tx, { allocationId }, 'use'),
  ]);
  if (used instanceof Fault) return used;
  const activeAt = parts.clock.now();
  const lasts = leased.maxDurationSeconds;
  const speed = leased.simulated ? parts.gpuTimeSpeed() : 1;
  const expiresAt = lasts === undefined ? undefined : new Date(activeAt.getTime() + (lasts * secondMs) / speed);
  const [moved] = await Promise.all([
    advanceAllocation(tx, allocationId, 'activate', {
      ids: parts.ids,
      correlationId,
      detail: { attestation_id: kept.attestationId },
      set: { placementStatus: 'leased', access: kept.access, ...(expiresAt && { expiresAt }) },
    }),
    markKeysUsed(tx, allocationId),
    bringKeysUpToDate(tx, parts, leased, correlationId),
    expiresAt && sendDeadline(tx, parts, leased, expiresAt, correlationId),
  ]);
  if (!moved || moved instanceof Fault) throw new Error(`allocation ${allocationId} moved although it was held`);
  return {
    change: { state: [moved.from, moved.to], attestation: kept.attestationId },
    organizationId,
    projectId,
    events: [
      provisioningActive.of(allocationId, {
        ...aboutMoved(allocationId, moved),
        generation,
        attestation_id: kept.attestationId,
        active_at: activeAt.toISOString(),
      }),
    ],
  };
}

/** The saga's step: a transaction of its own, and none where the door of nodes has activated the lease already. */
export async function activateLease(
  parts: LifeParts,
  act: Act,
  lease: OfLease,
  answer: TaskAnswer,
): Promise<{ readonly active: true } | Halt> {
  if (answer.outcome !== 'succeeded') return new Halt(answer.failure?.message ?? 'The node did not answer in time.');
  const found = await parts.db.read(act, (tx) => readLeaseState(tx, lease.allocationId));
  if (found?.generation === lease.generation && found.wasActive) return { active: true };
  const outcome = await parts.db.write(act, async (tx) => {
    const held = await holdLeased(tx, lease.allocationId);
    if (held?.generation !== lease.generation) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation has another lease by now.'));
    }
    const activated = await activateAllocation(tx, parts, held, answer, act.correlationId);
    if (activated instanceof Fault) return tx.abandon(activated);
    const { change, organizationId, events } = activated;
    return tx.commit(undefined, {
      target: { type: 'allocation', id: lease.allocationId },
      ...{ change, organizationId, events },
    });
  });
  // The door of nodes may have activated it between the read and the lock.
  if (!(outcome instanceof Fault) || stateIn(outcome) === 'active') return { active: true };
  return new Halt(outcome.message);
}
const stateIn = (fault: Fault): string | undefined => (fault.details as { readonly state?: string } | undefined)?.state;

/** The exact end of the lease. The provision task carried only the latest possible end. */
const sendDeadline = (
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  expiresAt: Date,
  correlationId: string,
) =>
  parts.tasks.queueTask(tx, {
    nodeId: leased.nodeId,
    type: 'allocation.extend_lease',
    params: { allocation_id: leased.id, lease: { deadline_at: expiresAt.toISOString() } },
    generation: leased.generation,
    ttlSeconds: parts.taskSeconds('short'),
    correlationId,
    allocation: { id: leased.id, organizationId: leased.organizationId },
  });

/** Sends the keys again if they were changed after the provision task was queued. */
async function bringKeysUpToDate(
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  correlationId: string,
): Promise<void> {
  const [sent] = await tx.rows<{ keys: string[] | null }>(keysOnNode, [leased.id, leased.generation]);
  const onNode = new Set(sent?.keys ?? []);
  if (onNode.size === leased.keys.length && leased.keys.every((key) => onNode.has(key))) return;
  await parts.tasks.queueTask(tx, {
    nodeId: leased.nodeId,
    type: 'allocation.install_authorized_keys',
    params: {
      ...{ allocation_id: leased.id, login: leased.login, authorized_keys: [...leased.keys] },
      ...(leased.authorities && { trusted_authorities: [...leased.authorities] }),
    },
    generation: leased.generation,
    ttlSeconds: parts.taskSeconds('short'),
    correlationId,
    allocation: { id: leased.id, organizationId: leased.organizationId },
  });
}
