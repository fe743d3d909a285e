import type { ReadTx, WriteTx } from '../../../kernel/act.ts';
import type { Reservation } from '../slots/slots.ts';
import { type Decision, decide } from './decide.ts';
import { makeInFlight } from './in-flight.ts';
import type { Alternatives, PlacementRequest } from './model.ts';
import { choose, explain, look, type SearchParts, search } from './search.ts';

/**
 * Finds slots and takes them, in the caller's transaction. The index says where to look, the engine chooses, and the rows of
 * the slots decide: a pick of which one slot is gone leaves nothing behind, and the next pick is tried. The first pick uses
 * the index alone, because it is nearly always right and costs no query; later picks read the rows. The first picks do not
 * wait for locks, so that requests for the same few GPUs spread out; the last ones wait, so that a request is not refused
 * slots that another transaction only held for a moment.
 */
export interface Placer {
  /** Answers in the order of the requests, up to the first without slots: a group gets all of its members or none. */
  place(tx: WriteTx, wanted: readonly Wanted[], take: Take): Promise<(Placed | Refused)[]>;
  /** The decision alone. */
  plan(tx: ReadTx, wanted: Wanted): Promise<Decision>;
}
export interface Wanted {
  readonly request: PlacementRequest;
  readonly alternatives: () => Promise<Alternatives>;
}
/**
 * Takes all slots of a pick, or none and leaves nothing of it behind; answers in the order of the picks. It may write other
 * rows in the same statement.
 */
export type Take = (
  picks: readonly {
    /** The position of its request in the list. */
    readonly at: number;
    readonly slotIds: readonly string[];
    readonly request: PlacementRequest;
  }[],
  how: {
    /** Waits for a transaction that has locked one of the slots; otherwise that slot counts as gone. */
    readonly wait: boolean;
    /** Slots of a host that has been silent for longer are not taken. */
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

export function makePlacer(limits: Omit<SearchParts, 'inFlight'>): Placer {
  const { index } = limits;
  const parts: SearchParts = { ...limits, inFlight: makeInFlight() };

  /** Hosts from the index. It does not hear of images that come and go, so a request that must find one is not served from it. */
  const recall = (request: PlacementRequest) =>
    request.image?.mustBeCached ? [] : index.recall(index.suggest(request, limits.candidates()));

  /** From the index, for all requests in one statement. A request that is missing in the answer has to search. */
  async function takeRemembered(wanted: readonly Wanted[], taking: Take): Promise<Map<number, Placed>> {
    const picks = wanted.flatMap(({ request }, at) => {
      const remembered = { nodes: recall(request), isFromDatabase: false };
      const chosen = choose(parts, request, remembered, { ignoreInFlight: false });
      return chosen ? [{ at, request, ...chosen }] : [];
    });
    const how = { wait: false, lostAfterSeconds: limits.lostAfterSeconds() };
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
        const place = remembered.get(at) ?? (await search(tx, parts, one, at, taking));
        places.push(place);
        if (!place.reservation) break;
      }
      return places;
    },
    async plan(tx, wanted) {
      const { nodes, isFromDatabase } = await look(tx, parts, wanted.request, { except: new Set(), useIndex: true });
      const decision = decide(wanted.request, nodes);
      const isBest = decision.chosen && (isFromDatabase || decision.chosen.launch_failed_at === undefined);
      return isBest ? decision : explain(tx, parts, wanted);
    },
  };
}
