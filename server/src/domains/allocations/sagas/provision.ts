import { defineSaga } from '../../../kernel/saga.ts';
import { TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs, sagaVersion } from '../facts.ts';
import { activateLease } from '../life/activate.ts';
import { failLaunch } from '../life/fail.ts';
import type { LifeParts, OfLease } from '../life/parts.ts';
import { askNode } from '../tasks/node-task.ts';
import { provisionTask } from '../tasks/provision-task.ts';

export interface Provision extends OfLease {
  /** The task that ended and was not applied: the run is about its answer. */
  readonly task?: string;
}

/**
 * From reserved slots to an active allocation. On the happy path there is no run: the transaction that places the allocation
 * queues the task, and the transaction that takes the node's result activates it. The saga is there for everything else: a
 * node that is silent, a failure, an attestation with a problem (begin.ts).
 */
export const makeProvision = (parts: LifeParts) =>
  defineSaga<Provision>('allocation.provision', sagaVersion)
    .onFailure('failed', {
      undo: ({ act, params, done, calledOff }) =>
        failLaunch(parts, act, params, { answer: done['machine'] as TaskAnswer | undefined, calledOff }),
    })
    .wait('machine', {
      ask: ({ act, params }, token) => askNode(parts, act, params, token, provisionTask(parts)),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'Failing the allocation has its slots cleaned.' },
    })
    .step('activate', {
      do: ({ act, params, done }) => activateLease(parts, act, params, done.machine),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });
