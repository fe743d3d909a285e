import type { ReadTx, WriteTx } from '../../../kernel/act.ts';
import type { Reservation } from '../slots/slots.ts';
import { type Decision, decide } from './decide.ts';
import { makeInFlight } from './in-flight.ts';
import type { Alternatives, PlacementRequest } from './model.ts';
import { explainRefusal, findCandidates, pickSlots, type SearchParts, searchAndReserve } from './search.ts';

/**
 * Finds slots and reserves them, in the caller's transaction. The index says where to look, the engine chooses, and the rows of
 * the slots decide: a pick of which one slot is gone leaves nothing behind, and the next pick is tried. The first pick uses
 * the index alone, because it is nearly always right and costs no query; later picks read the rows. The first picks do not
 * wait for locks, so that requests for the same few GPUs spread out; the last ones wait, so that a request is not refused
 * slots that another transaction only held for a moment.
 */
export interface Placer {
  /** Answers in the order of the requests, up to the first without slots: a group gets all of its members or none. */
  reserve(tx: WriteTx, wanted: readonly PlacementQuery[], reserveSlots: ReserveSlots): Promise<(Reserved | Refused)[]>;
  /** The decision alone. */
  plan(tx: ReadTx, wanted: PlacementQuery): Promise<Decision>;
}
export interface PlacementQuery {
  readonly request: PlacementRequest;
  readonly alternatives: () => Promise<Alternatives>;
}
/**
 * Reserves all slots of a pick, or none and leaves nothing of it behind; answers in the order of the picks. It may write other
 * rows in the same statement.
 */
export type ReserveSlots = (
  picks: readonly {
    /** The position of its request in the list. */
    readonly at: number;
    readonly slotIds: readonly string[];
    readonly request: PlacementRequest;
  }[],
  how: {
    /** Waits for a transaction that has locked one of the slots; otherwise that slot counts as gone. */
    readonly wait: boolean;
    /** Slots of a host that has been silent for longer are not reserved. */
    readonly lostAfterSeconds: number;
  },
) => Promise<readonly (Reservation | undefined)[]>;
export interface Reserved {
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
  const indexedHosts = (request: PlacementRequest) =>
    request.image?.mustBeCached ? [] : index.get(index.suggest(request, limits.candidates()));

  /** From the index, for all requests in one statement. A request that is missing in the answer has to search. */
  async function reserveFromIndex(
    wanted: readonly PlacementQuery[],
    reserveSlots: ReserveSlots,
  ): Promise<Map<number, Reserved>> {
    const picks = wanted.flatMap(({ request }, at) => {
      const candidates = { nodes: indexedHosts(request), isFromDatabase: false };
      const chosen = pickSlots(parts, request, candidates, { ignoreInFlight: false });
      return chosen ? [{ at, request, ...chosen }] : [];
    });
    const how = { wait: false, lostAfterSeconds: limits.lostAfterSeconds() };
    const reservations = picks.length > 0 ? await reserveSlots(picks, how) : [];
    const reserved = new Map<number, Reserved>();
    for (const [which, { at, decision, nodeId }] of picks.entries()) {
      const reservation = reservations[which];
      if (reservation) reserved.set(at, { decision, reservation });
      else index.remove(nodeId);
    }
    return reserved;
  }

  return {
    async reserve(tx, wanted, reserveSlots) {
      const reservedFromIndex = await reserveFromIndex(wanted, reserveSlots);
      const answers: (Reserved | Refused)[] = [];
      for (const [at, query] of wanted.entries()) {
        const answer = reservedFromIndex.get(at) ?? (await searchAndReserve(tx, parts, query, at, reserveSlots));
        answers.push(answer);
        if (!answer.reservation) break;
      }
      return answers;
    },
    async plan(tx, wanted) {
      const { nodes, isFromDatabase } = await findCandidates(tx, parts, wanted.request, {
        except: new Set(),
        useIndex: true,
      });
      const decision = decide(wanted.request, nodes);
      const isBest = decision.chosen && (isFromDatabase || decision.chosen.launch_failed_at === undefined);
      return isBest ? decision : explainRefusal(tx, parts, wanted);
    },
  };
}
