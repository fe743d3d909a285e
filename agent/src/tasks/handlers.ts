import type { NodeTaskType, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import type { Drain } from '../drain.ts';
import { type Host, HostFailure, type Work } from '../host/port.ts';
import type { LeaseOrder, Leases } from '../leases/leases.ts';
import type { SelfUpdate } from '../update/self-update.ts';
import { TaskFailure } from './failure.ts';
import type { Lane } from './lanes.ts';

/**
 * Everything this agent does, compiled in. A task chooses one of these and gives it values; a type without a handler
 * here is refused, whether or not the protocol has a name for it.
 */
export interface Handler<T extends NodeTaskType> {
  lane(params: TaskParams<T>): Lane;
  /** The lease that the work belongs to, and what it does to it. */
  lease?(params: TaskParams<T>, generation: number): LeaseOrder;
  run(params: TaskParams<T>, work: Work, taskId: string): Promise<TaskOutput<T>>;
}
export type Handlers = { readonly [T in NodeTaskType]?: Handler<T> };

export function makeHandlers(parts: {
  readonly host: Host;
  readonly leases: Leases;
  readonly drain: Drain;
  readonly selfUpdate: SelfUpdate | undefined;
  /** Called after an inspection of the host, when running machines may be compared with leases. */
  readonly onDiscovery: () => Promise<void>;
}): Handlers {
  const { host, leases, drain, selfUpdate } = parts;
  const inLease = (params: { readonly allocation_id: string }): Lane => ({
    kind: 'lease',
    allocationId: params.allocation_id,
  });
  const order =
    (purpose: LeaseOrder['purpose']) =>
    (
      params: { readonly allocation_id: string; readonly slots?: readonly { readonly slot_id: string }[] },
      generation: number,
    ): LeaseOrder => ({
      purpose,
      allocationId: params.allocation_id,
      generation,
      slotIds: (params.slots ?? []).map(({ slot_id }) => slot_id),
    });
  const [provision, release, use] = [order('provision'), order('release'), order('use')];

  /** The lease is on disk before the host is touched, and says afterwards what is known, which may be nothing. */
  const provisioned = async <R>(
    given: LeaseOrder & { readonly deadlineAt: string | null },
    make: () => Promise<R>,
  ): Promise<R> => {
    // A lease that was begun before is not a new one: it is finished, or it would be neither here nor there.
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
    const ended = await end();
    await leases.clear(given);
    return ended;
  };
  const look: Lane = { kind: 'look' };
  const node: Lane = { kind: 'node' };

  return {
    'slice.topology_discover': {
      lane: () => look,
      async run(_, work) {
        const topology = await host.topology(work);
        await parts.onDiscovery();
        return { topology };
      },
    },
    'slice.vm_provision': {
      lane: inLease,
      lease: provision,
      run: async (params, work) => ({
        attestation: await provisioned(
          { ...provision(params, work.generation), deadlineAt: params.lease.deadline_at },
          () => host.provisionSlice(params, work),
        ),
      }),
    },
    'slice.vm_release': {
      lane: inLease,
      lease: release,
      run: (params, work) => released(release(params, work.generation), () => host.releaseSlice(params, work)),
    },
    'allocation.provision_user': {
      lane: inLease,
      lease: provision,
      run: async (params, work) => ({
        attestation: await provisioned(
          { ...provision(params, work.generation), deadlineAt: params.lease.deadline_at },
          () => host.provisionUser(params, work),
        ),
      }),
    },
    'allocation.revoke_user': {
      lane: inLease,
      lease: release,
      run: (params, work) => released(release(params, work.generation), () => host.revokeUser(params, work)),
    },
    'allocation.install_authorized_keys': {
      lane: inLease,
      lease: use,
      run: async (params, work) => {
        const fingerprints = [...(await host.installKeys(params, work))];
        return { installed: fingerprints.length, fingerprints };
      },
    },
    'allocation.attest': {
      lane: inLease,
      lease: use,
      run: async (params, work) => ({ attestation: await host.attest(params, work) }),
    },
    'allocation.extend_lease': {
      lane: inLease,
      lease: use,
      async run(params) {
        await leases.extend(params.allocation_id, params.lease.deadline_at);
        return { deadline_at: params.lease.deadline_at };
      },
    },
    'allocation.restart': {
      lane: inLease,
      lease: use,
      run: async (params, work) => ({ attestation: await host.restart(params, work) }),
    },
    'node.reimage_prepare': {
      lane: () => node,
      async run(params, work) {
        const held = leases.held().filter(({ state }) => state !== 'ended');
        if (held.length > 0) throw new HostFailure('lease_conflict', `${held.length} leases are still held here.`);
        return host.reimage(params, work);
      },
    },
    'node.drain': {
      lane: () => look,
      async run(params) {
        await drain.begin(params.deadline_at);
        return { running: leases.held().map(({ allocation_id }) => allocation_id) };
      },
    },
    'node.self_update': {
      lane: () => node,
      async run(params, work, taskId) {
        if (!selfUpdate) throw new TaskFailure('not_supported', 'This agent is not run by a supervisor.');
        return selfUpdate.apply(params, { taskId, signal: work.signal });
      },
    },
    'diag.health_probe': { lane: () => look, run: (_, work) => host.health(work) },
  };
}

/** What cuts short whatever still builds in the same lease: it would be taken down again in the next breath. */
export const supersedes = (type: NodeTaskType): boolean =>
  type === 'slice.vm_release' || type === 'allocation.revoke_user';
