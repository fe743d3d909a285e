import { counted } from '../sizes.ts';

/** A placement decision as operators see it: every considered host, and why not. */
export interface PlacementDocument {
  readonly request?: { readonly sku: string; readonly gpus: number; readonly region: string };
  readonly chosen?: {
    readonly node_id: string;
    readonly node_name: string;
    readonly slot_indexes: readonly number[];
    readonly numa_nodes: readonly number[];
    readonly image_cached: boolean;
    readonly launch_failed_at?: string;
  } | null;
  readonly considered?: number;
  readonly feasible?: number;
  readonly omitted?: number;
  readonly candidates?: readonly PlacementVerdict[];
  readonly nearest_miss?: PlacementVerdict | null;
  readonly would_fit?: readonly {
    readonly change: string;
    readonly gpus?: number;
    readonly region?: string;
    readonly sku?: string;
  }[];
}
export interface PlacementVerdict {
  readonly node_id: string;
  readonly node_name: string;
  readonly region: string;
  readonly constraint: string | null;
  readonly need?: number | string;
  readonly have?: number | string;
  readonly group_left?: number;
  readonly node_left?: number;
  readonly launch_failed_at?: string;
}

const misses: Readonly<Record<string, string>> = {
  region: 'is in another region',
  sku: 'has another SKU',
  node_state: 'is not in service',
  schedulable: 'accepts no new work',
  reporting: 'does not report',
  image_cached: 'does not have the image',
  slot_healthy: 'has too few healthy GPUs',
  slot_free: 'has too few free GPUs',
  fabric: 'has no fabric for each GPU',
  nvme: 'has no disk for each GPU',
  single_node: 'is too small',
  single_numa: 'has enough free GPUs, but not in one NUMA group',
  kept: 'is reserved for requests that have waited longer',
};

/** `node-07 has enough free GPUs, but not in one NUMA group: needs 2, has 1.` */
export function tellVerdict(verdict: PlacementVerdict): string {
  if (verdict.constraint === null) {
    return verdict.launch_failed_at === undefined ? 'fits' : 'fits, but is used last: a launch failed on it recently';
  }
  const what = misses[verdict.constraint] ?? verdict.constraint.replaceAll('_', ' ');
  return verdict.need === undefined ? what : `${what}: needs ${verdict.need}, has ${verdict.have}`;
}

export function tellChange(change: NonNullable<PlacementDocument['would_fit']>[number]): string {
  if (change.change === 'fewer_gpus' && change.gpus !== undefined)
    return `${counted(change.gpus, 'GPU')} available now`;
  if (change.region !== undefined) return `available in ${change.region}`;
  if (change.sku !== undefined) return `available as ${change.sku}`;
  if (change.change === 'wait') return 'available once other allocations end';
  return change.change.replaceAll('_', ' ');
}
