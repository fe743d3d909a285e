import { defineSaga, type Saga } from '../../../kernel/saga.ts';
import { TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs, sagaVersion } from '../facts.ts';
import { blockSlots } from '../life/block.ts';
import { type Afterwards, freeLease, haltUnless } from '../life/free.ts';
import type { LifeParts, OfLease } from '../life/parts.ts';
import { proofsOf } from '../life/proofs.ts';
import { askNode } from '../tasks/node-task.ts';
import { reimageTask, vacateTask, vacateTaskType } from '../tasks/vacate-task.ts';

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

export const makeVacateAndReimage = (parts: LifeParts): Saga<Vacate> =>
  emptied(parts, 'allocation.vacate_and_reimage')
    .step('check', {
      do: async ({ done }) => haltUnless(proofsOf('allocation.revoke_user', done.emptied)) ?? { emptied: true },
      undo: { none: 'Nothing was changed.' },
    })
    .wait('reimaged', {
      ask: ({ act, params: { allocationId, generation } }, token) =>
        askNode(parts, act, { allocationId, generation }, token, reimageTask(parts)),
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
