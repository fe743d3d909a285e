import type { ReadTx, WriteTx } from '../../../kernel/act.ts';
import { maxInFlight, maxSurveyed, patientPicks, spanningGpus } from '../facts.ts';
import type { Reservation } from '../slots/slots.ts';
import { findFitting, readCandidates, survey } from './candidates-store.ts';
import type { CapacityIndex } from './capacity-index.ts';
import { type Decision, decide } from './decide.ts';
import type { Alternatives, CandidateNode, CandidateSlot, PlacementRequest } from './model.ts';

/**
 * Finds a place and takes it, inside the caller's transaction. The index says where to look, the engine chooses, and the
 * rows of the slots decide: when one of them is gone the pick leaves nothing behind, and the next one is tried. The first
 * pick goes by memory alone, because it is nearly always right and then costs no question; the ones after it look afresh.
 * First without waiting, so that many who want the same few GPUs spread out; at last with waiting, so that nobody is
 * refused what somebody else only held in passing.
 */
export interface Placer {
  /** Answers in their order, up to the first that has no place: who asks for several wants all of them. */
  place(tx: WriteTx, wanted: readonly Wanted[], take: Take): Promise<(Placed | Refused)[]>;
  /** The decision alone. */
  plan(tx: ReadTx, wanted: Wanted): Promise<Decision>;
}
export interface Wanted {
  readonly request: PlacementRequest;
  readonly alternatives: () => Promise<Alternatives>;
}
/**
 * Takes exactly the slots of each pick, or none of its slots and leaves nothing of it behind; answers in their order. It
 * may write down more in the same breath.
 */
export type Take = (
  picks: readonly {
    /** Which of those that are wanted it is for. */
    readonly at: number;
    readonly slotIds: readonly string[];
    readonly request: PlacementRequest;
  }[],
  how: {
    /** Waits for somebody who is busy with one of them; otherwise it counts as gone. */
    readonly wait: boolean;
    /** A host that has been silent for longer is none to take from. */
    readonly lostAfterSeconds: number;
  },
) => Promise<readonly (Reservation | undefined)[]>;
export interface Placed {
  readonly decision: Decision;
  readonly reservation: Reservation;
}
export interface Refused {
  readonly decision: Decision;
  readonly reservation: undefined;
}

