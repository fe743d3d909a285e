import { provisioningReleaseFailed, provisioningReleasingCompleted } from '@gpuaas/contract';
import type { Proof, TaskOutput } from '@gpuaas/contract/node';
import type { Act, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt, type Saga } from '../../../kernel/saga.ts';
import { mayTake } from '../../attention/index.ts';
import { TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs, sagaVersion } from '../facts.ts';
import { releaseWord } from '../life/leave.ts';
import { aboutMoved, advanceAllocation } from '../life/machine.ts';
import { holdOrder, type Order, readLease, readOrder } from '../life/order.ts';
import { markCleaned } from '../retry/attempts-store.ts';
import { freeClaims, moveSlots } from '../slots/slots.ts';
import { askNode, type Question } from './ask.ts';
import type { OfLease, SagaParts } from './parts.ts';
import type { Became } from './provision.ts';

export interface Vacate extends OfLease {
  /** What becomes of the slots when their cleaning is proven. */
  readonly afterwards: 'available' | 'quarantined';
  /** Whether somebody waits for the guest to shut down by itself. */
  readonly forced: boolean;
}

/**
 * From used slots to clean ones: after a release, and after an allocation that failed. Slots come back to the pool only
 * with proof that the machine is gone, the disk is wiped and the devices are free. Without it they are blocked until an
 * operator has looked, and a release becomes a failed one.
 *
 * A whole node under `full-reimage` is also imaged again, and proves it: that is a saga of its own, with one step more.
 */
export const makeVacate = (parts: SagaParts): Saga<Vacate> =>
  emptied(parts, 'allocation.vacate').step('prove', {
    do: ({ act, params, done }) => prove(parts, act, params, (lease) => proofsOf(emptiedBy(lease), done.emptied)),
    undo: { none: 'The last step: nothing follows that could fail.' },
  });

