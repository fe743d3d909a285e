import type { ReadTx, WriteTx } from '../../../kernel/act.ts';
import { maxSurveyed, spanningGpus, waitingPicks } from '../facts.ts';
import { findFitting, readCandidates, survey } from './candidates-store.ts';
import type { CapacityIndex } from './capacity-index.ts';
import { type Decision, decide } from './decide.ts';
import type { InFlight } from './in-flight.ts';
import type { CandidateNode, PlacementRequest } from './model.ts';
import type { PlacementQuery, Refused, Reserved, ReserveSlots } from './placer.ts';

/** What a search needs: the index, the slots in flight, and the limits of the policies. */
export interface SearchParts {
  readonly index: CapacityIndex;
  readonly inFlight: InFlight;
  readonly lostAfterSeconds: () => number;
  readonly candidates: () => number;
  readonly maxRepicks: () => number;
}
export interface Candidates {
  readonly nodes: readonly CandidateNode[];
  /** No host that fits is missing: the database chose them, not the index. */
  readonly isFromDatabase: boolean;
}
export interface Pick {
  readonly decision: Decision;
  readonly nodeId: string;
  readonly slotIds: readonly string[];
}

/** A few hosts to choose from: those that the index suggests, otherwise those that the database finds. Both are read afresh. */
export async function findCandidates(
  tx: ReadTx,
  { index, inFlight, ...limits }: SearchParts,
  request: PlacementRequest,
  how: { readonly except: ReadonlySet<string>; readonly useIndex: boolean },
): Promise<Candidates> {
  const lostAfterSeconds = limits.lostAfterSeconds();
  const limit = limits.candidates();
  const suggested = how.useIndex ? index.suggest(request, limit, how.except) : [];
  // Hosts where a launch failed are used only when no other fits, and only the database knows whether one does.
  const known = index.get(suggested).every(isLastResort) ? [] : suggested;
  const whole = request.shape === 'baremetal' || request.gpus >= spanningGpus;
  const ids =
    known.length > 0
      ? known
      : await findFitting(tx, request, { lostAfterSeconds, whole, except: [...how.except], limit });
  const nodes = ids.length > 0 ? await readCandidates(tx, ids, lostAfterSeconds, request) : [];
  index.update(nodes.map((node) => inFlight.mark(withoutKept(node))));
  return { nodes, isFromDatabase: known.length === 0 };
}

/** The decision for a request that gets no slots: it surveys all hosts of the SKU and of its alternatives. */
export async function explainRefusal(
  tx: ReadTx,
  parts: SearchParts,
  { request, alternatives }: PlacementQuery,
): Promise<Decision> {
  const others = await alternatives();
  const nodes = await survey(tx, {
    skus: [request.sku, ...others.skus.map(({ sku }) => sku)],
    request,
    limit: maxSurveyed,
    lostAfterSeconds: parts.lostAfterSeconds(),
  });
  return decide(request, nodes, others);
}

/** The best slots on these hosts. Other requests of this process are not offered them from now on. */
export function pickSlots(
  { index, inFlight }: SearchParts,
  request: PlacementRequest,
  { nodes, isFromDatabase }: Candidates,
  how: { readonly ignoreInFlight: boolean },
): Pick | undefined {
  const decision = decide(request, how.ignoreInFlight ? nodes : nodes.map(inFlight.mark));
  if (!decision.chosen || (decision.chosen.launch_failed_at !== undefined && !isFromDatabase)) return undefined;
  const { node_id: nodeId, slot_ids: slotIds } = decision.chosen;
  const node = nodes.find(({ id }) => id === nodeId);
  for (const slot of node?.slots ?? []) if (slotIds.includes(slot.id)) inFlight.add(slot);
  if (node) index.update([inFlight.mark(withoutKept(node))]);
  return { decision, nodeId, slotIds };
}

/** Picks slots and reserves them until a pick succeeds: first without waiting for locks, at last with waiting. */
export async function searchAndReserve(
  tx: WriteTx,
  parts: SearchParts,
  wanted: PlacementQuery,
  at: number,
  reserveSlots: ReserveSlots,
): Promise<Reserved | Refused> {
  const pickAndReserve = async (candidates: Candidates, wait: boolean): Promise<Reserved | undefined> => {
    const chosen = pickSlots(parts, wanted.request, candidates, { ignoreInFlight: wait });
    if (!chosen) return undefined;
    const how = { wait, lostAfterSeconds: parts.lostAfterSeconds() };
    const [reservation] = await reserveSlots([{ at, slotIds: chosen.slotIds, request: wanted.request }], how);
    if (reservation) return { decision: chosen.decision, reservation };
    parts.index.remove(chosen.nodeId);
    return undefined;
  };
  const tried = new Set<string>();
  for (let picks = 0; picks < parts.maxRepicks(); picks += 1) {
    const candidates = await findCandidates(tx, parts, wanted.request, { except: tried, useIndex: true });
    if (candidates.isFromDatabase && candidates.nodes.length === 0) break;
    const placed = await pickAndReserve(candidates, false);
    if (placed) return placed;
    for (const node of candidates.nodes) if (candidates.isFromDatabase || !isLastResort(node)) tried.add(node.id);
  }
  for (let picks = 0; picks < waitingPicks; picks += 1) {
    const candidates = await findCandidates(tx, parts, wanted.request, { except: new Set(), useIndex: false });
    if (candidates.nodes.length === 0) break;
    const placed = await pickAndReserve(candidates, true);
    if (placed) return placed;
  }
  const decision = await explainRefusal(tx, parts, wanted);
  return { decision: { ...decision, outcome: 'refused', chosen: null }, reservation: undefined };
}

const isLastResort = ({ launchFailedAt }: CandidateNode): boolean => launchFailedAt !== undefined;

/** The index does not remember which slots are kept for waiting requests: that changes too fast, and is read each time. */
const withoutKept = (node: CandidateNode): CandidateNode => ({
  ...node,
  kept: false,
  slots: node.slots.some(({ kept }) => kept) ? node.slots.map(({ kept: _kept, ...slot }) => slot) : node.slots,
});
