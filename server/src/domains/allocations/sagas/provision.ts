import { provisioningActive, provisioningCleanupRequested, provisioningFailed } from '@gpuaas/contract';
import { type Act, sql, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { secondMs } from '../../../kernel/units.ts';
import { TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs, sagaVersion } from '../facts.ts';
import { aboutMoved, advanceAllocation } from '../machine.ts';
import { expectationOf, hostnameOf, type Order, readOrder } from '../order.ts';
import { freeClaims, moveSlots } from '../slots.ts';
import { type Cause, failureOf } from './failure.ts';
import { keepIn } from './judge.ts';
import { askNode, type OfLease, type SagaParts, stateIn } from './parts.ts';

const wasHandedOut = sql(
  'allocation-was-handed-out',
  `select exists (
     select from node_tasks where allocation_id = $1 and generation = $2 and dispatched_at is not null
       and mine(organization_id)
   ) as touched`,
);

const keysOnNode = sql(
  'allocation-keys-on-node',
  `select envelope -> 'params' -> 'authorized_keys' as keys from node_tasks
   where allocation_id = $1 and generation = $2 and mine(organization_id)
     and task_type in ('slice.vm_provision', 'allocation.provision_user') order by id desc limit 1`,
);
const markKeysUsed = sql(
  'ssh-keys-mark-used',
  `update ssh_keys set last_used_at = act_time()
   where (mine(organization_id) or is_me(user_id)) and id in (
     select ssh_key_id from allocation_ssh_keys where allocation_id = $1 and mine(organization_id)
   )`,
);

/**
 * From reserved slots to proven ones. The allocation becomes active only with an attestation that has no problem; in
 * every other case it fails with a reason, its slots are cleaned, and nothing was ever billed.
 *
 * Two transactions make an allocation, each with all that becomes true in it: it is being provisioned and its node was
 * asked; its node has sworn and it is active. Nothing could happen between two parts of either that a record of its own
 * would help with. When it comes to nothing, one more ends it, and keeps what its node swore to.
 */
export const makeProvision = (parts: SagaParts) =>
  defineSaga<OfLease>('allocation.provision', sagaVersion)
    .onFailure('failed', {
      undo: ({ act, params, done, calledOff }) =>
        fail(parts, act, params, { answer: done['machine'] as TaskAnswer | undefined, calledOff }),
    })
    .wait('machine', {
      ask: ({ act, params }, token) =>
        askNode(parts, act, params, token, {
          type: (order) => (order.shape === 'gpu_slice' ? 'slice.vm_provision' : 'allocation.provision_user'),
          params: (order) => (order.shape === 'gpu_slice' ? sliceOf(parts, order) : wholeNodeOf(parts, order)),
          allowed: ({ state }) => state === 'requested' || state === 'provisioning',
          ttlSeconds: parts.taskSeconds('provision'),
          first: (tx, order) => begin(tx, parts, act, order),
        }),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'Failing the allocation has its slots cleaned.' },
    })
    .step('activate', {
      do: ({ act, params, done }) => activate(parts, act, params, done.machine),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

async function begin(tx: WriteTx, parts: SagaParts, act: Act, order: Order): Promise<Fault | undefined> {
  if (order.state === 'provisioning') return undefined;
  const moved = await advanceAllocation(tx, order.id, 'provision', {
    ids: parts.ids,
    correlationId: act.correlationId,
    seenGeneration: order.generation,
  });
  if (!moved) return new Fault('allocation_not_found', 'The allocation is gone.');
  return moved instanceof Fault ? moved : undefined;
}

const leaseOf = (parts: SagaParts, order: Order) => ({
  // Until it is active nobody knows when it ends; this is the latest that can be. The exact time follows.
  deadline_at:
    order.maxDurationSeconds === undefined
      ? null
      : new Date(
          parts.clock.now().getTime() + (parts.taskSeconds('provision') + order.maxDurationSeconds) * secondMs,
        ).toISOString(),
});

function sliceOf(parts: SagaParts, order: Order) {
  const { profile, image } = order;
  if (!profile || !image) throw new Error(`allocation ${order.id} is a slice without a profile or an image`);
  return {
    allocation_id: order.id,
    hostname: hostnameOf(order.id),
    slots: [...order.slots],
    profile,
    image,
    login: order.login,
    authorized_keys: [...order.keys],
    lease: leaseOf(parts, order),
    expect: expectationOf(order),
  };
}
const wholeNodeOf = (parts: SagaParts, order: Order) => ({
  allocation_id: order.id,
  login: order.login,
  authorized_keys: [...order.keys],
  lease: leaseOf(parts, order),
  expect: expectationOf(order),
});

async function activate(
  parts: SagaParts,
  act: Act,
  { allocationId, generation }: OfLease,
  answer: TaskAnswer,
): Promise<{ readonly active: true } | Halt> {
  if (answer.outcome !== 'succeeded') return new Halt(answer.failure?.message ?? 'The node did not answer in time.');
  const outcome = await parts.db.write(act, async (tx) => {
    const order = await readOrder(tx, allocationId);
    if (order?.generation !== generation) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation has another lease by now.'));
    }
    const judged = await keepIn(tx, parts, order, answer);
    if (judged.problems.length > 0) return tx.abandon(new Fault('illegal_transition', judged.problems.join(' ')));
    const activeAt = parts.clock.now();
    const lasts = order.maxDurationSeconds;
    const expiresAt = lasts === undefined ? undefined : new Date(activeAt.getTime() + lasts * secondMs);
    const moved = await advanceAllocation(tx, allocationId, 'activate', {
      ids: parts.ids,
      correlationId: act.correlationId,
      seenGeneration: generation,
      detail: { attestation_id: judged.attestationId },
      set: { placementStatus: 'leased', access: judged.access, ...(expiresAt && { expiresAt }) },
    });
    if (!moved) return tx.abandon(new Fault('allocation_not_found', 'The allocation is gone.'));
    if (moved instanceof Fault) return tx.abandon(moved);
    const used = await moveSlots(tx, { allocationId }, 'use');
    if (used instanceof Fault) return tx.abandon(used);
    await Promise.all([tx.run(markKeysUsed, [allocationId]), bringKeysUpToDate(tx, parts, act, order)]);
    if (expiresAt) {
      await parts.tasks.queueTask(tx, {
        nodeId: order.nodeId,
        type: 'allocation.extend_lease',
        params: { allocation_id: order.id, lease: { deadline_at: expiresAt.toISOString() } },
        generation,
        ttlSeconds: parts.taskSeconds('short'),
        correlationId: act.correlationId,
        allocation: { id: order.id, organizationId: order.organizationId },
      });
    }
    return tx.commit(undefined, {
      target: { type: 'allocation', id: allocationId },
      change: { state: [moved.from, moved.to], attestation: judged.attestationId },
      organizationId: moved.organizationId,
      events: [
        provisioningActive.of(allocationId, {
          ...aboutMoved(allocationId, moved),
          generation,
          attestation_id: judged.attestationId,
          active_at: activeAt.toISOString(),
        }),
      ],
    });
  });
  // Found as an earlier try of this step left it.
  if (!(outcome instanceof Fault) || stateIn(outcome) === 'active') return { active: true };
  return new Halt(outcome.message);
}

/** Keys that were changed while the node was at work are not on it: it was told before. */
async function bringKeysUpToDate(tx: WriteTx, parts: SagaParts, act: Act, order: Order): Promise<void> {
  const [told] = await tx.rows<{ keys: string[] | null }>(keysOnNode, [order.id, order.generation]);
  const onNode = new Set(told?.keys ?? []);
  if (onNode.size === order.keys.length && order.keys.every((key) => onNode.has(key))) return;
  await parts.tasks.queueTask(tx, {
    nodeId: order.nodeId,
    type: 'allocation.install_authorized_keys',
    params: { allocation_id: order.id, login: order.login, authorized_keys: [...order.keys] },
    generation: order.generation,
    ttlSeconds: parts.taskSeconds('short'),
    correlationId: act.correlationId,
    allocation: { id: order.id, organizationId: order.organizationId },
  });
}

/**
 * Ends the allocation with a reason and has its slots cleaned, unless somebody released it in the meantime. What its node
 * swore to is kept either way.
 */
async function fail(parts: SagaParts, act: Act, lease: OfLease, cause: Cause): Promise<void> {
  const { allocationId, generation } = lease;
  const { answer } = cause;
  await parts.db.write(act, async (tx) => {
    const order = await readOrder(tx, allocationId);
    if (order?.generation !== generation) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation has another lease by now.'));
    }
    const judged = answer?.outcome === 'succeeded' ? await keepIn(tx, parts, order, answer) : undefined;
    const failure = failureOf(cause, judged?.problems ?? []);
    const moved = await advanceAllocation(tx, allocationId, 'fail', {
      ids: parts.ids,
      correlationId: act.correlationId,
      seenGeneration: generation,
      detail: { failure_code: failure.code },
      set: { failureCode: failure.code, failureReason: failure.sentence },
    });
    const target = { type: 'allocation', id: allocationId };
    if (!moved || moved instanceof Fault || !moved.nodeId) {
      // It failed already, or is being released.
      if (!judged) return tx.abandon(new Fault('illegal_transition', 'There is nothing left to fail.'));
      const { attestationId: attestation, problems } = judged;
      const { organizationId } = order;
      return tx.commit(undefined, { target, change: { attestation, problems }, organizationId, events: 'none' });
    }
    await parts.tasks.cancelOf(tx, lease);
    // What no node was ever asked for is as it was, and goes back at once.
    const [{ touched } = { touched: true }] = await tx.rows<{ touched: boolean }>(wasHandedOut, [
      allocationId,
      generation,
    ]);
    await moveSlots(tx, { allocationId }, touched ? 'clean' : 'free');
    if (!touched) await freeClaims(tx, allocationId);
    const about = aboutMoved(allocationId, moved);
    const failed = provisioningFailed.of(allocationId, {
      ...about,
      failure_code: failure.code,
      failure_reason: failure.sentence,
    });
    const cleanup = provisioningCleanupRequested.of(allocationId, {
      ...about,
      generation,
      node_id: moved.nodeId,
      afterwards: failure.afterwards,
    });
    return tx.commit(undefined, {
      target,
      change: {
        state: [moved.from, moved.to],
        failure: failure.code,
        detail: failure.detail ?? null,
        ...(judged && { attestation: judged.attestationId }),
      },
      organizationId: moved.organizationId,
      events: touched ? [failed, cleanup] : [failed],
    });
  });
}
