import { maxNamed } from '../facts.ts';
import { fitOn, isMiss } from './fit.ts';
import {
  type Alternatives,
  type CandidateNode,
  type Constraint,
  constraintOrder,
  type Fit,
  type Miss,
  type PlacementRequest,
} from './model.ts';

/**
 * Placement is a pure function of the request and of what the candidates look like: filter, rank, choose. It reserves
 * nothing and remembers nothing; the rows of the slots decide afterwards. Its answer is a document that says
 * why, in terms that can be checked against the fleet: for each candidate the first constraint that failed, with what was
 * needed and what was there.
 *
 * The ranking keeps large holes whole. A request goes to the NUMA group that it fills best, then to the node that it fills
 * best, so that a request for a whole group or a whole node still finds one; among equals, to a node that has the image.
 * A node that is avoided after a failed launch comes after all others, however well it is filled; among several of them the
 * oldest failure comes first, so that attempts do not go to the same node again and again.
 */
export interface Decision {
  readonly outcome: 'placed' | 'refused';
  readonly request: PlacementRequest;
  readonly chosen: Chosen | null;
  readonly considered: number;
  readonly feasible: number;
  /** How many candidates failed at each constraint, in the order in which they are asked. */
  readonly reasons: readonly { readonly constraint: Constraint; readonly nodes: number }[];
  /** How many feasible nodes come last because a launch failed there. Older documents do not have it. */
  readonly last_resort?: number;
  readonly candidates: readonly Verdict[];
  /** Candidates that were counted but are not named. */
  readonly omitted: number;
  readonly nearest_miss: NamedMiss | null;
  readonly would_fit: readonly Change[];
}
export interface Chosen {
  readonly node_id: string;
  readonly node_name: string;
  readonly slot_ids: readonly string[];
  readonly slot_indexes: readonly number[];
  readonly numa_nodes: readonly number[];
  readonly group_left: number;
  readonly node_left: number;
  readonly image_cached: boolean;
  /** Present when a launch failed on this node within the memory of the policy: no other node fitted. */
  readonly launch_failed_at?: string;
}
export interface NamedMiss extends Miss {
  readonly node_id: string;
  readonly node_name: string;
  readonly region: string;
}
export type Verdict =
  | NamedMiss
  | {
      readonly node_id: string;
      readonly node_name: string;
      readonly region: string;
      readonly constraint: null;
      readonly group_left: number;
      readonly node_left: number;
      readonly launch_failed_at?: string;
    };
export type Change =
  | { readonly change: 'fewer_gpus'; readonly gpus: number }
  | { readonly change: 'other_region'; readonly region: string }
  | { readonly change: 'other_sku'; readonly sku: string }
  | { readonly change: 'wait' };

interface Fitting {
  readonly node: CandidateNode;
  readonly fit: Fit;
}
const order = new Map(constraintOrder.map((constraint, at) => [constraint, at]));
const depth = (constraint: Constraint): number => order.get(constraint) ?? 0;

/** Better first. The id decides among equals, so that the same fleet gives the same answer. */
function compare(a: Fitting, b: Fitting): number {
  return (
    compareText(a.node.launchFailedAt ?? '', b.node.launchFailedAt ?? '') ||
    a.fit.groupLeft - b.fit.groupLeft ||
    a.fit.nodeLeft - b.fit.nodeLeft ||
    Number(b.fit.imageCached) - Number(a.fit.imageCached) ||
    (a.node.id < b.node.id ? -1 : 1)
  );
}
const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
const failureOf = ({ launchFailedAt }: CandidateNode) =>
  launchFailedAt === undefined ? {} : { launch_failed_at: launchFailedAt };

