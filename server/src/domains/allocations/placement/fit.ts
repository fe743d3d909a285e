import { spanningGpus } from '../facts.ts';
import type { CandidateNode, CandidateSlot, Fit, Miss, PlacementRequest } from './model.ts';

const miss = (constraint: Miss['constraint'], need: Miss['need'], have: Miss['have']): Miss => ({
  constraint,
  need,
  have,
});

const kept = miss('kept', 'free for anybody', 'kept for requests that wait');

/** One node and one request: where it fits best on the node, or the first reason why it does not fit. */
export function fitOn(request: PlacementRequest, node: CandidateNode): Fit | Miss {
  const found = fitAnywhere(request, node);
  if (isMiss(found)) return found;
  if (node.kept) return kept;
  const ids = new Set(node.slots.flatMap((slot) => (slot.kept ? [slot.id] : [])));
  if (ids.size === 0) return found;
  const beside = fitAnywhere(request, without(node, ids));
  return isMiss(beside) ? kept : beside;
}

/** The node as it looks to a request that may not use these slots. */
export const without = (node: CandidateNode, slotIds: ReadonlySet<string>): CandidateNode => ({
  ...node,
  slots: node.slots.map((slot) => (slotIds.has(slot.id) ? { ...slot, state: 'reserved' } : slot)),
});

function fitAnywhere(request: PlacementRequest, node: CandidateNode): Fit | Miss {
  if (node.region !== request.region) return miss('region', request.region, node.region);
  if (node.sku !== request.sku) return miss('sku', request.sku, node.sku);
  if (node.state !== 'active') return miss('node_state', 'active', node.state);
  if (!node.schedulable) return miss('schedulable', 'schedulable', 'cordoned');
  if (!node.reporting) return miss('reporting', 'reporting', 'silent');
  const imageCached = !request.image || node.images.includes(request.image.id);
  if (request.image?.mustBeCached && !imageCached) return miss('image_cached', request.image.id, 'not cached');

  // Bare metal is the node, with everything in it.
  const wanted = request.shape === 'baremetal' ? Math.max(request.gpus, node.slots.length) : request.gpus;
  // A node that is too small lacks no health and no freedom: it is too small, and that is asked last.
  const need = Math.min(wanted, node.slots.length);
  let usable = node.slots.filter(({ health }) => health === 'healthy');
  if (usable.length < need) return miss('slot_healthy', need, usable.length);
  usable = usable.filter(({ state }) => state === 'available');
  if (usable.length < need) return miss('slot_free', need, usable.length);
  if (request.fabric) usable = usable.filter(({ fabric }) => fabric);
  if (usable.length < need) return miss('fabric', need, usable.length);
  if (request.nvme) usable = usable.filter(({ nvme }) => nvme);
  if (usable.length < need) return miss('nvme', need, usable.length);
  if (usable.length < wanted || wanted === 0) return miss('single_node', wanted, usable.length);

  if (spans(request, node)) {
    const slots = usable.slice(0, wanted);
    const left = usable.length - wanted;
    return { slots, groupLeft: left, nodeLeft: left, imageCached };
  }
  const groups = groupsOf(usable);
  const [best] = groups.filter((group) => group.length >= wanted).sort((a, b) => a.length - b.length);
  if (!best) return miss('single_numa', wanted, Math.max(0, ...groups.map(({ length }) => length)));
  return {
    slots: best.slice(0, wanted),
    groupLeft: best.length - wanted,
    nodeLeft: usable.length - wanted,
    imageCached,
  };
}

/** Whether the request takes a whole node, and with it all of its NUMA groups. */
export const spans = ({ shape, gpus }: PlacementRequest, node: Pick<CandidateNode, 'slots'>): boolean =>
  shape === 'baremetal' || (gpus >= spanningGpus && gpus === node.slots.length);

function groupsOf(slots: readonly CandidateSlot[]): CandidateSlot[][] {
  const groups = new Map<number, CandidateSlot[]>();
  for (const slot of slots) {
    const group = groups.get(slot.numa);
    if (group) group.push(slot);
    else groups.set(slot.numa, [slot]);
  }
  // The lower group first among equals, so that the same fleet gives the same answer.
  return [...groups.entries()].sort(([a], [b]) => a - b).map(([, group]) => group);
}

export const isMiss = (found: Fit | Miss): found is Miss => 'constraint' in found;
