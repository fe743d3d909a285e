import { nodeDrainCalledOff, nodeDrainRequested, nodeReimageRequested, nodeRemovalRequested } from '@gpuaas/contract';
import type { Saga } from '../../kernel/saga.ts';
import type { Sagas } from '../../ports/sagas/port.ts';
import { type Listener, listener, originOf } from '../outbox/index.ts';
import { removalRun } from './presence/removals.ts';
import type { Drain } from './sagas/drain.ts';
import type { NodeTenants } from './sagas/parts.ts';
import type { Reimage } from './sagas/reimage.ts';
import type { Removal } from './sagas/remove.ts';

/** What the events of nodes begin. A run is named after what asked for it, so the same event again is the same run. */
export function makeNodeListeners(parts: {
  readonly sagas: Pick<Sagas, 'start'>;
  readonly served: {
    readonly drainNode: Saga<Drain>;
    readonly removeNode: Saga<Removal>;
    readonly reimageNode: Saga<Reimage>;
  };
  readonly tenants: Pick<NodeTenants, 'callOff'>;
}): readonly Listener[] {
  const { sagas, served } = parts;
  const node = async (_tx: unknown, payload: { readonly node_id: string }) => ({ type: 'node', id: payload.node_id });
  return [
    listener({
      event: nodeDrainRequested,
      action: 'node.begin_drain',
      before: (payload, envelope) =>
        sagas.start(
          served.drainNode,
          `${payload.node_id}.${payload.version}`,
          { nodeId: payload.node_id, deadlineAt: payload.deadline_at },
          originOf(envelope),
        ),
      effect: node,
    }),
    listener({
      event: nodeDrainCalledOff,
      action: 'node.call_drain_off',
      // Harmless when repeated: an allocation that has this notice gets no second one.
      before: (payload) => parts.tenants.callOff(payload.node_id),
      effect: node,
    }),
    listener({
      event: nodeRemovalRequested,
      action: 'node.begin_removal',
      before: (payload, envelope) =>
        sagas.start(
          served.removeNode,
          removalRun(payload.node_id, payload.version),
          { nodeId: payload.node_id },
          originOf(envelope),
        ),
      effect: node,
    }),
    listener({
      event: nodeReimageRequested,
      action: 'node.begin_reimage',
      before: (payload, envelope) =>
        sagas.start(
          served.reimageNode,
          `${payload.node_id}.${envelope.event_id}`,
          { nodeId: payload.node_id, image: payload.image },
          originOf(envelope),
        ),
      effect: node,
    }),
  ];
}