export const makeVacateAndReimage = (parts: SagaParts): Saga<Vacate> =>
  emptied(parts, 'allocation.vacate_and_reimage')
    .step('check', {
      do: async ({ done }) => haltUnless(proofsOf('allocation.revoke_user', done.emptied)) ?? { emptied: true },
      undo: { none: 'Nothing was changed.' },
    })
    .wait('reimaged', {
      ask: ({ act, params }, token) =>
        askNode(parts, act, params, token, {
          types: ['node.reimage_prepare'],
          type: () => 'node.reimage_prepare',
          params: reimageOf,
          allowed: isLeaving,
          ttlSeconds: parts.taskSeconds('provision'),
        }),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'A fresh image harms nobody.' },
    })
    .step('prove', {
      do: ({ act, params, done }) => prove(parts, act, params, () => proofsOf('node.reimage_prepare', done.reimaged)),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

const emptied = (parts: SagaParts, name: string) =>
  defineSaga<Vacate>(name, sagaVersion)
    .onFailure('given_up', { undo: ({ act, params }) => giveUp(parts, act, params) })
    .wait('emptied', {
      ask: ({ act, params }, token) => askNode(parts, act, params, token, forNothingLeft(parts, params)),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'What was emptied stays empty.' },
    });

/** What a node is asked for when an allocation leaves it. */
export const forNothingLeft = (
  parts: SagaParts,
  { forced }: Pick<Vacate, 'forced'>,
): Question<'slice.vm_release' | 'allocation.revoke_user'> => ({
  types: ['slice.vm_release', 'allocation.revoke_user'],
  type: emptiedBy,
  params: (order) =>
    order.shape === 'gpu_slice'
      ? {
          allocation_id: order.id,
          slots: [...order.slots],
          isolation_model: order.isolationModel,
          grace_seconds: forced ? 0 : parts.graceSeconds(order.organizationId),
        }
      : { allocation_id: order.id, login: order.login },
  allowed: isLeaving,
  ttlSeconds: parts.taskSeconds('release'),
  first: (tx, order) => hold(tx, parts, order),
});

const isLeaving = ({ state }: Order): boolean => state === 'releasing' || state === 'failed';

/** A whole node under full-reimage is imaged again before anybody else gets it. */
export const isImagedAgain = ({ shape, isolationModel }: Pick<Order, 'shape' | 'isolationModel'>): boolean =>
  shape === 'baremetal' && isolationModel === 'full-reimage';

function reimageOf(order: Order) {
  if (!order.image) throw new Error(`allocation ${order.id} has no image to go back to`);
  return { image: order.image };
}

/** Nobody works for this lease any more, and its slots are on their way back. */
async function hold(tx: WriteTx, parts: SagaParts, { id, generation }: Order): Promise<Fault | undefined> {
  const [, moved] = await Promise.all([
    parts.tasks.cancelOf(tx, { allocationId: id, generation }),
    moveSlots(tx, { allocationId: id, generation }, 'clean'),
  ]);
  return moved instanceof Fault ? moved : undefined;
}

export interface Proofs {
  readonly problems: readonly string[];
}
type ProvingTask = 'slice.vm_release' | 'allocation.revoke_user' | 'node.reimage_prepare';

/** What each task has to prove. Each proof is named here, so that one that is left out counts as one that failed. */
const owed: { readonly [T in ProvingTask]: readonly (keyof TaskOutput<T>)[] } = {
  'slice.vm_release': ['machine_absent', 'disk_wiped', 'devices_unbound'],
  'allocation.revoke_user': ['user_absent', 'processes_ended'],
  'node.reimage_prepare': ['reimaged'],
};

/** Which task empties the place of an allocation. */
export const emptiedBy = ({ shape }: Pick<Order, 'shape'>): 'slice.vm_release' | 'allocation.revoke_user' =>
  shape === 'gpu_slice' ? 'slice.vm_release' : 'allocation.revoke_user';

/** A task that did not succeed proves nothing. One that did has to give every proof that it owes, and all must have passed. */
export function proofsOf(type: ProvingTask, answer: TaskAnswer): Proofs {
  if (answer.outcome !== 'succeeded') {
    return { problems: [answer.failure?.message ?? 'The node did not answer in time.'] };
  }
  const output = (answer.output ?? {}) as Readonly<Record<string, Proof | null>>;
  const names = new Set<string>([...owed[type], ...Object.keys(output)]);
  const failed = [...names].filter((name) => {
    const proof = output[name];
    return proof ? !proof.passed : (owed[type] as readonly string[]).includes(name);
  });
  return { problems: failed.map((name) => `${name}: ${output[name]?.detail ?? 'The node did not say.'}`) };
}
const haltUnless = ({ problems }: Proofs): Halt | undefined =>
  problems.length > 0 ? new Halt(problems.join(' ')) : undefined;

async function prove(
  parts: SagaParts,
  act: Act,
  vacate: Vacate,
  proofs: (lease: Pick<Order, 'shape'>) => Proofs,
): Promise<{ readonly clean: true } | Halt> {
  const found = await parts.db.read(act, (tx) => readLease(tx, vacate.allocationId, vacate.generation));
  const unproven = found && haltUnless(proofs(found));
  if (unproven) return unproven;
  // As a rule it is: whoever took the proof has seen to it.
  if (found?.state === 'released') return { clean: true };
  const outcome = await parts.db.write(act, async (tx) => {
    const held = await holdOrder(tx, vacate.allocationId, vacate.generation);
    if (held?.generation !== vacate.generation) {
      return tx.abandon(new Fault('version_conflict', 'The allocation has another lease by now.'));
    }
    const proven = await proveIn(tx, parts, held, vacate.afterwards, act.correlationId);
    if (proven instanceof Fault) return tx.abandon(proven);
    const { change, organizationId, events } = proven;
    return tx.commit(undefined, {
      target: { type: 'allocation', id: vacate.allocationId },
      ...{ change, organizationId, events: events.length > 0 ? events : 'none' },
    });
  });
  // A later lease is none of this run's business. Slots that cannot come back are: somebody has to look.
  return outcome instanceof Fault && outcome.code !== 'version_conflict' ? new Halt(outcome.message) : { clean: true };
}

/** Ends an allocation that the transaction holds and that is proven to be gone; nothing is changed if its slots cannot come back. */
export async function proveIn(
  tx: WriteTx,
  parts: SagaParts,
  order: Order,
  afterwards: Vacate['afterwards'],
  correlationId: string,
): Promise<Became | Fault> {
  const { id: allocationId, generation } = order;
  const reason = 'An allocation failed on it: look before it is used again.';
  // Clean slots are set aside as far as the breaker of the pool allows; beyond that they are free again.
  const isSetAside =
    afterwards === 'quarantined' &&
    (await mayTake(tx, { kind: 'quarantine', nodeId: order.nodeId, source: 'attestation', reason })).granted;
  const freed = await moveSlots(
    tx,
    { allocationId, generation },
    isSetAside ? 'quarantine' : 'prove',
    isSetAside ? { reason } : {},
  );
  if (freed instanceof Fault) return freed;
  const [moved] = await Promise.all([
    endRelease(tx, parts, order, 'prove', correlationId),
    freeClaims(tx, allocationId, generation),
    markCleaned(tx, allocationId, generation),
  ]);
  if (moved instanceof Fault) throw new Error(`allocation ${allocationId} moved although it was held`);
  return {
    change: { ...(moved && { state: [moved.from, moved.to] }), slots: isSetAside ? 'quarantined' : 'available' },
    organizationId: order.organizationId,
    projectId: order.projectId,
    events: moved
      ? [
          provisioningReleasingCompleted.of(allocationId, {
            ...aboutMoved(allocationId, moved),
            reason: releaseWord(order.releaseReason),
            ended_at: (order.endedAt ?? parts.clock.now()).toISOString(),
          }),
        ]
      : [],
  };
}

/** Moves a release to its end. An allocation that failed has ended already, and leaves only its slots behind. */
const endRelease = async (
  tx: WriteTx,
  parts: SagaParts,
  order: Order,
  transition: 'prove' | 'giveUp',
  correlationId: string,
  detail?: object,
) =>
  order.state === 'releasing'
    ? await advanceAllocation(tx, order.id, transition, {
        ids: parts.ids,
        correlationId,
        seenGeneration: order.generation,
        ...(detail && { detail }),
      })
    : undefined;

/** The slots are blocked until somebody has looked; a release that was under way has failed. */
async function giveUp(parts: SagaParts, act: Act, { allocationId, generation }: Vacate): Promise<void> {
  await parts.db.write(act, async (tx) => {
    const order = await readOrder(tx, allocationId, generation);
    if (!order || order.generation !== generation || !isLeaving(order)) {
      return tx.abandon(
        new Fault('illegal_transition', 'There is nothing to give up: it is not leaving with this lease.'),
      );
    }
    const reason = 'It could not be proven that nothing of it is left.';
    const moved = await endRelease(tx, parts, order, 'giveUp', act.correlationId, { reason });
    if (moved instanceof Fault) return tx.abandon(moved);
    await parts.tasks.cancelOf(tx, { allocationId, generation });
    // Slots that somebody has set aside meanwhile stay where they are: nobody gets them either way.
    const blocked = await moveSlots(tx, { allocationId, generation }, 'block', { reason });
    return tx.commit(undefined, {
      target: { type: 'allocation', id: allocationId },
      change: {
        ...(moved && { state: [moved.from, moved.to] }),
        slots: blocked instanceof Fault ? 'set aside' : 'cleanup_blocked',
      },
      organizationId: order.organizationId,
      events: moved
        ? [
            provisioningReleaseFailed.of(allocationId, {
              ...aboutMoved(allocationId, moved),
              generation,
              reason,
              attempts: Math.max(1, order.releaseAttempts),
            }),
          ]
        : 'none',
    });
  });
}
