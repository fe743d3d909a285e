import {
  type Envelope,
  nodeDrainCalledOff,
  nodeDrainRequested,
  nodeReimageRequested,
  nodeRemovalRequested,
  projectRemovalRequested,
  provisioningCleanupRequested,
  provisioningForceReleaseRequested,
  provisioningReleasingRequested,
  provisioningRequested,
  provisioningRestartRequested,
} from '@gpuaas/contract';
import { needsReimage, readLeaseState } from '../../domains/allocations/index.ts';
import { type NodeTenants, removalRun } from '../../domains/nodes/index.ts';
import { type Listener, listener } from '../../domains/outbox/index.ts';
import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Origin, Sagas } from '../../ports/sagas/port.ts';
import type { makeSagas } from './sagas.ts';

/** Which saga each event begins. A run is named after what asked for it, so that the same event again is the same run. */
export function makeListeners(parts: {
  readonly db: Database;
  readonly sagas: Sagas;
  readonly served: ReturnType<typeof makeSagas>;
  readonly tenants: Pick<NodeTenants, 'callOff'>;
  readonly release: (allocationId: string, reason: string) => Promise<boolean>;
}): readonly Listener[] {
  const { sagas, served } = parts;
  const allocation = async (_tx: unknown, payload: { readonly allocation_id: string }) => ({
    type: 'allocation',
    id: payload.allocation_id,
  });

  async function vacate(
    payload: { readonly allocation_id: string; readonly generation: number; readonly version: number },
    how: { readonly afterwards: 'available' | 'quarantined'; readonly forced: boolean },
    envelope: Envelope,
  ): Promise<void> {
    const viewer = systemViewer('provisioning-worker', { correlationId: envelope.correlation_id });
    const lease = await parts.db.read(viewer, (tx) => readLeaseState(tx, payload.allocation_id));
    const reimages = lease !== undefined && needsReimage(lease);
    await sagas.start(
      reimages ? served.vacateAndReimage : served.vacate,
      `${payload.allocation_id}.${payload.version}`,
      { allocationId: payload.allocation_id, generation: payload.generation, ...how },
      originOf(envelope),
    );
  }

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
    listener({
      event: projectRemovalRequested,
      action: 'project.begin_removal',
      before: (payload, envelope) =>
        sagas.start(
          served.removeProject,
          `${payload.project_id}.${payload.version}`,
          { projectId: payload.project_id },
          originOf(envelope),
        ),
      effect: async (_tx, payload) => ({ type: 'project', id: payload.project_id }),
    }),
    listener({
      event: provisioningRequested,
      action: 'allocation.begin_provisioning',
      before: (payload, envelope) =>
        sagas.start(
          served.provision,
          `${payload.allocation_id}.${payload.generation}`,
          { allocationId: payload.allocation_id, generation: payload.generation },
          originOf(envelope),
        ),
    }),
    listener({
      event: provisioningReleasingRequested,
      action: 'allocation.begin_release',
      before: (payload, envelope) => vacate(payload, { afterwards: 'available', forced: payload.forced }, envelope),
    }),
    listener({
      event: provisioningForceReleaseRequested,
      action: 'allocation.begin_forced_release',
      // Harmless when repeated: it finds the allocation leaving, or gone.
      before: async (payload) => {
        await parts.release(payload.allocation_id, payload.reason);
      },
      effect: allocation,
    }),
    listener({
      event: provisioningCleanupRequested,
      action: 'allocation.begin_cleanup',
      before: (payload, envelope) => vacate(payload, { afterwards: payload.afterwards, forced: true }, envelope),
    }),
    listener({
      event: provisioningRestartRequested,
      action: 'allocation.begin_restart',
      before: (payload, envelope) =>
        sagas.start(
          served.restart,
          `${payload.allocation_id}.${envelope.event_id}`,
          { allocationId: payload.allocation_id, generation: payload.generation },
          originOf(envelope),
        ),
      effect: allocation,
    }),
  ];
}

export const originOf = (envelope: Envelope): Origin => ({
  correlationId: envelope.correlation_id,
  traceparent: envelope.traceparent,
  organizationId: envelope.organization_id,
  projectId: envelope.project_id,
});
