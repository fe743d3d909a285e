import { provisioningAttested } from '@gpuaas/contract';
import type { Act } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { mostWords, replaceAlerts } from '../../attention/index.ts';
import { TaskAnswer } from '../../nodes/index.ts';
import { answerWithinMs, sagaVersion } from '../facts.ts';
import { noteAllocation } from '../life/machine.ts';
import { expectationOf, readOrder } from '../life/order.ts';
import { askNode } from './ask.ts';
import { keepAttestation } from './judge.ts';
import type { OfLease, SagaParts } from './parts.ts';

type Occasion = 'interval' | 'restart';

/**
 * Has the node of an active allocation swear again: after a restart, and every so often. The allocation stays active
 * whatever comes of it, since its owner is using it; its timeline, an event and an alert say what is wrong.
 */
const makeLook = (
  parts: SagaParts,
  name: string,
  type: 'allocation.restart' | 'allocation.attest',
  occasion: Occasion,
) =>
  defineSaga<OfLease>(name, sagaVersion)
    .onFailure('unheard', {
      undo: ({ act, params }) => tell(parts, act, params, occasion, ['The node did not answer in time.']),
    })
    .wait('looked', {
      ask: ({ act, params }, token) =>
        askNode(parts, act, params, token, {
          types: [type],
          type: () => type,
          params: (order) => ({ allocation_id: order.id, login: order.login, expect: expectationOf(order) }),
          allowed: ({ state }) => state === 'active',
          ttlSeconds: parts.taskSeconds(occasion === 'restart' ? 'provision' : 'short'),
        }),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'Looking changes nothing.' },
    })
    .step('keep', {
      do: async ({ act, params, done }) => {
        const judged = await keepAttestation(parts, act, params, done.looked);
        return judged instanceof Halt ? { problems: [judged.reason] } : { problems: judged.problems };
      },
      undo: { none: 'What a node swore to is kept for ever.' },
    })
    .step('tell', {
      do: async ({ act, params, done }) => {
        await tell(parts, act, params, occasion, done.keep.problems);
        return { told: true };
      },
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

export const makeRestart = (parts: SagaParts) => makeLook(parts, 'allocation.restart', 'allocation.restart', 'restart');
export const makeAttest = (parts: SagaParts) => makeLook(parts, 'allocation.attest', 'allocation.attest', 'interval');

async function tell(
  parts: SagaParts,
  act: Act,
  { allocationId, generation }: OfLease,
  occasion: Occasion,
  problems: readonly string[],
): Promise<void> {
  await parts.db.write(act, async (tx) => {
    const order = await readOrder(tx, allocationId);
    if (!order || order.generation !== generation || order.state !== 'active') {
      return tx.abandon(new Fault('illegal_transition', 'It is not active any more.'));
    }
    const passed = problems.length === 0;
    // What is seen from inside informs: whoever has root there can bring it about, and nothing is held against the host.
    await replaceAlerts(
      tx,
      { source: 'attestation', nodeId: order.nodeId, allocationId },
      passed
        ? []
        : [
            {
              ...{ kind: 'attestation_failed', effect: 'informs', slotId: null, allocationId },
              message: problems.join(' ').slice(0, mostWords),
              tenantMessage: 'The last check from inside did not find everything that was promised.',
            },
          ],
    );
    await noteAllocation(tx, allocationId, {
      ids: parts.ids,
      correlationId: act.correlationId,
      kind: 'note',
      name: passed ? 'attested' : 'attestation_failed',
      detail: { occasion, problems },
    });
    return tx.commit(undefined, {
      target: { type: 'allocation', id: allocationId },
      change: { attested: passed, occasion, problems },
      organizationId: order.organizationId,
      events: [
        provisioningAttested.of(allocationId, {
          allocation_id: allocationId,
          organization_id: order.organizationId,
          project_id: order.projectId,
          version: order.version,
          simulated: order.simulated,
          generation,
          occasion,
          passed,
          problems: [...problems],
        }),
      ],
    });
  });
}
