import { nodeRemoved } from '@gpuaas/contract';
import type { Act } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { voidEnrolmentTokens } from '../enrolment/enrolment-tokens-store.ts';
import { revokeNode } from '../enrolment/identities.ts';
import { advanceNode } from '../machine.ts';
import { lockSlotsOf } from '../slots-store.ts';
import type { NodeSagaParts } from './parts.ts';
import { aboutNode, explainNode, holdings, holdNode } from './store.ts';

export interface Removal {
  readonly nodeId: string;
}

/**
 * The end of a node. First nothing that it has opens anything any more; then it is gone, but only with proof that
 * nothing is held there. While something is, the run ends and the node says what; `removals.ts` begins another one when
 * that has changed. A node that is being removed has no way back, so that nothing is ever given back to it.
 */
export const makeRemove = (parts: NodeSagaParts) =>
  defineSaga<Removal>('node.remove', 1)
    .step('cut_off', {
      do: ({ act, params }) => cutOff(parts, act, params),
      undo: ({ act, params }) => sayWhy(parts, act, params),
    })
    .step('prove', {
      do: ({ act, params }) => prove(parts, act, params),
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

const gone = (state: string | undefined) =>
  new Fault('illegal_transition', `The node is ${state ?? 'gone'}.`, { state });

async function cutOff(parts: NodeSagaParts, act: Act, { nodeId }: Removal): Promise<{ cut_off: true } | Halt> {
  const outcome = await parts.db.write(act, async (tx) => {
    const node = await holdNode(tx, nodeId);
    if (node?.state !== 'removing') return tx.abandon(gone(node?.state));
    const tokens = await voidEnrolmentTokens(tx, nodeId);
    const certificates = await revokeNode(tx, nodeId, node.state_reason ?? 'the node is removed');
    const tasks = await parts.tasks.cancelOfNode(tx, nodeId);
    return tx.commit(undefined, {
      target: { type: 'node', id: nodeId },
      change: { tokens, certificates, cancelled_tasks: tasks },
      events: 'none',
    });
  });
  return outcome instanceof Fault ? new Halt(outcome.message) : { cut_off: true };
}

async function prove(parts: NodeSagaParts, act: Act, { nodeId }: Removal): Promise<{ deleted: true } | Halt> {
  const outcome = await parts.db.write(act, async (tx) => {
    const node = await holdNode(tx, nodeId);
    if (node?.state !== 'removing') return tx.abandon(gone(node?.state));
    // Waits for concurrent changes of slots, and sees them.
    await lockSlotsOf(tx, nodeId);
    const held = await holdings(tx, nodeId);
    if (held.length > 0) return tx.abandon(new Fault('node_in_use', held.join(' ')));
    const moved = await advanceNode(tx, nodeId, 'prove', { reason: node.state_reason ?? undefined });
    if (!moved || moved instanceof Fault) throw moved ?? new Error(`node ${nodeId} was held and is gone`);
    return tx.commit(undefined, {
      target: { type: 'node', id: nodeId },
      change: { state: [moved.from, moved.to], held: [] },
      events: [nodeRemoved.of(nodeId, aboutNode(node))],
    });
  });
  // Found as an earlier try of this step left it.
  const deleted =
    !(outcome instanceof Fault) || (outcome.details as { state?: string } | undefined)?.state === 'deleted';
  return deleted ? { deleted: true } : new Halt((outcome as Fault).message);
}

async function sayWhy(parts: NodeSagaParts, act: Act, { nodeId }: Removal): Promise<void> {
  await parts.db.write(act, async (tx) => {
    const node = await holdNode(tx, nodeId);
    if (node?.state !== 'removing') return tx.abandon(gone(node?.state));
    const held = await holdings(tx, nodeId);
    const reason = `It cannot be removed yet: ${held.length > 0 ? held.join(' ') : 'it will be tried again.'}`;
    // Another version is another run.
    await explainNode(tx, nodeId, reason);
    return tx.commit(undefined, { target: { type: 'node', id: nodeId }, change: { reason }, events: 'none' });
  });
}
