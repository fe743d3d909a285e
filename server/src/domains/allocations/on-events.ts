import {
  provisioningCleanupRequested,
  provisioningForceReleaseRequested,
  provisioningReleasingRequested,
  provisioningRequested,
  provisioningRestartRequested,
} from '@gpuaas/contract';
import type { Saga } from '../../kernel/saga.ts';
import type { Sagas } from '../../ports/sagas/port.ts';
import { type Listener, listener, originOf } from '../outbox/index.ts';
import type { OfLease } from './life/parts.ts';
import type { BeginRuns } from './sagas/begin.ts';

/**
 * What the events of allocations begin. A run is named after what asked for it, so the same event again is the same run; the
 * generation of the lease fences it. Where `begin` finds that no run is needed, none is begun.
 */
export function makeAllocationListeners(parts: {
  readonly sagas: Pick<Sagas, 'start'>;
  readonly restart: Saga<OfLease>;
  readonly begin: BeginRuns;
  readonly release: (allocationId: string, reason: string) => Promise<boolean>;
}): readonly Listener[] {
  const { sagas, begin } = parts;
  const leaseOf = (payload: { readonly allocation_id: string; readonly generation: number }): OfLease => ({
    ...{ allocationId: payload.allocation_id, generation: payload.generation },
  });
  const allocation = async (_tx: unknown, payload: { readonly allocation_id: string }) => ({
    type: 'allocation',
    id: payload.allocation_id,
  });
  return [
    listener({
      event: provisioningRequested,
      action: 'allocation.begin_provisioning',
      before: (payload, envelope) => begin.provision(leaseOf(payload), originOf(envelope)),
    }),
    listener({
      event: provisioningReleasingRequested,
      action: 'allocation.begin_release',
      before: (payload, envelope) =>
        begin.release({ ...leaseOf(payload), attempt: payload.attempt }, payload.forced, originOf(envelope)),
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
      before: (payload, envelope) =>
        begin.cleanUp(
          `${payload.allocation_id}.${payload.version}`,
          { ...leaseOf(payload), afterwards: payload.afterwards, forced: true },
          originOf(envelope),
        ),
    }),
    listener({
      event: provisioningRestartRequested,
      action: 'allocation.begin_restart',
      before: (payload, envelope) =>
        sagas.start(
          parts.restart,
          `${payload.allocation_id}.${envelope.event_id}`,
          leaseOf(payload),
          originOf(envelope),
        ),
      effect: allocation,
    }),
  ];
}
