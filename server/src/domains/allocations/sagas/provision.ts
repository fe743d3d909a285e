import { provisioningActive, provisioningCleanupRequested, provisioningFailed } from '@gpuaas/contract';
import { type Act, sql, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { secondMs } from '../../../kernel/units.ts';
import { TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs } from '../facts.ts';
import { aboutMoved, advanceAllocation } from '../machine.ts';
import { expectationOf, hostnameOf, type Order, readOrder } from '../order.ts';
import { freeClaims, moveSlots } from '../slots.ts';
import { failureOf } from './failure.ts';
import { keepAttestation, lastProblems } from './judge.ts';
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
 */
export const makeProvision = (parts: SagaParts) =>
  defineSaga<OfLease>('allocation.provision', 1)
    .step('begin', {
      do: ({ act, params }) => begin(parts, act, params),
      undo: ({ act, params, done }) => fail(parts, act, params, (done as { readonly machine?: TaskAnswer }).machine),
    })
    .wait('machine', {
      ask: ({ act, params }, token) =>
        askNode(parts, act, params, token, {
          type: (order) => (order.shape === 'gpu_slice' ? 'slice.vm_provision' : 'allocation.provision_user'),
          params: (order) => (order.shape === 'gpu_slice' ? sliceOf(parts, order) : wholeNodeOf(parts, order)),
          allowed: ({ state }) => state === 'provisioning',
          ttlSeconds: parts.taskSeconds('provision'),
        }),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'Failing the allocation, which is the undo of the first step, has its slots cleaned.' },
    })
    .step('judge', {
      do: async ({ act, params, done }) => {
        const judged = await keepAttestation(parts, act, params, done.machine);
        if (judged instanceof Halt) return judged;
        return judged.problems.length > 0 ? new Halt(judged.problems.join(' ')) : judged;
      },
      undo: { none: 'What a node swore to is kept for ever.' },
    })
    .step('activate', {
      do: ({ act, params, done }) => activate(parts, act, params, done.judge),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

async function begin(parts: SagaParts, act: Act, { allocationId, generation }: OfLease): Promise<OfLease | Halt> {
  const outcome = await parts.db.write(act, async (tx) => {
    const moved = await advanceAllocation(tx, allocationId, 'provision', {
      ids: parts.ids,
      correlationId: act.correlationId,
      seenGeneration: generation,
    });
    if (!moved) return tx.abandon(new Fault('allocation_not_found', 'The allocation is gone.'));
    if (moved instanceof Fault) return tx.abandon(moved);
    return tx.commit(undefined, {
      target: { type: 'allocation', id: allocationId },
      change: { state: [moved.from, moved.to] },
      organizationId: moved.organizationId,
      events: 'none',
    });
  });
  // Found as an earlier try of this step left it.
  const begun = !(outcome instanceof Fault) || stateIn(outcome) === 'provisioning';
  return begun ? { allocationId, generation } : new Halt((outcome as Fault).message);
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
  judged: { readonly attestationId: string; readonly access: object },
): Promise<{ readonly active: true } | Halt> {
  const outcome = await parts.db.write(act, async (tx) => {
    const order = await readOrder(tx, allocationId);
    const activeAt = parts.clock.now();
    const lasts = order?.maxDurationSeconds;
    const expiresAt = lasts === undefined ? undefined : new Date(activeAt.getTime() + lasts * secondMs);
    const moved = await advanceAllocation(tx, allocationId, 'activate', {
      ids: parts.ids,
      correlationId: act.correlationId,
      seenGeneration: generation,
      detail: { attestation_id: judged.attestationId },
      set: { placementStatus: 'leased', access: judged.access, ...(expiresAt && { expiresAt }) },
    });
    if (!order || !moved) return tx.abandon(new Fault('allocation_not_found', 'The allocation is gone.'));
    if (moved instanceof Fault) return tx.abandon(moved);
    const used = await moveSlots(tx, { allocationId }, 'use');
    if (used instanceof Fault) return tx.abandon(used);
    await tx.run(markKeysUsed, [allocationId]);
    await bringKeysUpToDate(tx, parts, act, order);
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

/** Ends the allocation with a reason and has its slots cleaned, unless somebody released it in the meantime. */
async function fail(parts: SagaParts, act: Act, lease: OfLease, answer: TaskAnswer | undefined): Promise<void> {
  const { allocationId, generation } = lease;
  await parts.db.write(act, async (tx) => {
    const [last] = await tx.rows<{ problems: string[] }>(lastProblems, [allocationId, generation]);
    const failure = failureOf(answer, last?.problems ?? []);
    const moved = await advanceAllocation(tx, allocationId, 'fail', {
      ids: parts.ids,
      correlationId: act.correlationId,
      seenGeneration: generation,
      detail: { failure_code: failure.code },
      set: { failureCode: failure.code, failureReason: failure.sentence },
    });
    if (!moved || moved instanceof Fault || !moved.nodeId) {
      return tx.abandon(new Fault('illegal_transition', 'It failed already, or is being released.'));
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
      target: { type: 'allocation', id: allocationId },
      change: { state: [moved.from, moved.to], failure: failure.code, detail: failure.detail ?? null },
      organizationId: moved.organizationId,
      events: touched ? [failed, cleanup] : [failed],
    });
  });
}
