import type { Duplex } from 'node:stream';
import { type ConnectOrder, HostFailure } from '../../port.ts';
import { connectPort } from '../../stream.ts';
import type { ContainerRecords } from './records.ts';
import { addressOf, type ContainerSettings } from './settings.ts';

export type DialPort = (to: { readonly address: string; readonly port: number }) => Promise<Duplex>;

/**
 * Connects to a port that the order of the container names, at the address that its record has. Podman is not asked: this is done for each
 * request of an application. A container that has ended refuses the connection by itself.
 */
export function makeConnect(parts: {
  readonly settings: ContainerSettings;
  readonly records: Pick<ContainerRecords, 'get'>;
  readonly living: (allocationId: string) => Promise<unknown>;
  readonly dial: DialPort;
}): (order: ConnectOrder) => Promise<Duplex> {
  return async ({ allocationId, workloadId, port }) => {
    const record = await parts.records.get(allocationId);
    const workload = record?.workloads.find((one) => one.workload_id === workloadId);
    if (!record || !workload?.ports.some((one) => one.port === port)) {
      throw new HostFailure('not_found', `Allocation ${allocationId} has no workload ${workloadId} with port ${port}.`);
    }
    await parts.living(allocationId);
    if (workload.state !== 'running') {
      throw new HostFailure('container_failed', `Workload ${workloadId} is ${workload.state}.`);
    }
    return parts.dial({ address: addressOf(parts.settings, record.index, workload.host), port });
  };
}

export const dialPort: DialPort = ({ address, port }) =>
  connectPort({
    ...{ address, port, allowHalfOpen: true },
    failure: (why) => new Error(`Nothing answers at port ${port} of the container: ${why}.`),
  });
