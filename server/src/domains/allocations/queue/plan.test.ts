import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../placement/decide.ts';
import type { CandidateNode, PlacementRequest } from '../placement/model.ts';
import { couldHold, type HostReservation, isKept, planLine, type QueueHost, type Waiter } from './plan.ts';

const ask = (gpus: number): PlacementRequest => ({
  ...{ sku: 's', shape: 'gpu_slice', gpus, region: 'r', fabric: false, nvme: false },
});
const host = (id: string, groups: readonly number[]): CandidateNode => ({
  ...{ id, name: id, region: 'r', sku: 's', state: 'active', schedulable: true, reporting: true, images: [] },
  slots: groups.flatMap((size, numa) =>
    Array.from({ length: size }, (_, at) => ({
      ...{ id: `${id}-${numa}-${at}`, index: numa * 16 + at, state: 'available', health: 'healthy', numa },
      ...{ fabric: false, nvme: false },
    })),
  ),
});
const at = (time: number) => new Date(time);

interface Arrival {
  readonly gap: number;
  readonly gpus: number;
  readonly lasts: number;
  /** Whether it said how long it lasts. */
  readonly says: boolean;
}
interface Running {
  readonly endsAt: number;
  readonly declared: boolean;
  readonly slots: readonly string[];
}
/** A fleet on which requests arrive, wait, run and end, as fast as the numbers say and without any clock. */
function simulate(fleet: readonly CandidateNode[], arrivals: readonly Arrival[], ageing: number) {
  const running: Running[] = [];
  let waiting: (Waiter & { readonly lasts: number })[] = [];
  let reservation: HostReservation | undefined;
  const started = new Map<string, number>();
  const asked = new Map<string, { readonly time: number; readonly gpus: number }>();
  const promised = new Map<string, { readonly by: number; readonly nodeId: string }>();
  const look = (time: number): QueueHost[] => {
    const busy = new Map(running.flatMap((one) => one.slots.map((id) => [id, one] as const)));
    for (const one of running) expect(one.endsAt).toBeGreaterThan(time);
    return fleet.map((node) => ({
      node: {
        ...node,
        slots: node.slots.map((slot) => (busy.has(slot.id) ? { ...slot, state: 'in_use' } : slot)),
      },
      ends: new Map(
        node.slots.flatMap(({ id }) => {
          const one = busy.get(id);
          return one?.declared ? [[id, at(one.endsAt)] as const] : [];
        }),
      ),
    }));
  };
  const start = (id: string, time: number, slots: readonly string[], lasts: number, declared: boolean) => {
    const taken = new Set(running.flatMap((one) => one.slots));
    expect(slots.some((slot) => taken.has(slot))).toBe(false);
    running.push({ endsAt: time + lasts, declared, slots });
    started.set(id, time);
  };
  const settle = (time: number) => {
    for (const one of running.filter(({ endsAt }) => endsAt <= time)) running.splice(running.indexOf(one), 1);
    const aged = waiting.filter(({ since }) => time - since.getTime() >= ageing);
    // Who is young comes in any order: here the last goes first, which is the worst for the others.
    const young = waiting.filter((one) => !aged.includes(one)).reverse();
    const plan = planLine({
      now: at(time),
      ageingMs: ageing,
      waiters: [...aged, ...young],
      hosts: look(time),
      reservation,
    });
    for (const { id, slotIds } of plan.starts) {
      const one = waiting.find((each) => each.id === id);
      if (!one) throw new Error('somebody started who did not wait');
      start(id, time, slotIds, one.lasts, one.lastsMs !== undefined);
    }
    waiting = waiting.filter(({ id }) => !started.has(id));
    ({ reservation } = plan);
    if (reservation) {
      // It holds what it needs on one host, and no slot more.
      const { allocationId, nodeId, slotIds } = reservation;
      expect(new Set(slotIds).size).toBe(asked.get(allocationId)?.gpus);
      const own = fleet.find(({ id }) => id === nodeId)?.slots.map(({ id }) => id);
      expect(own).toEqual(expect.arrayContaining([...slotIds]));
    }
    if (reservation?.expectedStartAt && !promised.has(reservation.allocationId)) {
      promised.set(reservation.allocationId, { by: reservation.expectedStartAt.getTime(), nodeId: reservation.nodeId });
    }
  };
  /** Everything that happens until a time, each end and each birthday when it comes. */
  const pass = (from: number, to: number) => {
    for (let time = from; ; ) {
      const next = Math.min(
        ...running.map(({ endsAt }) => endsAt),
        ...waiting.map(({ since }) => since.getTime() + ageing).filter((birthday) => birthday > time),
        Number.POSITIVE_INFINITY,
      );
      if (next > to || next === Number.POSITIVE_INFINITY) break;
      time = next;
      settle(time);
    }
  };
  let time = 0;
  for (const [number, arrival] of arrivals.entries()) {
    pass(time, time + arrival.gap);
    time += arrival.gap;
    const id = `a${number}`;
    asked.set(id, { time, gpus: arrival.gpus });
    const endsAt = arrival.says ? at(time + arrival.lasts) : undefined;
    const line = { waiters: waiting, reservation, now: at(time) };
    const isClosed = (node: CandidateNode, slotIds: readonly string[]) => isKept(node, { endsAt, slotIds }, line);
    const open = look(time).map(({ node }) => ({
      ...node,
      kept: isClosed(node, []),
      slots: node.slots.map((slot) => ({ ...slot, kept: isClosed(node, [slot.id]) })),
    }));
    const { chosen } = decide(ask(arrival.gpus), open);
    if (chosen) start(id, time, chosen.slot_ids, arrival.lasts, arrival.says);
    else {
      const lastsMs = arrival.says ? arrival.lasts : undefined;
      waiting.push({ id, request: ask(arrival.gpus), since: at(time), lastsMs, lasts: arrival.lasts });
      settle(time);
    }
  }
  pass(time, Number.POSITIVE_INFINITY);
  return { asked, started, promised, waiting };
}