export function makePlacer(parts: {
  readonly index: CapacityIndex;
  readonly lostAfterSeconds: () => number;
  readonly candidates: () => number;
  readonly maxRepicks: () => number;
}): Placer {
  const { index } = parts;
  /**
   * Slots that requests of this process are taking, as they saw them. Others do not see that until it is committed, and
   * would all pick the same ones. Only the first picks go by it: whoever is patient asks the rows.
   */
  const inFlight = new Set<string>();
  const isTaking = ({ id, generation }: CandidateSlot) => inFlight.has(`${id} ${generation}`);
  const take = (slot: CandidateSlot) => {
    inFlight.add(`${slot.id} ${slot.generation}`);
    const [oldest] = inFlight;
    if (inFlight.size > maxInFlight && oldest !== undefined) inFlight.delete(oldest);
  };

  /** Hosts as they are remembered. Images come and go without a word, so who must have one is not served from memory. */
  const recall = (request: PlacementRequest): CandidateNode[] =>
    request.image?.mustBeCached ? [] : index.recall(index.suggest(request, parts.candidates()));

  /** A few hosts that are worth a look: from memory while it knows some, otherwise from the rows. */
  async function look(tx: ReadTx, request: PlacementRequest, except: ReadonlySet<string>, remembers: boolean) {
    const lostAfterSeconds = parts.lostAfterSeconds();
    const limit = parts.candidates();
    const suggested = remembers ? index.suggest(request, limit, except) : [];
    // Hosts where a launch failed lately are for when no other fits, and only the rows know whether one does.
    const known = index.recall(suggested).every(isLastResort) ? [] : suggested;
    const whole = request.shape === 'baremetal' || request.gpus >= spanningGpus;
    const ids =
      known.length > 0
        ? known
        : await findFitting(tx, request, { lostAfterSeconds, whole, except: [...except], limit });
    const nodes = ids.length > 0 ? await readCandidates(tx, ids, lostAfterSeconds, request) : [];
    // Who waits changes faster than memory: what is kept is asked of the rows each time.
    index.learn(nodes.map((node) => marked(keptFromNobody(node), isTaking)));
    return { nodes, isLastWord: known.length === 0 };
  }

  async function explain(tx: ReadTx, { request, alternatives }: Wanted): Promise<Decision> {
    const others = await alternatives();
    const nodes = await survey(tx, {
      skus: [request.sku, ...others.skus.map(({ sku }) => sku)],
      request,
      limit: maxSurveyed,
      lostAfterSeconds: parts.lostAfterSeconds(),
    });
    return decide(request, nodes, others);
  }

  /** The best place among these, which nobody else of this process is offered from now on. */
  function choose(
    request: PlacementRequest,
    nodes: readonly CandidateNode[],
    how: { readonly seesAll: boolean; readonly isLastWord: boolean },
  ): Chosen | undefined {
    const decision = decide(request, how.seesAll ? nodes : nodes.map((node) => marked(node, isTaking)));
    if (!decision.chosen || (decision.chosen.launch_failed_at !== undefined && !how.isLastWord)) return undefined;
    const { node_id: nodeId, slot_ids: slotIds } = decision.chosen;
    const node = nodes.find(({ id }) => id === nodeId);
    for (const slot of node?.slots ?? []) if (slotIds.includes(slot.id)) take(slot);
    if (node) index.learn([marked(keptFromNobody(node), isTaking)]);
    return { decision, nodeId, slotIds };
  }

  /** One after the other, each with a look of its own. */
  async function search(tx: WriteTx, wanted: Wanted, at: number, taking: Take): Promise<Placed | Refused> {
    const pick = async (
      { nodes, isLastWord }: Awaited<ReturnType<typeof look>>,
      wait: boolean,
    ): Promise<Placed | undefined> => {
      const chosen = choose(wanted.request, nodes, { seesAll: wait, isLastWord });
      if (!chosen) return undefined;
      const how = { wait, lostAfterSeconds: parts.lostAfterSeconds() };
      const [reservation] = await taking([{ at, slotIds: chosen.slotIds, request: wanted.request }], how);
      if (reservation) return { decision: chosen.decision, reservation };
      index.forget(chosen.nodeId);
      return undefined;
    };
    const tried = new Set<string>();
    for (let picks = 0; picks < parts.maxRepicks(); picks += 1) {
      const seen = await look(tx, wanted.request, tried, true);
      if (seen.isLastWord && seen.nodes.length === 0) break;
      const placed = await pick(seen, false);
      if (placed) return placed;
      for (const node of seen.nodes) if (seen.isLastWord || !isLastResort(node)) tried.add(node.id);
    }
    for (let picks = 0; picks < patientPicks; picks += 1) {
      const seen = await look(tx, wanted.request, new Set(), false);
      if (seen.nodes.length === 0) break;
      const placed = await pick(seen, true);
      if (placed) return placed;
    }
    const decision = await explain(tx, wanted);
    return { decision: { ...decision, outcome: 'refused', chosen: null }, reservation: undefined };
  }

  /** By memory, for all of them at once. Whoever is missing in the answer has to search. */
  async function takeRemembered(wanted: readonly Wanted[], taking: Take): Promise<Map<number, Placed>> {
    const picks = wanted.flatMap(({ request }, at) => {
      const chosen = choose(request, recall(request), { seesAll: false, isLastWord: false });
      return chosen ? [{ at, request, ...chosen }] : [];
    });
    const how = { wait: false, lostAfterSeconds: parts.lostAfterSeconds() };
    const reservations = picks.length > 0 ? await taking(picks, how) : [];
    const placed = new Map<number, Placed>();
    for (const [which, { at, decision, nodeId }] of picks.entries()) {
      const reservation = reservations[which];
      if (reservation) placed.set(at, { decision, reservation });
      else index.forget(nodeId);
    }
    return placed;
  }

  return {
    async place(tx, wanted, taking) {
      const remembered = await takeRemembered(wanted, taking);
      const places: (Placed | Refused)[] = [];
      for (const [at, one] of wanted.entries()) {
        const place = remembered.get(at) ?? (await search(tx, one, at, taking));
        places.push(place);
        if (!place.reservation) break;
      }
      return places;
    },
    async plan(tx, wanted) {
      const { nodes, isLastWord } = await look(tx, wanted.request, new Set(), true);
      const decision = decide(wanted.request, nodes);
      const isBest = decision.chosen && (isLastWord || decision.chosen.launch_failed_at === undefined);
      return isBest ? decision : explain(tx, wanted);
    },
  };
}

interface Chosen {
  readonly decision: Decision;
  readonly nodeId: string;
  readonly slotIds: readonly string[];
}
const isLastResort = ({ launchFailedAt }: CandidateNode): boolean => launchFailedAt !== undefined;
const keptFromNobody = (node: CandidateNode): CandidateNode => ({
  ...node,
  kept: false,
  slots: node.slots.some(({ kept }) => kept) ? node.slots.map(({ kept: _kept, ...slot }) => slot) : node.slots,
});
const marked = (node: CandidateNode, isTaken: (slot: CandidateSlot) => boolean): CandidateNode => ({
  ...node,
  slots: node.slots.map((slot) => (isTaken(slot) ? { ...slot, state: 'reserved' } : slot)),
});
