import { createHash } from 'node:crypto';
import { nodeTaskKinds, type TaskParams } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../../../disk.ts';
import { type AllocationRecords, makeAllocationRecords } from '../allocation-records.ts';
import { firstHost, mostNetworks } from './settings.ts';

const order = nodeTaskKinds['app.oci_launch'].params.properties;

const WorkloadRecord = Type.Object({
  workload_id: order.workload_id,
  /** `stopped` is for good: the same id is never launched again. */
  state: Type.Enum(['making', 'running', 'stopped']),
  /** What was ordered, as a digest: an order may carry secrets. */
  spec: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  image_digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
  host: Type.Integer({ minimum: firstHost, maximum: 254 }),
  component: order.labels.properties.component,
  ports: order.ports,
  egress: order.egress,
  volumes: Type.Array(Type.String()),
});
export type WorkloadRecord = Static<typeof WorkloadRecord>;

/**
 * The containers, volumes and network of one allocation: written before anything is made, removed after the last trace is gone. The
 * agent finds its containers by this after a restart, and touches none that is not in it.
 */
const ContainerRecord = Type.Object({
  allocation_id: order.allocation_id,
  generation: Type.Integer({ minimum: 1 }),
  /** `ended` is for good: only a release comes after it. */
  state: Type.Enum(['open', 'ended']),
  index: Type.Integer({ minimum: 0, maximum: mostNetworks }),
  workloads: Type.Array(WorkloadRecord),
  volumes: Type.Array(Type.Object({ name: order.volumes.items.properties.name, size_mib: Type.Integer() })),
});
export type ContainerRecord = Static<typeof ContainerRecord>;
const record = Compile(ContainerRecord);

export type ContainerRecords = AllocationRecords<ContainerRecord>;
export const makeContainerRecords = (at: { readonly disk: Disk; readonly folder: string }): ContainerRecords =>
  makeAllocationRecords({ ...at, isRecord: (value) => record.Check(value) });

/** The same order has the same digest. Who asks for it, and how long it may take, is no part of it. */
export function specOf(params: TaskParams<'app.oci_launch'>): string {
  const { labels, pull_seconds: _seconds, ...rest } = params;
  const { correlation_id: _correlation, ...kept } = labels;
  return createHash('sha256')
    .update(JSON.stringify(sorted({ ...rest, labels: kept })))
    .digest('hex');
}
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** The smallest number from here on that nobody has. */
export function firstFree(taken: readonly number[], from: number, most: number): number | undefined {
  for (let number = from; number <= most; number += 1) if (!taken.includes(number)) return number;
  return undefined;
}
