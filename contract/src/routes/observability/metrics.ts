import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { GpuValues, HostValues } from '../../node/telemetry.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { coarseSeconds, sampleSeconds } from '../../telemetry/metrics.ts';

const strict = { additionalProperties: false } as const;

/** The most points of one answer: a week of coarse ones. */
export const mostMetricPoints = 2_016;

const pointFields = {
  at: Type.String({ format: 'date-time', description: 'The beginning of the point.' }),
  gpus: Type.Array(Type.String(), { description: 'UUIDs of the GPUs, in the order of the lists in `gpu`.' }),
  host: HostValues,
  gpu: GpuValues,
  unavailable: Type.Union([Type.String(), Type.Null()], { description: 'Why there are no values of GPUs.' }),
};
export const MetricPoint = Type.Object(pointFields, { $id: 'MetricPoint', ...strict });
export type MetricPoint = Static<typeof MetricPoint>;

const Source = Type.Enum(['host_local_probe', 'slice_guest', 'unavailable'], {
  description:
    'host_local_probe: measured by the host, for whole nodes. slice_guest: measured inside the machine of a slice. unavailable: nothing is measured, and `unavailable` says why.',
});
const Unavailable = Type.Union([Type.String(), Type.Null()], {
  description: 'Why there is nothing to show, in a sentence.',
});
const Resolution = Type.Enum([sampleSeconds, coarseSeconds]);
const range = {
  from: Type.Optional(Type.String({ format: 'date-time', description: 'One hour before `to` when left out.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'Now when left out.' })),
  resolution: Type.Optional(
    Type.Integer({
      description: `${sampleSeconds}: every sample. ${coarseSeconds}: averages of five minutes. The finest that the range allows when left out.`,
      enum: [sampleSeconds, coarseSeconds],
    }),
  ),
};
const seriesFields = {
  source: Source,
  unavailable: Unavailable,
  simulated: Type.Boolean({ description: 'The host is simulated, and so are these values.' }),
  resolution_seconds: Resolution,
  from: Timestamp,
  to: Timestamp,
  data: Type.Array(MetricPoint, { maxItems: mostMetricPoints, description: 'Oldest first.' }),
};

export const AllocationMetrics = Type.Object(
  { allocation_id: Uuid, ...seriesFields },
  { $id: 'AllocationMetrics', ...strict },
);
export type AllocationMetrics = Static<typeof AllocationMetrics>;

export const NodeMetrics = Type.Object({ node_id: Uuid, ...seriesFields }, { $id: 'NodeMetrics', ...strict });
export type NodeMetrics = Static<typeof NodeMetrics>;

const Latest = Type.Union([MetricPoint, Type.Null()], { description: 'The last values, if they are not too old.' });
export const AllocationNow = Type.Object(
  {
    allocation_id: Uuid,
    name: Type.String(),
    sku: Type.String(),
    gpu_count: Type.Integer(),
    source: Source,
    unavailable: Unavailable,
    simulated: Type.Boolean(),
    latest: Latest,
  },
  { $id: 'AllocationNow', ...strict },
);
export type AllocationNow = Static<typeof AllocationNow>;

export const NodeNow = Type.Object(
  {
    node_id: Uuid,
    name: Type.String(),
    region: Type.String(),
    sku: Type.String(),
    state: Type.String(),
    simulated: Type.Boolean(),
    unavailable: Unavailable,
    latest: Latest,
  },
  { $id: 'NodeNow', ...strict },
);
export type NodeNow = Static<typeof NodeNow>;

const tag = 'Metrics';
const reader = { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' } as const;
const operator = {
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: { kind: 'none', why: 'Hosts serve all tenants; operators see what they measure.' },
  lane: 'admin',
  tag: 'AdminMetrics',
} as const;

export const allocationMetrics = defineRoute({
  id: 'allocation_metrics',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/metrics',
  tag,
  summary: 'What was measured in an allocation, over a range of time',
  auth: reader,
  tenancy: { kind: 'owner-of', param: 'allocation_id' },
  lane: 'default',
  errors: ['allocation_not_found', 'metrics_range_invalid'],
  params: Type.Object({ allocation_id: Uuid }, strict),
  query: Type.Object(range, strict),
  response: AllocationMetrics,
});

export const metricsNow = defineRoute({
  id: 'metrics_now',
  method: 'GET',
  path: '/api/v1/metrics',
  tag,
  summary: 'The last values of the active allocations of a project',
  auth: reader,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(AllocationNow),
});

export const metricsExport = defineRoute({
  id: 'metrics_export',
  method: 'GET',
  path: '/api/v1/metrics/prometheus',
  tag,
  summary: 'The last values of the active allocations of a project, in the Prometheus format',
  auth: reader,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: [],
  text: ['text/plain; version=0.0.4'],
  response: Type.String(),
});

export const nodeMetrics = defineRoute({
  id: 'node_metrics',
  method: 'GET',
  path: '/api/v1/admin/nodes/{node_id}/metrics',
  summary: 'What a node has measured, over a range of time',
  ...operator,
  errors: ['node_not_found', 'metrics_range_invalid'],
  params: Type.Object({ node_id: Uuid }, strict),
  query: Type.Object(range, strict),
  response: NodeMetrics,
});

export const fleetMetrics = defineRoute({
  id: 'fleet_metrics',
  method: 'GET',
  path: '/api/v1/admin/fleet/metrics',
  summary: 'The last values of every node',
  ...operator,
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(NodeNow),
});

export const fleetMetricsExport = defineRoute({
  id: 'fleet_metrics_export',
  method: 'GET',
  path: '/api/v1/admin/fleet/metrics/prometheus',
  summary: 'The last values of every node, in the Prometheus format',
  ...operator,
  errors: [],
  text: ['text/plain; version=0.0.4'],
  response: Type.String(),
});