export function decide(
  request: PlacementRequest,
  candidates: readonly CandidateNode[],
  alternatives: Alternatives = { counts: [], skus: [] },
): Decision {
  const fitting: Fitting[] = [];
  const misses: NamedMiss[] = [];
  for (const node of candidates) {
    const found = fitOn(request, node);
    if (isMiss(found)) misses.push({ node_id: node.id, node_name: node.name, region: node.region, ...found });
    else fitting.push({ node, fit: found });
  }
  fitting.sort(compare);
  misses.sort(nearer);
  const [best] = fitting;
  const verdicts: Verdict[] = [
    ...fitting.slice(0, maxNamed).map(
      ({ node, fit: { groupLeft, nodeLeft } }): Verdict => ({
        ...{ node_id: node.id, node_name: node.name, region: node.region },
        ...{ constraint: null, group_left: groupLeft, node_left: nodeLeft, ...failureOf(node) },
      }),
    ),
    ...misses,
  ].slice(0, maxNamed);
  return {
    outcome: best ? 'placed' : 'refused',
    request,
    chosen: best ? show(best) : null,
    considered: candidates.length,
    feasible: fitting.length,
    reasons: count(misses),
    last_resort: fitting.filter(({ node }) => node.launchFailedAt !== undefined).length,
    candidates: verdicts,
    omitted: candidates.length - verdicts.length,
    nearest_miss: best ? null : (misses[0] ?? null),
    would_fit: best ? [] : smallestChanges(request, candidates, alternatives),
  };
}

function show({ node, fit: found }: Fitting): Chosen {
  const slots = found.slots.toSorted((a, b) => a.index - b.index);
  return {
    node_id: node.id,
    node_name: node.name,
    slot_ids: slots.map(({ id }) => id),
    slot_indexes: slots.map(({ index }) => index),
    numa_nodes: [...new Set(slots.map(({ numa }) => numa))].sort((a, b) => a - b),
    group_left: found.groupLeft,
    node_left: found.nodeLeft,
    image_cached: found.imageCached,
    ...failureOf(node),
  };
}

/** The node that passed most constraints, and among equals the one that lacked least. */
function nearer(a: NamedMiss, b: NamedMiss): number {
  const lack = ({ need, have }: Miss) => (typeof need === 'number' && typeof have === 'number' ? need - have : 0);
  return depth(b.constraint) - depth(a.constraint) || lack(a) - lack(b) || (a.node_id < b.node_id ? -1 : 1);
}

function count(misses: readonly NamedMiss[]): Decision['reasons'] {
  return constraintOrder.flatMap((constraint) => {
    const nodes = misses.filter((each) => each.constraint === constraint).length;
    return nodes > 0 ? [{ constraint, nodes }] : [];
  });
}

/** What would have fitted now: the most GPUs that are there, another region, another SKU, or the same a little later. */
function smallestChanges(
  request: PlacementRequest,
  candidates: readonly CandidateNode[],
  { counts, skus }: Alternatives,
): Change[] {
  const fits = (other: PlacementRequest) => candidates.some((node) => !isMiss(fitOn(other, node)));
  const changes: Change[] = [];
  const fewer = counts
    .filter((gpus) => gpus < request.gpus)
    .sort((a, b) => b - a)
    .find((gpus) => fits({ ...request, gpus }));
  if (fewer !== undefined) changes.push({ change: 'fewer_gpus', gpus: fewer });
  const regions = [...new Set(candidates.map(({ region }) => region))].filter((region) => region !== request.region);
  for (const region of regions.sort()) {
    if (fits({ ...request, region })) changes.push({ change: 'other_region', region });
  }
  for (const other of skus) {
    if (other.sku !== request.sku && fits({ ...request, ...other }))
      changes.push({ change: 'other_sku', sku: other.sku });
  }
  // Would it fit if everybody else were gone? Then it is worth waiting for.
  const emptied = candidates.map((node) => ({
    ...node,
    kept: false,
    slots: node.slots.map((slot) => ({ ...slot, kept: false, ...(isOccupied(slot.state) && { state: 'available' }) })),
  }));
  if (emptied.some((node) => !isMiss(fitOn(request, node)))) changes.push({ change: 'wait' });
  return changes;
}
const isOccupied = (state: string): boolean => state === 'reserved' || state === 'in_use' || state === 'cleaning';