const longest = 40;
const arrivals = fc.array(
  fc.record({
    gap: fc.integer({ min: 0, max: 12 }),
    gpus: fc.constantFrom(1, 1, 1, 2, 4, 8),
    lasts: fc.integer({ min: 1, max: longest }),
    says: fc.boolean(),
  }),
  { minLength: 1, maxLength: 120 },
);
const fleets = fc
  .array(fc.constantFrom([4], [4, 4], [2, 2], [1]), { minLength: 1, maxLength: 4 })
  .map((all) => all.map((groups, number) => host(`h${number}`, groups)));

describe('the plan of a line', () => {
  it('lets nobody starve, whatever arrives, as long as what runs ends', () => {
    fc.assert(
      fc.property(fleets, arrivals, fc.integer({ min: 0, max: 60 }), (fleet, all, ageing) => {
        const { asked, started, waiting } = simulate(fleet, all, ageing);
        const fillable = [...asked].filter(([, { gpus }]) =>
          fleet.some((node) => couldHold(ask(gpus), { node, ends: new Map() })),
        );
        for (const [place, [id, { time }]] of fillable.entries()) {
          expect(started.get(id), `${id} never starts`).toBeDefined();
          // Each that waited when it came costs at most the longest time that something runs. Whoever came later costs nothing.
          const ahead = fillable.slice(0, place).filter(([other]) => (started.get(other) ?? 0) > time).length;
          expect(started.get(id)).toBeLessThanOrEqual(time + ageing + (ahead + 1) * longest);
        }
        // What no host could ever hold waits, and holds up nobody.
        expect(waiting.length).toBe(asked.size - fillable.length);
      }),
      { numRuns: 300 },
    );
  });

  it('is not kept waiting by a steady stream of small requests that would never leave a host empty', () => {
    const first = Array.from({ length: 4 }, () => ({ gap: 1, gpus: 1, lasts: longest, says: false }));
    const large = { gap: 1, gpus: 4, lasts: 10, says: false };
    const stream = Array.from({ length: 400 }, () => ({ gap: 5, gpus: 1, lasts: 21, says: false }));
    const { started, asked } = simulate([host('only', [4])], [...first, large, ...stream], 30);
    expect(started.get('a4')).toBeLessThanOrEqual((asked.get('a4')?.time ?? 0) + 30 + longest);
  });

  it('starts a reservation no later than it was first expected to start', () => {
    fc.assert(
      fc.property(fleets, arrivals, fc.integer({ min: 0, max: 60 }), (fleet, all, ageing) => {
        const { started, promised } = simulate(fleet, all, ageing);
        for (const [id, { by }] of promised) expect(started.get(id)).toBeLessThanOrEqual(by);
      }),
      { numRuns: 300 },
    );
  });

  const waiter = (id: string, gpus: number, since = 0, lastsMs?: number): Waiter => ({
    ...{ id, request: ask(gpus), since: at(since), lastsMs },
  });
  const full = (id: string, groups: readonly number[], end?: number): QueueHost => {
    const node = host(id, groups);
    const slots = node.slots.map((slot) => ({ ...slot, state: 'in_use' }));
    const ends = new Map(end === undefined ? [] : slots.map((slot) => [slot.id, at(end)] as const));
    return { node: { ...node, slots }, ends };
  };
  const plan = (waiters: Waiter[], hosts: QueueHost[], reservation?: HostReservation) =>
    planLine({ now: at(100), ageingMs: 50, waiters, hosts, reservation });

  it('reserves for the oldest that has waited long enough the host that comes free first', () => {
    const hosts = [full('slow', [4], 900), full('unknown', [4]), full('soon', [4], 200)];
    expect(plan([waiter('old', 4)], hosts).reservation).toEqual({
      ...{ allocationId: 'old', nodeId: 'soon', expectedStartAt: at(200) },
      slotIds: ['soon-0-0', 'soon-0-1', 'soon-0-2', 'soon-0-3'],
    });
    expect(plan([waiter('young', 4, 90)], hosts).reservation).toBeUndefined();
  });

  it('moves a reservation whose host is gone, and keeps one whose host is only slow', () => {
    const slotIds = ['slow-0-0', 'slow-0-1', 'slow-0-2', 'slow-0-3'];
    const held = { allocationId: 'old', nodeId: 'slow', slotIds, expectedStartAt: at(900) };
    expect(plan([waiter('old', 4)], [full('slow', [4], 900), full('soon', [4], 200)], held).reservation).toEqual(held);
    expect(plan([waiter('old', 4)], [full('soon', [4], 200)], held).reservation?.nodeId).toBe('soon');
    const slow = full('slow', [4], 900);
    const cordoned = { ...slow, node: { ...slow.node, schedulable: false } };
    expect(plan([waiter('old', 4)], [cordoned, full('soon', [4], 200)], held).reservation?.nodeId).toBe('soon');
    expect(plan([], [slow], held).reservation).toBeUndefined();
  });

  it('lets through what ends before the expected start, and nothing else', () => {
    const half = full('host', [4], 200);
    const node = {
      ...half.node,
      slots: half.node.slots.map((slot, n) => (n < 2 ? { ...slot, state: 'available' } : slot)),
    };
    const hosts = [{ ...half, node }];
    const started = (one: Waiter) => plan([waiter('old', 4), one], hosts).starts.map(({ id }) => id);
    expect(started(waiter('short', 1, 90, 100))).toEqual(['short']);
    expect(started(waiter('long', 1, 90, 101))).toEqual([]);
    expect(started(waiter('endless', 1, 90))).toEqual([]);
  });

  it('holds as many slots as it needs and leaves the rest of the host to everybody', () => {
    const busy = full('host', [4, 4], 200);
    const isFree = (id: string) => id === 'host-1-0';
    const node = {
      ...busy.node,
      slots: busy.node.slots.map((slot) => (isFree(slot.id) ? { ...slot, state: 'available' } : slot)),
    };
    const ends = new Map([...busy.ends].filter(([id]) => id.startsWith('host-0')));
    const hosts = [{ node, ends }];
    const line = plan([waiter('old', 2), waiter('endless', 1, 90)], hosts);
    expect(line.reservation).toMatchObject({ allocationId: 'old', slotIds: ['host-0-0', 'host-0-1'] });
    expect(line.starts.map(({ id, slotIds }) => [id, slotIds])).toEqual([['endless', ['host-1-0']]]);
    // A newcomer that waits for nothing takes it as well, and what is reserved is kept from it.
    const seen = { waiters: [waiter('old', 2)], reservation: line.reservation, now: at(100) };
    expect(isKept(node, { endsAt: undefined, slotIds: ['host-1-0'] }, seen)).toBe(false);
    expect(isKept(node, { endsAt: undefined, slotIds: ['host-0-0'] }, seen)).toBe(true);
  });

  it('takes other slots of the host when one that it waits for is broken', () => {
    const busy = full('host', [4], 200);
    const held = { allocationId: 'old', nodeId: 'host', slotIds: ['host-0-0', 'host-0-1'], expectedStartAt: at(200) };
    expect(plan([waiter('old', 2)], [busy], held).reservation).toEqual(held);
    const slots = busy.node.slots.map((slot) => (slot.id === 'host-0-0' ? { ...slot, health: 'failed' } : slot));
    const broken = { ...busy, node: { ...busy.node, slots } };
    expect(plan([waiter('old', 2)], [broken], held).reservation?.slotIds).toEqual(['host-0-1', 'host-0-2']);
  });

  it('is not held up by what no host could ever hold', () => {
    const unfillable = Array.from({ length: 50 }, (_, n) => waiter(`never-${n}`, 8, n));
    const free = { node: host('host', [4]), ends: new Map<string, Date>() };
    const { starts, reservation } = plan([...unfillable, waiter('small', 1, 90)], [free]);
    expect(starts.map(({ id }) => id)).toEqual(['small']);
    expect(reservation).toBeUndefined();
  });
});
