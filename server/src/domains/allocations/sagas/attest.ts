import { defineSaga } from '../../../kernel/saga.ts';
import { TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs, sagaVersion } from '../facts.ts';
import type { LifeParts, OfLease } from '../life/parts.ts';
import { keepReattestation, type Occasion, reportReattestation } from '../life/reattest.ts';
import { attestTask } from '../tasks/attest-task.ts';
import { askNode } from '../tasks/node-task.ts';

/**
 * Has the node of an active allocation attest again: after a restart, and at an interval. The allocation stays active
 * whatever the outcome, because its owner is using it; its timeline, an event and an alert report problems.
 */
const makeLook = (parts: LifeParts, name: string, occasion: Occasion) =>
  defineSaga<OfLease>(name, sagaVersion)
    .onFailure('unheard', {
      undo: ({ act, params }) =>
        reportReattestation(parts, act, params, occasion, ['The node did not answer in time.']),
    })
    .wait('looked', {
      ask: ({ act, params }, token) => askNode(parts, act, params, token, attestTask(parts, occasion)),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'Looking changes nothing.' },
    })
    .step('keep', {
      do: ({ act, params, done }) => keepReattestation(parts, act, params, done.looked),
      undo: { none: 'An attestation is kept for ever.' },
    })
    .step('tell', {
      do: async ({ act, params, done }) => {
        await reportReattestation(parts, act, params, occasion, done.keep.problems);
        return { told: true };
      },
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

export const makeRestart = (parts: LifeParts) => makeLook(parts, 'allocation.restart', 'restart');
export const makeAttest = (parts: LifeParts) => makeLook(parts, 'allocation.attest', 'interval');
