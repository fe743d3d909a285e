import { defineSaga, type Saga } from '../../../kernel/saga.ts';
import { type AskReimage, agentsOnly, TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs, sagaVersion } from '../facts.ts';
import { blockSlots } from '../life/block.ts';
import { type Afterwards, freeLease, haltUnless } from '../life/free.ts';
import { readLeased } from '../life/leased.ts';
import type { LifeParts, OfLease } from '../life/parts.ts';
import { proofsOf } from '../life/proofs.ts';
import { askNode } from '../tasks/node-task.ts';
import { isLeaving, reimageTask, vacateTask, vacateTaskType } from '../tasks/vacate-task.ts';

export interface Vacate extends OfLease {
  readonly afterwards: Afterwards;
  /** The task that ended and was not applied: the run is about its answer. */
  readonly task?: string;
  /** Whether the guest gets no time to shut down by itself. */
  readonly forced: boolean;
}

/**
 * From used slots to free ones, after a release and after a failure. Slots become free only with proof that the machine is
 * gone, the disk is wiped and the devices are unbound; without it they are blocked until an operator has looked.
 *
 * A whole node under `full-reimage` is also imaged again and proves it: that is a saga of its own, with more steps.
 */
export const makeVacate = (parts: LifeParts): Saga<Vacate> =>
  emptied(parts, 'allocation.vacate').step('prove', {
    do: ({ act, params, done }) =>
      freeLease(parts, act, params, (found) => proofsOf(vacateTaskType(found), done.emptied)),
    undo: { none: 'The last step: nothing follows that could fail.' },
  });

/** `askReimage` is asked first: a host that MAAS looks after is erased and deployed by it, and proves that by enrolling anew. */
export const makeVacateAndReimage = (parts: LifeParts, askReimage: AskReimage = agentsOnly): Saga<Vacate> =>
  emptied(parts, 'allocation.vacate_and_reimage')
    .step('check', {
      do: async ({ done }) => haltUnless(proofsOf('allocation.revoke_user', done.emptied)) ?? { emptied: true },
      undo: { none: 'Nothing was changed.' },
    })
    .wait('reimaged', {
      ask: async ({ act, params: { allocationId, generation } }, token) => {
        const leased = await parts.db.read(act, (tx) => readLeased(tx, allocationId, generation));
        const reason = 'An allocation under full-reimage left it.';
        const isOurs = leased?.generation === generation && isLeaving(leased);
        const asked = isOurs ? await askReimage(act, { ...leased, reason }, token) : undefined;
        return asked ?? askNode(parts, act, { allocationId, generation }, token, reimageTask(parts));
      },
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'A fresh image does no harm.' },
    })
    .step('prove', {
      do: ({ act, params, done }) =>
        freeLease(parts, act, params, () => proofsOf('node.reimage_prepare', done.reimaged)),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

const emptied = (parts: LifeParts, name: string) =>
  defineSaga<Vacate>(name, sagaVersion)
    .onFailure('given_up', { undo: ({ act, params }) => blockSlots(parts, act, params) })
    .wait('emptied', {
      ask: ({ act, params }, token) => askNode(parts, act, params, token, vacateTask(parts, params)),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'What was emptied stays empty.' },
    });
