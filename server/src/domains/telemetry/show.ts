import type { AllocationMetrics, AllocationNow, MetricPoint, NodeNow } from '@gpuaas/contract';
import type { AllocationRow, NodeRow, PointRow, WithLatest } from './store.ts';

export const showPoint = (row: Omit<PointRow, 'at'> & { readonly at: Date | string }): MetricPoint => ({
  at: new Date(row.at).toISOString(),
  gpus: row.gpus,
  host: row.host_values,
  gpu: row.gpu_values,
  unavailable: row.unavailable,
});

const sourceOf = ({ capacity_shape }: AllocationRow): 'host_local_probe' | 'slice_guest' =>
  capacity_shape === 'baremetal' ? 'host_local_probe' : 'slice_guest';

/** Where the values of an allocation come from, or why there are none. */
export function checkSource(
  allocation: AllocationRow,
  isMeasured: boolean,
): Pick<AllocationMetrics, 'source' | 'unavailable'> {
  if (isMeasured) return { source: sourceOf(allocation), unavailable: null };
  return { source: 'unavailable', unavailable: whyNot(allocation) };
}

function whyNot({ state, capacity_shape }: AllocationRow): string {
  if (state === 'requested' || state === 'provisioning') return 'It is not active yet. Measuring begins when it is.';
  if (state !== 'active') return `It is ${state}, and nothing that was measured in this time is kept.`;
  return capacity_shape === 'gpu_slice'
    ? 'The machine of this slice reports no measurements. Values of its host are not shown for slices.'
    : 'Its host has sent no measurements for this time. They come within a minute of its start, and after an outage.';
}

export const showAllocationNow = (row: WithLatest<AllocationRow>): AllocationNow => ({
  allocation_id: row.id,
  name: row.name,
  sku: row.sku,
  gpu_count: row.gpu_count,
  ...checkSource(row, row.latest !== null),
  simulated: row.simulated,
  latest: row.latest && showPoint(row.latest),
});

export const whyNoNode = ({ state }: NodeRow): string =>
  state === 'active'
    ? 'The node has sent no measurements for this time. See whether it reports: its agent may be too old.'
    : `The node is ${state} and has sent no measurements for this time.`;

export const showNodeNow = (row: WithLatest<NodeRow>): NodeNow => ({
  node_id: row.id,
  name: row.name,
  region: row.region,
  sku: row.sku,
  state: row.state,
  simulated: row.simulated,
  unavailable: row.latest ? null : whyNoNode(row),
  latest: row.latest && showPoint(row.latest),
});
