import { type Decision, decide } from '../placement/decide.ts';
import { fitOn, isMiss } from '../placement/fit.ts';
import type { CandidateNode, PlacementRequest } from '../placement/model.ts';

/**
 * The queue decides as placement does: a pure function of who waits, what the hosts look like and when they come free. It
 * plans one line, which is what is sold of one SKU in one region; lines never wait for each other.
 *
 * - Who waits is looked at in order. Who fits starts, on any host that is not kept for somebody else.
 * - The first that has waited for the ageing time and fits nowhere reserves a host: the one that is expected to come free
 *   for it first. A host has one reservation, and so has a line.
 * - Others use a reserved host only if they end before the reservation is expected to start (backfill).
 * - A reservation stays where it is while its host can still come free for it, and moves when that cannot happen any more.
 *
 * So nobody waits for ever while running allocations end: the oldest request that some host could hold has a host that
 * nobody new keeps busy beyond its expected start; when it has started, the next one is the oldest.
 */
export interface Waiter {
  readonly id: string;
  readonly request: PlacementRequest;
  readonly since: Date;
  /** Hosts that it is not placed on: its launch has failed there. */
  readonly except?: ReadonlySet<string>;
  /** From its start to its end, where it said so; with what it takes to start it. */
  readonly lastsMs: number | undefined;
}
export interface QueueHost {
  readonly node: CandidateNode;
  /** When occupied slots are expected to come free, by slot. A slot that is not named ends nobody knows when. */
  readonly ends: ReadonlyMap<string, Date>;
}
export interface HostReservation {
  readonly allocationId: string;
  readonly nodeId: string;
  /** Undefined where the host runs something that has no declared end. */
  readonly expectedStartAt: Date | undefined;
}
export interface Line {
  readonly now: Date;
  readonly ageingMs: number;
  /** In the order in which they are served. */
  readonly waiters: readonly Waiter[];
  readonly hosts: readonly QueueHost[];
  readonly reservation: HostReservation | undefined;
}
export interface LinePlan {
  readonly starts: readonly {
    readonly id: string;
    readonly nodeId: string;
    readonly slotIds: readonly string[];
    readonly decision: Decision;
  }[];
  readonly reservation: HostReservation | undefined;
}

export function planLine({ now, ageingMs, waiters, hosts: given, reservation: held }: Line): LinePlan {
  const hosts = new Map(given.map((host) => [host.node.id, host]));
  const starts: LinePlan['starts'][number][] = [];
  const hopeless = new Set<string>();
  let reservation = held && stillMeets(held) ? held : undefined;
  for (const waiter of waiters) {
    // What does not fit for one does not fit for the next of its kind, unless that one may slip in before a reservation.
    const kind = `${waiter.request.gpus} ${waiter.request.image?.id ?? ''} ${[...(waiter.except ?? [])].join(' ')}`;
    const isOwner = reservation?.allocationId === waiter.id;
    if (hopeless.has(kind) && !isOwner && !slipsIn(waiter)) continue;
    const open = [...hosts.values()].filter(
      ({ node }) => !waiter.except?.has(node.id) && (node.id !== reservation?.nodeId || isOwner || slipsIn(waiter)),
    );
    const decision = decide(
      waiter.request,
      open.map(({ node }) => node),
    );
    if (decision.chosen) {
      const { node_id: nodeId, slot_ids: slotIds } = decision.chosen;
      starts.push({ id: waiter.id, nodeId, slotIds, decision });
      occupy(nodeId, slotIds, waiter);
      if (isOwner) reservation = undefined;
      continue;
    }
    hopeless.add(kind);
    const isAged = now.getTime() - waiter.since.getTime() >= ageingMs;
    if (isAged && !reservation) reservation = reserve(waiter);
  }
  return { starts, reservation: reservation && refreshed(reservation) };

  function slipsIn({ lastsMs }: Waiter): boolean {
    const start = reservation?.expectedStartAt;
    return start !== undefined && lastsMs !== undefined && now.getTime() + lastsMs <= start.getTime();
  }
  function occupy(nodeId: string, slotIds: readonly string[], { lastsMs }: Waiter): void {
    const host = hosts.get(nodeId);
    if (!host) return;
    const ends = new Map(host.ends);
    if (lastsMs !== undefined) for (const id of slotIds) ends.set(id, new Date(now.getTime() + lastsMs));
    const slots = host.node.slots.map((slot) => (slotIds.includes(slot.id) ? { ...slot, state: 'reserved' } : slot));
    hosts.set(nodeId, { node: { ...host.node, slots }, ends });
  }
  function reserve({ id, request, except }: Waiter): HostReservation | undefined {
    const [best] = [...hosts.values()]
      .filter((host) => !except?.has(host.node.id) && couldHold(request, host))
      .map((host) => ({ host, at: expectedStart(request, host, now) }))
      .sort(
        (a, b) =>
          (a.at?.getTime() ?? Number.POSITIVE_INFINITY) - (b.at?.getTime() ?? Number.POSITIVE_INFINITY) ||
          endless(a.host) - endless(b.host) ||
          (a.host.node.id < b.host.node.id ? -1 : 1),
      );
    return best && { allocationId: id, nodeId: best.host.node.id, expectedStartAt: best.at };
  }
  function stillMeets({ allocationId, nodeId }: HostReservation): boolean {
    const waiter = waiters.find(({ id }) => id === allocationId);
    const host = hosts.get(nodeId);
    return waiter !== undefined && host !== undefined && !waiter.except?.has(nodeId) && couldHold(waiter.request, host);
  }
  function refreshed(kept: HostReservation): HostReservation {
    const waiter = waiters.find(({ id }) => id === kept.allocationId);
    const host = hosts.get(kept.nodeId);
    return waiter && host ? { ...kept, expectedStartAt: expectedStart(waiter.request, host, now) } : kept;
  }
}

