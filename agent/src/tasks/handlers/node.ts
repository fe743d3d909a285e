import type { Drain } from '../../drain.ts';
import { type Host, HostFailure } from '../../host/port.ts';
import type { Leases } from '../../leases/leases.ts';
import type { SelfUpdate } from '../../update/self-update.ts';
import { TaskFailure } from '../failure.ts';
import { type Handlers, lookLane, nodeLane } from './handler.ts';

/** Looks at the node as a whole, or changes it as a whole. */
export const nodeHandlers = (parts: {
  readonly host: Host;
  readonly leases: Leases;
  readonly drain: Drain;
  readonly selfUpdate: SelfUpdate | undefined;
  /** Called after an inspection of the host, when running machines may be compared with leases. */
  readonly onDiscovery: () => Promise<void>;
}) => {
  const { host, leases, drain, selfUpdate } = parts;
  return {
    'slice.topology_discover': {
      lane: () => lookLane,
      async run(_, work) {
        const topology = await host.topology(work);
        await parts.onDiscovery();
        return { topology };
      },
    },
    'diag.health_probe': { lane: () => lookLane, run: (_, work) => host.health(work) },
    'node.drain': {
      lane: () => lookLane,
      async run(params) {
        await drain.begin(params.deadline_at);
        return { running: leases.held().map(({ allocation_id }) => allocation_id) };
      },
    },
    'node.reimage_prepare': {
      lane: () => nodeLane,
      async run(params, work) {
        const held = leases.held().filter(({ state }) => state !== 'ended');
        if (held.length > 0) throw new HostFailure('lease_conflict', `${held.length} leases are still held here.`);
        return host.reimage(params, work);
      },
    },
    'node.self_update': {
      lane: () => nodeLane,
      async run(params, work, taskId) {
        if (!selfUpdate) throw new TaskFailure('not_supported', 'This agent is not run by a supervisor.');
        return selfUpdate.apply(params, { taskId, signal: work.signal });
      },
    },
  } satisfies Handlers;
};
