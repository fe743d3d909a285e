import { provisioningCleanupRequested, provisioningFailed } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { avoidHost } from '../retry/avoid-host-store.ts';
import { type Cause, type Failure, failureOf } from '../retry/failure.ts';
import { freeClaims, moveSlots } from '../slots/slots.ts';
import { type KeptAttestation, keepAttestation } from './keep-attestation.ts';
import { holdLeased, type LeasedAllocation } from './leased.ts';
import { aboutMoved, advanceAllocation } from './machine.ts';
import type { LifeParts, OfLease } from './parts.ts';
import { retryLaunch, sayAllFailures } from './retry.ts';

/**
 * A launch failed. Where its host is the reason it is retried on another one (retry.ts); otherwise the allocation moves to
 * `failed` with the reasons of all attempts, and its slots are cleaned. An attestation is kept either way, also when the
 * allocation was released meanwhile.
 */
export async function failLaunch(parts: LifeParts, act: Act, lease: OfLease, cause: Cause): Promise<void> {
  const { allocationId, generation } = lease;
  const { answer } = cause;
  const target = { type: 'allocation', id: allocationId };
  await parts.db.write(act, async (tx) => {
    const leased = await holdLeased(tx, allocationId);
    if (leased?.generation !== generation) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation has another lease by now.'));
    }
    const kept = answer?.outcome === 'succeeded' ? await keepAttestation(tx, parts, leased, answer) : undefined;
    const failure = failureOf(cause, kept?.problems ?? []);
    const ended =
      (await retryLaunch(tx, parts, leased, failure, act.correlationId)) ??
      (await failAllocation(tx, parts, leased, failure, act.correlationId));
    if (ended) {
      return tx.commit(undefined, {
        target,
        change: { ...ended.change, ...(kept && { attestation: kept.attestationId }) },
        organizationId: leased.organizationId,
        events: ended.events,
      });
    }
    if (!kept) return tx.abandon(new Fault('illegal_transition', 'The allocation has failed or is being released.'));
    return tx.commit(undefined, { target, ...onlyAttestation(leased, kept) });
  });
}

const onlyAttestation = (
  { organizationId }: LeasedAllocation,
  { attestationId: attestation, problems }: KeptAttestation,
) => ({ change: { attestation, problems }, organizationId, events: 'none' as const });

/** Moves an allocation that the transaction holds to `failed`. Undefined when it has failed already or is being released. */
async function failAllocation(
  tx: WriteTx,
  parts: LifeParts,
  leased: LeasedAllocation,
  failure: Failure,
  correlationId: string,
) {
  const { id: allocationId, generation } = leased;
  const lease = { allocationId, generation };
  const reason = await sayAllFailures(tx, leased, failure);
  const moved = await advanceAllocation(tx, allocationId, 'fail', {
    ids: parts.ids,
    correlationId,
    seenGeneration: generation,
    detail: { failure_code: failure.code },
    set: { failureCode: failure.code, failureReason: reason },
  });
  if (!moved || moved instanceof Fault || !moved.nodeId) return undefined;
  if (failure.avoidHost) await avoidHost(tx, moved.nodeId, parts.failureMemoryMinutes());
  await parts.tasks.cancelOf(tx, lease);
  // A node that was given no task has not touched the slots: they are free at once.
  const touched = await parts.tasks.wasHandedOut(tx, lease);
  await moveSlots(tx, { allocationId }, touched ? 'clean' : 'free', touched ? { reason: failure.sentence } : {});
  if (!touched) await freeClaims(tx, allocationId);
  const about = aboutMoved(allocationId, moved);
  const failed = provisioningFailed.of(allocationId, { ...about, failure_code: failure.code, failure_reason: reason });
  const cleanup = provisioningCleanupRequested.of(allocationId, {
    ...about,
    generation,
    node_id: moved.nodeId,
    afterwards: failure.afterwards,
  });
  return {
    change: { state: [moved.from, moved.to], failure: failure.code, detail: failure.detail ?? null },
    events: touched ? [failed, cleanup] : [failed],
  };
}