const occupiedStates = new Set(['reserved', 'in_use', 'cleaning']);
const emptied = ({ node, ends }: QueueHost, until?: Date): CandidateNode => ({
  ...node,
  slots: node.slots.map((slot) => {
    const end = ends.get(slot.id);
    const goes = occupiedStates.has(slot.state) && (until === undefined || (end !== undefined && end <= until));
    return goes ? { ...slot, state: 'available' } : slot;
  }),
});
/** Whether the host would hold it if everybody on it were gone. */
export const couldHold = (request: PlacementRequest, host: QueueHost): boolean =>
  !isMiss(fitOn(request, emptied(host)));

/** When the host is expected to have room for it; undefined where that hangs on something without a declared end. */
export function expectedStart(request: PlacementRequest, host: QueueHost, now: Date): Date | undefined {
  if (!isMiss(fitOn(request, host.node))) return now;
  const times = [...new Set([...host.ends.values()].map((end) => Math.max(end.getTime(), now.getTime())))];
  const first = times.sort((a, b) => a - b).find((at) => !isMiss(fitOn(request, emptied(host, new Date(at)))));
  return first === undefined ? undefined : new Date(first);
}
const endless = ({ node, ends }: QueueHost): number =>
  node.slots.filter(({ id, state }) => occupiedStates.has(state) && !ends.has(id)).length;

/**
 * Whether what is free on a host is kept from a newcomer, who ends at a time or nobody knows when. The database asks the
 * same of its rows (`capacity_kept`) in the statement that takes slots.
 */
export function isKept(
  host: CandidateNode,
  newcomer: { readonly endsAt: Date | undefined },
  { waiters, reservation, now }: Pick<Line, 'waiters' | 'reservation' | 'now'>,
): boolean {
  const held = reservation?.nodeId === host.id ? reservation : undefined;
  const isBefore = (end: Date | undefined) =>
    held?.expectedStartAt !== undefined && end !== undefined && end <= held.expectedStartAt;
  if (held && !isBefore(newcomer.endsAt)) return true;
  return waiters.some((waiter) => {
    if (waiter.except?.has(host.id) || isMiss(fitOn(waiter.request, host))) return false;
    const end = waiter.lastsMs === undefined ? undefined : new Date(now.getTime() + waiter.lastsMs);
    return !held || held.allocationId === waiter.id || isBefore(end);
  });
}
