import {
  type DeclaredEvent,
  provisioningActive,
  provisioningCleanupRequested,
  provisioningFailed,
} from '@gpuaas/contract';
import { type Act, type Receipt, sql, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { secondMs } from '../../../kernel/units.ts';
import { TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs, sagaVersion } from '../facts.ts';
import { aboutMoved, advanceAllocation } from '../life/machine.ts';
import { expectationOf, holdOrder, hostnameOf, type Order, readLease } from '../life/order.ts';
import { sayAllFailures, tryElsewhere } from '../retry/elsewhere.ts';
import { freeClaims, moveSlots } from '../slots/slots.ts';
import { askNode, type Question } from './ask.ts';
import { avoidHost } from './avoid-host.ts';
import { type Cause, failureOf } from './failure.ts';
import { judge, keepIn } from './judge.ts';
import { type OfLease, type SagaParts, stateIn } from './parts.ts';

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
 * every other case it is tried on another host or fails with a reason, its slots are cleaned, and nothing was ever billed.
 *
 * Two transactions make an allocation, each with all that becomes true in it: it is being provisioned and its node was
 * asked; its node has sworn and it is active. Whoever places it and whoever takes the answer of its node do both ahead of
 * this saga, which then finds them done: it is there for everything that goes another way. When it comes to nothing, one
 * more transaction ends it, and keeps what its node swore to.
 */
export const makeProvision = (parts: SagaParts) =>
  defineSaga<OfLease>('allocation.provision', sagaVersion)
    .onFailure('failed', {
      undo: ({ act, params, done, calledOff }) =>
        fail(parts, act, params, { answer: done['machine'] as TaskAnswer | undefined, calledOff }),
    })
    .wait('machine', {
      ask: ({ act, params }, token) => askNode(parts, act, params, token, forMachine(parts)),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'Failing the allocation has its slots cleaned.' },
    })
    .step('activate', {
      do: ({ act, params, done }) => activate(parts, act, params, done.machine),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

/** What a node is asked for when an allocation has its place. */
export const forMachine = (parts: SagaParts): Question<'slice.vm_provision' | 'allocation.provision_user'> => ({
  types: ['slice.vm_provision', 'allocation.provision_user'],
  type: (order) => (order.shape === 'gpu_slice' ? 'slice.vm_provision' : 'allocation.provision_user'),
  params: (order) => (order.shape === 'gpu_slice' ? sliceOf(parts, order) : wholeNodeOf(parts, order)),
  allowed: ({ state }) => state === 'requested' || state === 'provisioning',
  ttlSeconds: parts.taskSeconds('provision'),
  first: (tx, order, correlationId) => begin(tx, parts, order, correlationId),
});

async function begin(tx: WriteTx, parts: SagaParts, order: Order, correlationId: string): Promise<Fault | undefined> {
  if (order.state === 'provisioning') return undefined;
  const moved = await advanceAllocation(tx, order.id, 'provision', {
    ids: parts.ids,
    correlationId,
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
  lease: OfLease,
  answer: TaskAnswer,
): Promise<{ readonly active: true } | Halt> {
  if (answer.outcome !== 'succeeded') return new Halt(answer.failure?.message ?? 'The node did not answer in time.');
  // As a rule it is, or has been meanwhile: whoever took the answer has seen to it.
  const found = await parts.db.read(act, (tx) => readLease(tx, lease.allocationId));
  if (found?.generation === lease.generation && found.wasActive) return { active: true };
  const outcome = await parts.db.write(act, async (tx) => {
    const held = await holdOrder(tx, lease.allocationId);
    if (held?.generation !== lease.generation) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation has another lease by now.'));
    }
    const activated = await activateIn(tx, parts, held, answer, act.correlationId);
    if (activated instanceof Fault) return tx.abandon(activated);
    const { change, organizationId, events } = activated;
    return tx.commit(undefined, {
      target: { type: 'allocation', id: lease.allocationId },
      ...{ change, organizationId, events },
    });
  });
  // Found as somebody else left it a moment ago.
  if (!(outcome instanceof Fault) || stateIn(outcome) === 'active') return { active: true };
  return new Halt(outcome.message);
}

/** What became of an allocation in the transaction of somebody who answers for its node. */
export type Became = Required<Pick<Receipt, 'organizationId' | 'projectId'>> & {
  readonly change: object;
  readonly events: readonly DeclaredEvent[];
};

/**
 * Makes an allocation that the transaction holds active, if its node has sworn to all that was promised. Where it has not,
 * nothing is changed.
 */
export async function activateIn(
  tx: WriteTx,
  parts: SagaParts,
  order: Order,
  answer: TaskAnswer,
  correlationId: string,
): Promise<Became | Fault> {
  const { id: allocationId, generation, state, organizationId, projectId } = order;
  if (state !== 'provisioning') return new Fault('illegal_transition', `It is ${state}.`, { state });
  const problems = judge(order, answer);
  if (problems.length > 0) return new Fault('illegal_transition', problems.join(' '));
  // What it swore to is kept whatever comes of it.
  const [judged, used] = await Promise.all([keepIn(tx, parts, order, answer), moveSlots(tx, { allocationId }, 'use')]);
  if (used instanceof Fault) return used;
  const activeAt = parts.clock.now();
  const lasts = order.maxDurationSeconds;
  const expiresAt = lasts === undefined ? undefined : new Date(activeAt.getTime() + lasts * secondMs);
  const [moved] = await Promise.all([
    advanceAllocation(tx, allocationId, 'activate', {
      ids: parts.ids,
      correlationId,
      detail: { attestation_id: judged.attestationId },
      set: { placementStatus: 'leased', access: judged.access, ...(expiresAt && { expiresAt }) },
    }),
    tx.run(markKeysUsed, [allocationId]),
    bringKeysUpToDate(tx, parts, order, correlationId),
    expiresAt && tellDeadline(tx, parts, order, expiresAt, correlationId),
  ]);
  if (!moved || moved instanceof Fault) throw new Error(`allocation ${allocationId} moved although it was held`);
  return {
    change: { state: [moved.from, moved.to], attestation: judged.attestationId },
    organizationId,
    projectId,
    events: [
      provisioningActive.of(allocationId, {
        ...aboutMoved(allocationId, moved),
        generation,
        attestation_id: judged.attestationId,
        active_at: activeAt.toISOString(),
      }),
    ],
  };
}

/** When its lease ends, which nobody knew when it was asked for. */
const tellDeadline = (tx: WriteTx, parts: SagaParts, order: Order, expiresAt: Date, correlationId: string) =>
  parts.tasks.queueTask(tx, {
    nodeId: order.nodeId,
    type: 'allocation.extend_lease',
    params: { allocation_id: order.id, lease: { deadline_at: expiresAt.toISOString() } },
    generation: order.generation,
    ttlSeconds: parts.taskSeconds('short'),
    correlationId,
    allocation: { id: order.id, organizationId: order.organizationId },
  });

/** Keys that were changed while the node was at work are not on it: it was told before. */
async function bringKeysUpToDate(tx: WriteTx, parts: SagaParts, order: Order, correlationId: string): Promise<void> {
  const [told] = await tx.rows<{ keys: string[] | null }>(keysOnNode, [order.id, order.generation]);
  const onNode = new Set(told?.keys ?? []);
  if (onNode.size === order.keys.length && order.keys.every((key) => onNode.has(key))) return;
  await parts.tasks.queueTask(tx, {
    nodeId: order.nodeId,
    type: 'allocation.install_authorized_keys',
    params: { allocation_id: order.id, login: order.login, authorized_keys: [...order.keys] },
    generation: order.generation,
    ttlSeconds: parts.taskSeconds('short'),
    correlationId,
    allocation: { id: order.id, organizationId: order.organizationId },
  });
}

/**
 * Has the launch tried on another host, where its own is the reason. Otherwise ends the allocation with the reasons of all
 * attempts and has its slots cleaned, unless somebody released it in the meantime. What its node
 * swore to is kept either way.
 */
async function fail(parts: SagaParts, act: Act, lease: OfLease, cause: Cause): Promise<void> {
  const { allocationId, generation } = lease;
  const { answer } = cause;
  await parts.db.write(act, async (tx) => {
    const order = await holdOrder(tx, allocationId);
    if (order?.generation !== generation) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation has another lease by now.'));
    }
    const judged = answer?.outcome === 'succeeded' ? await keepIn(tx, parts, order, answer) : undefined;
    const failure = failureOf(cause, judged?.problems ?? []);
    const target = { type: 'allocation', id: allocationId };
    const again = await tryElsewhere(tx, parts, order, failure, act.correlationId);
    if (again) {
      await avoidHost(tx, order.nodeId, parts.failureMemoryMinutes());
      return tx.commit(undefined, {
        target,
        change: { ...again.change, ...(judged && { attestation: judged.attestationId }) },
        organizationId: order.organizationId,
        events: again.events,
      });
    }
    const reason = await sayAllFailures(tx, order, failure);
    const moved = await advanceAllocation(tx, allocationId, 'fail', {
      ids: parts.ids,
      correlationId: act.correlationId,
      seenGeneration: generation,
      detail: { failure_code: failure.code },
      set: { failureCode: failure.code, failureReason: reason },
    });
    if (!moved || moved instanceof Fault || !moved.nodeId) {
      // It failed already, or is being released.
      if (!judged) return tx.abandon(new Fault('illegal_transition', 'There is nothing left to fail.'));
      const { attestationId: attestation, problems } = judged;
      const { organizationId } = order;
      return tx.commit(undefined, { target, change: { attestation, problems }, organizationId, events: 'none' });
    }
    if (failure.avoidHost) await avoidHost(tx, moved.nodeId, parts.failureMemoryMinutes());
    await parts.tasks.cancelOf(tx, lease);
    // What no node was ever asked for is as it was, and goes back at once.
    const touched = await parts.tasks.wasHandedOut(tx, lease);
    await moveSlots(tx, { allocationId }, touched ? 'clean' : 'free', touched ? { reason: failure.sentence } : {});
    if (!touched) await freeClaims(tx, allocationId);
    const about = aboutMoved(allocationId, moved);
    const failed = provisioningFailed.of(allocationId, {
      ...about,
      failure_code: failure.code,
      failure_reason: reason,
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
