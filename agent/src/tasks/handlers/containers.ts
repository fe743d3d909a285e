import type { Clock } from '../../clock.ts';
import type { Host } from '../../host/port.ts';
import type { Tunnels } from '../../tunnel/tunnels.ts';
import { awaitReady } from './await-ready.ts';
import { type Handlers, lookLane, toUse } from './handler.ts';

/** The containers of one lease, one after the other. Keys and releases of the lease do not wait for an image that is fetched. */
const containerLane = (params: { readonly allocation_id: string }) => ({
  kind: 'containers' as const,
  allocationId: params.allocation_id,
});

/** Starts, stops and looks at containers on a lease. */
export const containerHandlers = ({
  host,
  tunnels,
  clock,
}: {
  readonly host: Host;
  readonly tunnels: Pick<Tunnels, 'addLease' | 'closeWorkload'>;
  readonly clock: Clock;
}) =>
  ({
    'app.oci_launch': {
      lane: containerLane,
      lease: toUse,
      async run(params, work) {
        const workload = await host.launchContainer(params, work);
        // From now on it may be called.
        tunnels.addLease(params.allocation_id);
        return { workload };
      },
    },
    'app.oci_stop': {
      lane: containerLane,
      lease: toUse,
      async run(params, work) {
        tunnels.closeWorkload(params.allocation_id, params.workload_id);
        return host.stopContainer(params, work);
      },
    },
    'app.oci_status': {
      lane: () => lookLane,
      lease: toUse,
      run: async (params, work) => ({ workloads: [...(await host.containers(params, work))] }),
    },
    'app.oci_ready': {
      lane: ({ workload_id }) => ({ kind: 'readiness', workloadId: workload_id }),
      lease: toUse,
      run: (params, work) => awaitReady({ host, clock }, params, work),
    },
    'app.oci_logs': { lane: () => lookLane, lease: toUse, run: (params, work) => host.containerLogs(params, work) },
  }) satisfies Handlers;
