import type { ReadTx, WriteTx } from '../../../kernel/act.ts';
import { maxInFlight, maxSurveyed, patientPicks, spanningGpus } from '../facts.ts';
import { type Reservation, reserveSlots } from '../slots.ts';
import { findFitting, readCandidates, survey } from './candidates-store.ts';
import type { CapacityIndex } from './capacity-index.ts';
import { type Decision, decide } from './decide.ts';
import type { Alternatives, CandidateNode, CandidateSlot, PlacementRequest } from './model.ts';

/**
 * Finds a place and takes it, inside the caller's transaction. The index says where to look, the look is fresh, the engine
 * chooses, and the rows of the slots decide: when one of them is gone the pick leaves nothing behind, and the next one is
 * tried. First without waiting, so that many who want the same few GPUs spread out; at last with waiting, so
 * that nobody is refused what somebody else only held in passing.
 */
export interface Placer {
  place(tx: WriteTx, wanted: Wanted & { readonly allocationId: string }): Promise<Placed | Refused>;
  /** The decision alone. */
  plan(tx: ReadTx, wanted: Wanted): Promise<Decision>;
}
export interface Wanted {
  readonly request: PlacementRequest;
  readonly alternatives: () => Promise<Alternatives>;
}
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

  /** A few hosts that are worth a look: from memory while it knows some, otherwise from the rows. */
  async function look(tx: ReadTx, request: PlacementRequest, except: ReadonlySet<string>, remembers: boolean) {
    const lostAfterSeconds = parts.lostAfterSeconds();
    const limit = parts.candidates();
    const known = remembers ? index.suggest(request, limit, except) : [];
    const whole = request.shape === 'baremetal' || request.gpus >= spanningGpus;
    const ids =
      known.length > 0
        ? known
        : await findFitting(tx, request, { lostAfterSeconds, whole, except: [...except], limit });
    const nodes = ids.length > 0 ? await readCandidates(tx, ids, lostAfterSeconds) : [];
    index.learn(nodes.map((node) => marked(node, isTaking)));
    return { nodes, isLastWord: known.length === 0 };
  }

  async function explain(tx: ReadTx, { request, alternatives }: Wanted): Promise<Decision> {
    const others = await alternatives();
    const nodes = await survey(tx, {
      skus: [request.sku, ...others.skus.map(({ sku }) => sku)],
      sku: request.sku,
      region: request.region,
      limit: maxSurveyed,
      lostAfterSeconds: parts.lostAfterSeconds(),
    });
    return decide(request, nodes, others);
  }

  async function pick(
    tx: WriteTx,
    wanted: Wanted & { readonly allocationId: string },
    nodes: readonly CandidateNode[],
    wait: boolean,
  ): Promise<Placed | undefined> {
    const seen = wait ? nodes : nodes.map((node) => marked(node, isTaking));
    const decision = decide(wanted.request, seen);
    if (!decision.chosen) return undefined;
    const { slot_ids: slotIds } = decision.chosen;
    const chosen = nodes.find(({ id }) => id === decision.chosen?.node_id);
    for (const slot of chosen?.slots ?? []) if (slotIds.includes(slot.id)) take(slot);
    if (chosen) index.learn([marked(chosen, isTaking)]);
    const reservation = await reserveSlots(tx, {
      allocationId: wanted.allocationId,
      slotIds,
      wait,
    });
    if (reservation) return { decision, reservation };
    index.forget(decision.chosen.node_id);
    return undefined;
  }

  return {
    async place(tx, wanted) {
      const tried = new Set<string>();
      for (let picks = 0; picks < parts.maxRepicks(); picks += 1) {
        const { nodes, isLastWord } = await look(tx, wanted.request, tried, true);
        if (isLastWord && nodes.length === 0) break;
        const placed = await pick(tx, wanted, nodes, false);
        if (placed) return placed;
        for (const { id } of nodes) tried.add(id);
      }
      for (let picks = 0; picks < patientPicks; picks += 1) {
        const { nodes } = await look(tx, wanted.request, new Set(), false);
        if (nodes.length === 0) break;
        const placed = await pick(tx, wanted, nodes, true);
        if (placed) return placed;
      }
      const decision = await explain(tx, wanted);
      return { decision: { ...decision, outcome: 'refused', chosen: null }, reservation: undefined };
    },
    async plan(tx, wanted) {
      const { nodes } = await look(tx, wanted.request, new Set(), true);
      const decision = decide(wanted.request, nodes);
      return decision.chosen ? decision : explain(tx, wanted);
    },
  };
}

const marked = (node: CandidateNode, isTaken: (slot: CandidateSlot) => boolean): CandidateNode => ({
  ...node,
  slots: node.slots.map((slot) => (isTaken(slot) ? { ...slot, state: 'reserved' } : slot)),
});
