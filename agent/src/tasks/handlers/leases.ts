import type { Drain } from '../../drain.ts';
import type { Host } from '../../host/port.ts';
import type { LeaseOrder, Leases } from '../../leases/leases.ts';
import type { Terminals } from '../../terminal/terminals.ts';
import type { Tunnels } from '../../tunnel/tunnels.ts';
import { type Handlers, leaseLane, toProvision, toRelease, toUse } from './handler.ts';

/** Begins and ends leases: whole hosts by a user account, slices by a machine of their own. */
export function leaseHandlers(parts: {
  readonly host: Host;
  readonly leases: Leases;
  readonly drain: Drain;
  readonly terminals: Pick<Terminals, 'endOf'>;
  readonly tunnels: Pick<Tunnels, 'removeLease'>;
}) {
  const { host, leases, drain, terminals, tunnels } = parts;
  /** Writes the lease to disk before the host is touched. Afterwards it is `running`, or `unknown` when the work failed. */
  const provisioned = async <R>(
    given: LeaseOrder & { readonly deadlineAt: string | null },
    make: () => Promise<R>,
  ): Promise<R> => {
    // A draining host refuses new leases only: one that was begun before the drain is finished.
    const isBegun = leases.held().some(({ allocation_id }) => allocation_id === given.allocationId);
    if (!isBegun) drain.refuseNewLeases();
    await leases.take(given);
    try {
      const made = await make();
      await leases.mark(given.allocationId, 'running');
      return made;
    } catch (error) {
      await leases.mark(given.allocationId, 'unknown');
      throw error;
    }
  };
  const released = async <R>(given: LeaseOrder, end: () => Promise<R>): Promise<R> => {
    await leases.mark(given.allocationId, 'releasing');
    tunnels.removeLease(given.allocationId);
    await terminals.endOf(given.allocationId, 'released');
    const ended = await end();
    await leases.clear(given);
    return ended;
  };
  return {
    'slice.vm_provision': {
      lane: leaseLane,
      lease: toProvision,
      run: async (params, work) => ({
        attestation: await provisioned(
          { ...toProvision(params, work.generation), deadlineAt: params.lease.deadline_at },
          () => host.provisionSlice(params, work),
        ),
      }),
    },
    'slice.vm_release': {
      lane: leaseLane,
      lease: toRelease,
      run: (params, work) => released(toRelease(params, work.generation), () => host.releaseSlice(params, work)),
    },
    'allocation.provision_user': {
      lane: leaseLane,
      lease: toProvision,
      run: async (params, work) => ({
        attestation: await provisioned(
          { ...toProvision(params, work.generation), deadlineAt: params.lease.deadline_at },
          () => host.provisionUser(params, work),
        ),
      }),
    },
    'allocation.revoke_user': {
      lane: leaseLane,
      lease: toRelease,
      run: (params, work) => released(toRelease(params, work.generation), () => host.revokeUser(params, work)),
    },
    'allocation.extend_lease': {
      lane: leaseLane,
      lease: toUse,
      async run(params) {
        await leases.extend(params.allocation_id, params.lease.deadline_at);
        return { deadline_at: params.lease.deadline_at };
      },
    },
  } satisfies Handlers;
}
