import type { Host } from '../../host/port.ts';
import { type Handlers, lookLane, toUse } from './handler.ts';

/** The containers of one lease, one after the other. Keys and releases of the lease do not wait for an image that is fetched. */
const containerLane = (params: { readonly allocation_id: string }) => ({
  kind: 'containers' as const,
  allocationId: params.allocation_id,
});

/** Starts, stops and looks at containers on a lease. */
export const containerHandlers = ({ host }: { readonly host: Host }) =>
  ({
    'app.oci_launch': {
      lane: containerLane,
      lease: toUse,
      run: async (params, work) => ({ workload: await host.launchContainer(params, work) }),
    },
    'app.oci_stop': { lane: containerLane, lease: toUse, run: (params, work) => host.stopContainer(params, work) },
    'app.oci_status': {
      lane: () => lookLane,
      lease: toUse,
      run: async (params, work) => ({ workloads: [...(await host.containers(params, work))] }),
    },
    'app.oci_logs': { lane: () => lookLane, lease: toUse, run: (params, work) => host.containerLogs(params, work) },
  }) satisfies Handlers;
