import type { coarseSeconds, sampleSeconds } from '@gpuaas/contract';
import type { GpuValues, HostValues } from '@gpuaas/contract/node';
import { type ReadTx, sql } from '../../kernel/act.ts';

export interface PointRow {
  readonly at: Date;
  readonly source: 'host' | 'guest';
  readonly gpus: string[];
  readonly host_values: HostValues;
  readonly gpu_values: GpuValues;
  readonly unavailable: string | null;
}
export type Resolution = typeof sampleSeconds | typeof coarseSeconds;
export interface Range {
  readonly from: Date;
  readonly to: Date;
  readonly resolution: Resolution;
  readonly limit: number;
}
/** An allocation, as far as its measurements go. */
export interface AllocationRow {
  readonly id: string;
  readonly name: string;
  readonly sku: string;
  readonly gpu_count: number;
  readonly state: string;
  readonly capacity_shape: 'baremetal' | 'gpu_slice';
  readonly simulated: boolean;
}
export interface NodeRow {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly sku: string;
  readonly state: string;
  readonly simulated: boolean;
}
/** The last point, or null in every column of it. */
export type WithLatest<T> = T & { readonly latest: (Omit<PointRow, 'at'> & { readonly at: string }) | null };

const point = 't.at, t.source, t.gpus, t.host_values, t.gpu_values, t.unavailable';
const asJson = `jsonb_build_object('at', t.at, 'source', t.source, 'gpus', t.gpus, 'host_values', t.host_values,
  'gpu_values', t.gpu_values, 'unavailable', t.unavailable)`;
const allocation = `a.id, a.name, a.sku, a.gpu_count, a.state, a.capacity_shape, coalesce(n.simulated, false) as simulated`;
const node = `n.id, n.name, n.region, n.sku, n.state, coalesce(n.simulated, false) as simulated`;

const findAllocationSql = sql(
  'telemetry-allocation',
  `select ${allocation} from allocations a left join nodes n on n.id = a.node_id where a.id = $1 and mine(a.organization_id)`,
);
const findNodeSql = sql('telemetry-node', `select ${node} from nodes n where n.id = $1 and n.state <> 'deleted'`);
const ofAllocationSql = sql(
  'telemetry-of-allocation',
  `select ${point} from telemetry_points t
   where t.allocation_id = $1 and mine(t.organization_id) and t.resolution_seconds = $2 and t.at >= $3 and t.at < $4
     and t.samples > 0
   order by t.at limit $5`,
);
/** A coarse point in which a whole node changed hands has two rows; each is part of the truth. */
const ofNodeSql = sql(
  'telemetry-of-node',
  `select ${point} from telemetry_points t
   where t.node_id = $1 and t.source = 'host' and t.resolution_seconds = $2 and t.at >= $3 and t.at < $4 and t.samples > 0
     and mine(t.organization_id)
   order by t.at limit $5`,
);
const allocationsNowSql = sql(
  'telemetry-allocations-now',
  `select ${allocation}, l.latest
   from allocations a join nodes n on n.id = a.node_id
     left join lateral (
       select ${asJson} as latest from telemetry_points t
       where t.allocation_id = a.id and t.organization_id = a.organization_id and t.resolution_seconds = 10 and t.at >= $2
       order by t.at desc limit 1
     ) l on true
   where a.project_id = $1 and mine(a.organization_id) and a.state = 'active' and ($3::uuid is null or a.id < $3)
   order by a.id desc limit $4`,
);
const nodesNowSql = sql(
  'telemetry-nodes-now',
  `select ${node}, l.latest
   from nodes n left join lateral (
     select ${asJson} as latest from telemetry_points t
     where t.node_id = n.id and t.source = 'host' and t.resolution_seconds = 10 and t.at >= $1 and mine(t.organization_id)
     order by t.at desc limit 1
   ) l on true
   where n.state <> 'deleted' and ($2::uuid is null or n.id > $2)
   order by n.id limit $3`,
);

export const findAllocation = async (tx: ReadTx, id: string): Promise<AllocationRow | undefined> =>
  (await tx.rows<AllocationRow>(findAllocationSql, [id]))[0];
export const findNode = async (tx: ReadTx, id: string): Promise<NodeRow | undefined> =>
  (await tx.rows<NodeRow>(findNodeSql, [id]))[0];
export const listOfAllocation = (tx: ReadTx, id: string, { from, to, resolution, limit }: Range) =>
  tx.rows<PointRow>(ofAllocationSql, [id, resolution, from, to, limit]);
export const listOfNode = (tx: ReadTx, id: string, { from, to, resolution, limit }: Range) =>
  tx.rows<PointRow>(ofNodeSql, [id, resolution, from, to, limit]);
export const listAllocationsNow = (
  tx: ReadTx,
  projectId: string | undefined,
  since: Date,
  before: string | undefined,
  limit: number,
) => tx.rows<WithLatest<AllocationRow>>(allocationsNowSql, [projectId, since, before ?? null, limit]);
export const listNodesNow = (tx: ReadTx, since: Date, after: string | undefined, limit: number) =>
  tx.rows<WithLatest<NodeRow>>(nodesNowSql, [since, after ?? null, limit]);
