import { spanningGpus } from '../facts.ts';
import type { CandidateNode, PlacementRequest } from './model.ts';

/**
 * Where free capacity is, as far as this process knows. It answers "which few nodes are worth a look" in a time that does
 * not depend on the size of the fleet, and is only a hint: the rows decide, and after a pick that failed
 * the rows are read before the next one. Hosts that the index does not know are found by a query, so a stale index costs only time.
 *
 * Nodes lie in drawers: by SKU, region and whether placement avoids them after a failed launch, then by the free slots in one
 * of their NUMA groups, then by the free slots on the node. The best fit is in the first drawer that is large enough.
 */
export interface CapacityIndex {
  /** Replaces what the index knows of these nodes. */
  learn(nodes: readonly CandidateNode[]): void;
  forget(nodeId: string): void;
  /** The ids of at most `limit` nodes that may fit, best first; nodes that are avoided after a failed launch come last. */
  suggest(request: PlacementRequest, limit: number, except?: ReadonlySet<string>): string[];
  /** These nodes as they were learnt last; nodes without free slots are not remembered. */
  recall(nodeIds: readonly string[]): CandidateNode[];
  size(): number;
}

type Drawer = Map<string, true>;
/** By free slots in a group, then by free slots on the node. */
type Cabinet = Drawer[][];

export function makeCapacityIndex(): CapacityIndex {
  const cabinets = new Map<string, { readonly grouped: Cabinet; readonly whole: Cabinet }>();
  const places = new Map<string, { readonly node: CandidateNode; readonly drawers: Drawer[] }>();

  const keyOf = ({ sku, region }: { readonly sku: string; readonly region: string }, isLastResort: boolean) =>
    `${sku} ${region}${isLastResort ? ' last' : ''}`;
  const cabinetOf = (node: CandidateNode) => {
    const key = keyOf(node, node.launchFailedAt !== undefined);
    let cabinet = cabinets.get(key);
    if (!cabinet) {
      cabinet = { grouped: [], whole: [] };
      cabinets.set(key, cabinet);
    }
    return cabinet;
  };
  const drawerOf = (cabinet: Cabinet, group: number, node: number): Drawer => {
    cabinet[group] ??= [];
    const row = cabinet[group];
    row[node] ??= new Map();
    return row[node];
  };
  const forget = (nodeId: string) => {
    for (const drawer of places.get(nodeId)?.drawers ?? []) drawer.delete(nodeId);
    places.delete(nodeId);
  };
  const learnOne = (node: CandidateNode) => {
    forget(node.id);
    if (node.state !== 'active' || !node.schedulable) return;
    const free = new Map<number, number>();
    let total = 0;
    for (const { state, health, numa } of node.slots) {
      if (state !== 'available' || health !== 'healthy') continue;
      total += 1;
      free.set(numa, (free.get(numa) ?? 0) + 1);
    }
    if (total === 0) return;
    const cabinet = cabinetOf(node);
    const drawers = [...new Set(free.values())].map((size) => drawerOf(cabinet.grouped, size, total));
    if (total === node.slots.length) drawers.push(drawerOf(cabinet.whole, total, total));
    for (const drawer of drawers) drawer.set(node.id, true);
    places.set(node.id, { node, drawers });
  };

  return {
    learn: (nodes) => nodes.forEach(learnOne),
    forget,
    suggest(request, limit, except) {
      const found = new Set<string>();
      const isWhole = request.shape === 'baremetal' || request.gpus >= spanningGpus;
      for (const isLastResort of [false, true]) {
        const cabinet = cabinets.get(keyOf(request, isLastResort));
        if (cabinet) fill(found, isWhole ? cabinet.whole : cabinet.grouped, { from: request.gpus, limit, except });
      }
      return [...found];
    },
    recall: (nodeIds) => nodeIds.flatMap((id) => places.get(id)?.node ?? []),
    size: () => places.size,
  };
}

/** Adds ids from the first drawer that is large enough on, up to the limit. */
function fill(
  found: Set<string>,
  rows: Cabinet,
  {
    from,
    limit,
    except,
  }: { readonly from: number; readonly limit: number; readonly except?: ReadonlySet<string> | undefined },
): void {
  for (let group = from; group < rows.length; group += 1) {
    for (const drawer of rows[group]?.values() ?? []) {
      for (const id of drawer?.keys() ?? []) {
        if (found.size >= limit) return;
        if (!except?.has(id)) found.add(id);
      }
    }
  }
}
