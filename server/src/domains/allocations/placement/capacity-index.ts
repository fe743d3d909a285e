import { spanningGpus } from '../facts.ts';
import type { CandidateNode, PlacementRequest } from './model.ts';

/**
 * Where free capacity is, as far as this process knows. It answers "which few nodes are worth a look" in a time that does
 * not depend on the size of the fleet, and is only a hint: the rows decide, and after a pick that failed
 * the rows are read before the next one. Hosts that the index does not know are found by a query, so a stale index costs only time.
 *
 * Nodes lie in buckets: by SKU, region and whether placement avoids them after a failed launch, then by the free slots in one
 * of their NUMA groups, then by the free slots on the node. The best fit is in the first bucket that is large enough.
 */
export interface CapacityIndex {
  /** Replaces what the index knows of these nodes. */
  update(nodes: readonly CandidateNode[]): void;
  remove(nodeId: string): void;
  /** The ids of at most `limit` nodes that may fit, best first; nodes that are avoided after a failed launch come last. */
  suggest(request: PlacementRequest, limit: number, except?: ReadonlySet<string>): string[];
  /** These nodes as of their last update; nodes without free slots are not remembered. */
  get(nodeIds: readonly string[]): CandidateNode[];
  size(): number;
}

type Bucket = Map<string, true>;
/** By free slots in a group, then by free slots on the node. */
type BucketTable = Bucket[][];

export function makeCapacityIndex(): CapacityIndex {
  const tables = new Map<string, { readonly grouped: BucketTable; readonly whole: BucketTable }>();
  const entries = new Map<string, { readonly node: CandidateNode; readonly buckets: Bucket[] }>();

  const keyOf = ({ sku, region }: { readonly sku: string; readonly region: string }, isLastResort: boolean) =>
    `${sku} ${region}${isLastResort ? ' last' : ''}`;
  const tablesOf = (node: CandidateNode) => {
    const key = keyOf(node, node.launchFailedAt !== undefined);
    let table = tables.get(key);
    if (!table) {
      table = { grouped: [], whole: [] };
      tables.set(key, table);
    }
    return table;
  };
  const bucketOf = (table: BucketTable, group: number, node: number): Bucket => {
    table[group] ??= [];
    const row = table[group];
    row[node] ??= new Map();
    return row[node];
  };
  const remove = (nodeId: string) => {
    for (const bucket of entries.get(nodeId)?.buckets ?? []) bucket.delete(nodeId);
    entries.delete(nodeId);
  };
  const updateOne = (node: CandidateNode) => {
    remove(node.id);
    if (node.state !== 'active' || !node.schedulable) return;
    const free = new Map<number, number>();
    let total = 0;
    for (const { state, health, numa } of node.slots) {
      if (state !== 'available' || health !== 'healthy') continue;
      total += 1;
      free.set(numa, (free.get(numa) ?? 0) + 1);
    }
    if (total === 0) return;
    const table = tablesOf(node);
    const buckets = [...new Set(free.values())].map((size) => bucketOf(table.grouped, size, total));
    if (total === node.slots.length) buckets.push(bucketOf(table.whole, total, total));
    for (const bucket of buckets) bucket.set(node.id, true);
    entries.set(node.id, { node, buckets });
  };

  return {
    update: (nodes) => nodes.forEach(updateOne),
    remove,
    suggest(request, limit, except) {
      const found = new Set<string>();
      const isWhole = request.shape === 'baremetal' || request.gpus >= spanningGpus;
      for (const isLastResort of [false, true]) {
        const table = tables.get(keyOf(request, isLastResort));
        if (table) fill(found, isWhole ? table.whole : table.grouped, { from: request.gpus, limit, except });
      }
      return [...found];
    },
    get: (nodeIds) => nodeIds.flatMap((id) => entries.get(id)?.node ?? []),
    size: () => entries.size,
  };
}

/** Adds ids from the first bucket that is large enough on, up to the limit. */
function fill(
  found: Set<string>,
  rows: BucketTable,
  {
    from,
    limit,
    except,
  }: { readonly from: number; readonly limit: number; readonly except?: ReadonlySet<string> | undefined },
): void {
  for (let group = from; group < rows.length; group += 1) {
    for (const bucket of rows[group]?.values() ?? []) {
      for (const id of bucket?.keys() ?? []) {
        if (found.size >= limit) return;
        if (!except?.has(id)) found.add(id);
      }
    }
  }
}
