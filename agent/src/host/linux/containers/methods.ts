import type { TaskParams } from '@gpuaas/contract/node';
import { type Host, HostFailure, type Work } from '../../port.ts';
import { checked } from '../checked.ts';
import type { Containers } from './open.ts';

type Methods = 'launchContainer' | 'stopContainer' | 'containers' | 'containerLogs' | 'connectContainer';

/** The containers of a host, behind the port. */
export function containerMethods(
  containers: Containers,
  isSlice: (allocationId: string) => Promise<boolean>,
): Pick<Host, Methods> {
  /** The containers of a slice belong into its machine. On the host they would be outside of its walls. */
  const onHost =
    <P extends { readonly allocation_id: string }, R>(run: (params: P, work: Work) => Promise<R>) =>
    async (params: P, work: Work): Promise<R> => {
      if (!(await isSlice(params.allocation_id))) return run(params, work);
      throw new HostFailure(
        'not_supported',
        'Containers of a slice run inside its machine, and this agent starts none there yet. Use an allocation of a whole node.',
      );
    };
  return {
    launchContainer: checked(
      'app.oci_launch',
      onHost<TaskParams<'app.oci_launch'>, Awaited<ReturnType<Containers['launch']>>>(containers.launch),
    ),
    stopContainer: checked('app.oci_stop', onHost(containers.stop)),
    containers: checked('app.oci_status', onHost(containers.list)),
    containerLogs: checked('app.oci_logs', onHost(containers.logs)),
    // No look at slices here: a slice has no record of containers on the host, so there is nothing to connect to.
    connectContainer: containers.connect,
  };
}
