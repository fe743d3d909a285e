import { type Decision, decide } from '../placement/decide.ts';
import { fitOn, isMiss, without } from '../placement/fit.ts';
import type { CandidateNode, PlacementRequest } from '../placement/model.ts';

/**
 * A pure function, as placement is, of the waiting requests, of the hosts, and of the times at which their slots come free. It
 * plans one line, which is one SKU in one region; lines never wait for each other.
 *
 * - Requests are looked at in order. A request that fits starts, on slots that are not reserved for another request.
 * - The first that has waited for the ageing time and fits nowhere reserves slots on one host, as many as it asked for: those
 *   that are expected to come free for it first. A host has one reservation, and so has a line.
 * - Others use reserved slots only if they end before the reservation is expected to start (backfill). The other slots of the
 *   host are free for everybody.
 * - A reservation keeps its slots while they can still come free for it, and moves when that cannot happen any more.
 *
 * So no request waits for ever while running allocations end: the oldest request that some host could hold has slots that no
 * newer request keeps busy beyond its expected start; when it has started, the next one is the oldest.
 */
export interface Waiter {
  readonly id: string;
  readonly request: PlacementRequest;
  readonly since: Date;
  /** Hosts that it is not placed on: its launch has failed there. */
  readonly except?: ReadonlySet<string>;
  /** Its duration with the time of its launch; undefined when it has no end. */
  readonly lastsMs: number | undefined;
}
export interface QueueHost {
  readonly node: CandidateNode;
  /** When occupied slots are expected to come free, by slot. A slot that is not named has no known end. */
  readonly ends: ReadonlyMap<string, Date>;
}
export interface HostReservation {
  readonly allocationId: string;
  readonly nodeId: string;
  /** As many slots of the host as the request needs. */
  readonly slotIds: readonly string[];
  /** Undefined where one of them is in use without a declared end. */
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
    const open = [...hosts.values()].filter(({ node }) => !waiter.except?.has(node.id)).map(({ node }) => node);
    const decision = decide(waiter.request, isOwner || slipsIn(waiter) ? open : open.map(unreserved));
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

  function unreserved(node: CandidateNode): CandidateNode {
    return node.id === reservation?.nodeId ? without(node, new Set(reservation.slotIds)) : node;
  }
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
    if (!best) return undefined;
    const slotIds = slotsFor(request, best.host, best.at);
    return { allocationId: id, nodeId: best.host.node.id, slotIds, expectedStartAt: best.at };
  }
  function stillMeets({ allocationId, nodeId, slotIds }: HostReservation): boolean {
    const waiter = waiters.find(({ id }) => id === allocationId);
    const host = hosts.get(nodeId);
    if (!waiter || !host || waiter.except?.has(nodeId)) return false;
    return couldHold(waiter.request, onlySlots(host, slotIds));
  }
  function refreshed(kept: HostReservation): HostReservation {
    const waiter = waiters.find(({ id }) => id === kept.allocationId);
    const host = hosts.get(kept.nodeId);
    if (!waiter || !host) return kept;
    return { ...kept, expectedStartAt: expectedStart(waiter.request, onlySlots(host, kept.slotIds), now) };
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

/**
 * The slots of the host that it waits for: those that are free at its expected start. Where that is not known, those that are
 * free or end at a known time come before those that end nobody knows when.
 */
function slotsFor(request: PlacementRequest, host: QueueHost, at: Date | undefined): string[] {
  const node = emptied(host, at);
  const isEndless = ({ id }: { readonly id: string }) =>
    occupiedStates.has(host.node.slots.find((slot) => slot.id === id)?.state ?? '') && !host.ends.has(id) ? 1 : 0;
  const slots = node.slots.toSorted((a, b) => isEndless(a) - isEndless(b));
  const found = fitOn(request, { ...node, slots });
  return isMiss(found) ? [] : found.slots.map(({ id }) => id);
}
/** The host as if it had these slots alone. */
export const onlySlots = ({ node, ends }: QueueHost, slotIds: readonly string[]): QueueHost => ({
  node: { ...node, slots: node.slots.filter(({ id }) => slotIds.includes(id)) },
  ends: new Map([...ends].filter(([id]) => slotIds.includes(id))),
});

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
 * Whether free slots of a host are kept from a newcomer, who ends at a time or nobody knows when: some of them are reserved,
 * or a request that waits would fit on the host now. The database asks the same of its rows (`capacity_kept`) in the
 * statement that takes slots.
 */
export function isKept(
  host: CandidateNode,
  newcomer: { readonly endsAt: Date | undefined; readonly slotIds: readonly string[] },
  { waiters, reservation, now }: Pick<Line, 'waiters' | 'reservation' | 'now'>,
): boolean {
  const held = reservation?.nodeId === host.id ? reservation : undefined;
  const isBefore = (end: Date | undefined) =>
    held?.expectedStartAt !== undefined && end !== undefined && end <= held.expectedStartAt;
  const reserved = new Set(held?.slotIds);
  if (newcomer.slotIds.some((id) => reserved.has(id)) && !isBefore(newcomer.endsAt)) return true;
  const rest = without(host, reserved);
  return waiters.some((waiter) => {
    if (waiter.except?.has(host.id)) return false;
    const end = waiter.lastsMs === undefined ? undefined : new Date(now.getTime() + waiter.lastsMs);
    const seesAll = held?.allocationId === waiter.id || isBefore(end);
    return !isMiss(fitOn(waiter.request, seesAll ? host : rest));
  });
}
