import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { redact, sayWhy } from './explain.ts';
import { type CandidateNode, type CandidateSlot, constraintOrder, type PlacementRequest } from './model.ts';

const request: PlacementRequest = {
  ...{ sku: 'h200-slice', shape: 'gpu_slice', gpus: 1, region: 'north' },
  ...{ fabric: true, nvme: true },
};
const slot = (index: number, numa: number, changes: Partial<CandidateSlot> = {}): CandidateSlot => ({
  ...{ id: `s${index}`, index, numa, state: 'available', health: 'healthy', fabric: true, nvme: true },
  ...changes,
});
/** A dual-socket host with eight slots, four on each side. */
const node = (
  id: string,
  changes: Partial<CandidateNode> = {},
  slots: (index: number) => Partial<CandidateSlot> = () => ({}),
): CandidateNode => ({
  ...{ id, name: `host-${id}`, region: 'north', sku: 'h200-slice', state: 'active' },
  ...{ schedulable: true, reporting: true, images: [] },
  slots: Array.from({ length: 8 }, (_, index) => ({
    ...slot(index, index < 4 ? 0 : 1, slots(index)),
    id: `${id}-${index}`,
  })),
  ...changes,
});
const taken =
  (...indexes: number[]) =>
  (index: number) =>
    indexes.includes(index) ? { state: 'in_use' } : {};

const arbitrarySlot = fc.record({
  state: fc.constantFrom('available', 'available', 'available', 'in_use', 'reserved', 'cleaning', 'quarantined'),
  health: fc.constantFrom('healthy', 'healthy', 'healthy', 'failed'),
  numa: fc.constantFrom(0, 1),
  fabric: fc.constantFrom(true, true, true, false),
  nvme: fc.constantFrom(true, true, true, false),
});
const arbitraryNode = fc
  .record({
    slots: fc.array(arbitrarySlot, { minLength: 0, maxLength: 8 }),
    region: fc.constantFrom('north', 'north', 'south'),
    state: fc.constantFrom('active', 'active', 'active', 'draining'),
    schedulable: fc.constantFrom(true, true, true, false),
    reporting: fc.constantFrom(true, true, true, false),
    images: fc.subarray(['image-1', 'image-2']),
    failed: fc.constantFrom(false, false, true),
  })
  .map(({ slots, failed, ...rest }) => ({
    ...rest,
    ...(failed && { launchFailedAt: '2026-11-15T12:00:00.000Z' }),
    slots: slots.map((each, index) => ({ ...each, index, id: '' })),
  }));
const arbitraryFleet = fc.array(arbitraryNode, { maxLength: 6 }).map((nodes) =>
  nodes.map(
    (each, at): CandidateNode => ({
      ...each,
      ...{ id: `n${at}`, name: `host-${at}`, sku: 'h200-slice' },
      slots: each.slots.map((one) => ({ ...one, id: `n${at}-${one.index}` })),
    }),
  ),
);
const arbitraryRequest = fc.record({
  sku: fc.constant('h200-slice'),
  shape: fc.constantFrom('gpu_slice' as const, 'gpu_slice' as const, 'baremetal' as const),
  gpus: fc.constantFrom(1, 2, 4, 8),
  region: fc.constant('north'),
  fabric: fc.boolean(),
  nvme: fc.boolean(),
  image: fc.constantFrom(undefined, { id: 'image-1', mustBeCached: true }, { id: 'image-2', mustBeCached: false }),
});

/** Every set of slots of one node, tried one after the other: slow, and written without looking at the engine. */
function bruteForce(wish: PlacementRequest, fleet: readonly CandidateNode[]): boolean {
  return fleet.some((host) => {
    if (host.region !== wish.region || host.sku !== wish.sku) return false;
    if (host.state !== 'active' || !host.schedulable || !host.reporting) return false;
    if (wish.image?.mustBeCached && !host.images.includes(wish.image.id)) return false;
    const good = (one: CandidateSlot) =>
      one.state === 'available' && one.health === 'healthy' && (!wish.fabric || one.fabric) && (!wish.nvme || one.nvme);
    if (wish.shape === 'baremetal') return host.slots.length >= wish.gpus && host.slots.every(good);
    for (let set = 0; set < 2 ** host.slots.length; set += 1) {
      const chosen = host.slots.filter((_, at) => (set >> at) & 1);
      if (chosen.length !== wish.gpus || !chosen.every(good)) continue;
      const isOneGroup = new Set(chosen.map(({ numa }) => numa)).size === 1;
      if (isOneGroup || (wish.gpus >= 8 && wish.gpus === host.slots.length)) return true;
    }
    return false;
  });
}

describe('placement', () => {
  it('finds a place exactly when there is one', () => {
    let [placed, refused] = [0, 0];
    fc.assert(
      fc.property(arbitraryRequest, arbitraryFleet, (wish, fleet) => {
        const feasible = bruteForce(wish, fleet);
        if (feasible) placed += 1;
        else refused += 1;
        expect(decide(wish, fleet).outcome).toBe(feasible ? 'placed' : 'refused');
      }),
      { numRuns: 2_000 },
    );
    // Both answers were asked for, so that neither is right by accident.
    expect(Math.min(placed, refused)).toBeGreaterThan(50);
  });

  it('takes slots of one host that are free and whole, and of one NUMA group unless it takes the host', () => {
    fc.assert(
      fc.property(arbitraryRequest, arbitraryFleet, (wish, fleet) => {
        const { chosen } = decide(wish, fleet);
        if (!chosen) return;
        const host = fleet.find(({ id }) => id === chosen.node_id);
        const slots = (host?.slots ?? []).filter(({ id }) => chosen.slot_ids.includes(id));
        expect(slots).toHaveLength(wish.shape === 'baremetal' ? (host?.slots.length ?? 0) : wish.gpus);
        expect(slots.filter(({ state, health }) => state !== 'available' || health !== 'healthy')).toEqual([]);
        if (wish.fabric) expect(slots.every(({ fabric }) => fabric)).toBe(true);
        if (wish.shape === 'gpu_slice' && wish.gpus < 8) {
          expect(new Set(slots.map(({ numa }) => numa)).size).toBe(1);
          expect(chosen.numa_nodes).toHaveLength(1);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('never gives a slot to two, however many ask one after the other', () => {
    fc.assert(
      fc.property(fc.array(arbitraryRequest, { maxLength: 20 }), arbitraryFleet, (wishes, start) => {
        let fleet = start;
        const given = new Set<string>();
        for (const wish of wishes) {
          const { chosen } = decide(wish, fleet);
          for (const id of chosen?.slot_ids ?? []) {
            expect(given.has(id)).toBe(false);
            given.add(id);
          }
          fleet = fleet.map((host) => ({
            ...host,
            slots: host.slots.map((one) => (given.has(one.id) ? { ...one, state: 'reserved' } : one)),
          }));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps large holes: small requests go where least is left, and a whole host stays whole', () => {
    const fleet = [node('a'), node('b', {}, taken(0, 1, 2)), node('c', {}, taken(0, 1))];
    // The first group of b has one left: it is filled before the pair of c and the empty host are touched.
    expect(decide(request, fleet).chosen).toMatchObject({ node_id: 'b', slot_indexes: [3], group_left: 0 });
    expect(decide({ ...request, gpus: 2 }, fleet).chosen).toMatchObject({ node_id: 'c', slot_indexes: [2, 3] });
    // The group that is free on the busier host, before the empty one.
    expect(decide({ ...request, gpus: 4 }, fleet).chosen).toMatchObject({ node_id: 'b', numa_nodes: [1] });
    expect(decide({ ...request, gpus: 8 }, fleet).chosen).toMatchObject({ node_id: 'a', numa_nodes: [0, 1] });
  });

  it('packs so that nothing which fits by number is refused for its shape', () => {
    let fleet = [node('a'), node('b')];
    for (const gpus of [1, 2, 1, 4, 2, 2, 4]) {
      const { chosen } = decide({ ...request, gpus }, fleet);
      expect(chosen, `${gpus} of 16`).not.toBeNull();
      fleet = fleet.map((host) => ({
        ...host,
        slots: host.slots.map((one) => (chosen?.slot_ids.includes(one.id) ? { ...one, state: 'in_use' } : one)),
      }));
    }
    expect(fleet.flatMap(({ slots }) => slots).filter(({ state }) => state === 'available')).toEqual([]);
  });

  it('prefers a host that has the image, among equals', () => {
    const image = { id: 'image-1', mustBeCached: false };
    const fleet = [node('a'), node('b', { images: ['image-1'] })];
    expect(decide({ ...request, image }, fleet).chosen).toMatchObject({ node_id: 'b', image_cached: true });
    expect(decide(request, fleet).chosen).toMatchObject({ node_id: 'a' });
  });

  it('uses a host where a launch failed lately only when no other fits', () => {
    const launchFailedAt = '2026-11-15T12:00:00.000Z';
    // By packing alone it would go to a: one GPU of its first group is left.
    const failed = node('a', { launchFailedAt }, taken(0, 1, 2));
    const fleet = [failed, node('b'), node('c')];
    expect(decide(request, fleet).chosen?.node_id).toBe('b');
    expect(decide(request, [failed, node('b', { state: 'draining' })])).toMatchObject({
      ...{ outcome: 'placed', feasible: 1, last_resort: 1 },
      chosen: { node_id: 'a', launch_failed_at: launchFailedAt },
    });
    const { launchFailedAt: _, ...recovered } = failed;
    expect(decide(request, [recovered, node('b')]).chosen?.node_id).toBe('a');
  });

  it('goes to the host whose failure is the oldest when a launch failed on all of them', () => {
    const fleet = [
      node('a', { launchFailedAt: '2026-11-15T12:05:00.000Z' }, taken(0, 1, 2)),
      node('b', { launchFailedAt: '2026-11-15T12:00:00.000Z' }),
    ];
    expect(decide(request, fleet).chosen?.node_id).toBe('b');
  });

  it('gives the same answer to the same question, in whatever order the hosts come', () => {
    fc.assert(
      fc.property(arbitraryRequest, arbitraryFleet, (wish, fleet) => {
        expect(decide(wish, fleet.toReversed())).toEqual(decide(wish, fleet));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a decision', () => {
  const broken: readonly (readonly [
    string,
    Partial<CandidateNode>,
    (index: number) => Partial<CandidateSlot>,
    object,
  ])[] = [
    ['region', { region: 'south' }, taken(), { need: 'north', have: 'south' }],
    ['sku', { sku: 'other' }, taken(), { need: 'h200-slice', have: 'other' }],
    ['node_state', { state: 'draining' }, taken(), { need: 'active', have: 'draining' }],
    ['schedulable', { schedulable: false }, taken(), { have: 'cordoned' }],
    ['reporting', { reporting: false }, taken(), { have: 'silent' }],
    ['image_cached', {}, taken(), { have: 'not cached' }],
    ['slot_healthy', {}, (index) => (index > 0 ? { health: 'failed' } : {}), { need: 2, have: 1 }],
    ['slot_free', {}, taken(0, 1, 2, 3, 4, 5, 6), { need: 2, have: 1 }],
    ['fabric', {}, (index) => ({ fabric: index === 0 }), { need: 2, have: 1 }],
    ['nvme', {}, (index) => ({ nvme: index === 0 }), { need: 2, have: 1 }],
    ['single_node', { slots: [slot(0, 0)] }, taken(), { need: 2, have: 1 }],
    ['single_numa', {}, taken(1, 2, 3, 5, 6, 7), { need: 2, have: 1 }],
    ['kept', { kept: true }, taken(), { have: 'kept for requests that wait' }],
  ];
  it.each(broken)(
    'names %s as the reason, with what was needed and what was there',
    (constraint, changes, slots, counts) => {
      const wish = {
        ...request,
        gpus: 2,
        ...(constraint === 'image_cached' && { image: { id: 'image-1', mustBeCached: true } }),
      };
      const decision = decide(wish, [node('a', changes, slots)]);
      expect(decision).toMatchObject({
        outcome: 'refused',
        reasons: [{ constraint, nodes: 1 }],
        candidates: [{ constraint, node_id: 'a', ...counts }],
        nearest_miss: { constraint },
      });
    },
  );
  it('has a reason for every constraint there is', () => {
    expect(broken.map(([constraint]) => constraint)).toEqual(constraintOrder);
  });

  it('says whose host came nearest, and what would fit', () => {
    const fleet = [
      node('a', {}, taken(1, 2, 3, 5, 6, 7)),
      node('b', {}, taken(0, 1, 2, 3, 4, 5, 6, 7)),
      node('c', { region: 'south' }),
    ];
    const decision = decide({ ...request, gpus: 4 }, fleet, {
      counts: [1, 2, 4, 8],
      skus: [{ sku: 'h200-metal', shape: 'baremetal', fabric: false, nvme: false }],
    });
    expect(decision.nearest_miss).toMatchObject({ node_id: 'a', constraint: 'slot_free', need: 4, have: 2 });
    expect(decision.would_fit).toEqual([
      { change: 'fewer_gpus', gpus: 1 },
      { change: 'other_region', region: 'south' },
      { change: 'wait' },
    ]);
    expect(sayWhy(decision)).toBe(
      '4 × h200-slice in north is not available now; 1 available now, south has it, or join the queue.',
    );
    expect(sayWhy(decision, { isQueued: true })).toBe(
      '4 × h200-slice in north is not available now; 1 available now, south has it.',
    );
  });

  it('does not tell anybody to wait for what would never fit', () => {
    const sick = node('a', {}, () => ({ health: 'failed' }));
    expect(decide(request, [sick]).would_fit).toEqual([]);
    expect(sayWhy(decide(request, []))).toBe('There is no h200-slice capacity in north.');
  });

  it('says which hosts come last because a launch failed there', () => {
    const launchFailedAt = '2026-11-15T12:00:00.000Z';
    const avoiding = decide(request, [node('a', { launchFailedAt }), node('b')]);
    expect(avoiding.candidates).toMatchObject([
      { node_id: 'b', constraint: null },
      { node_id: 'a', constraint: null, launch_failed_at: launchFailedAt },
    ]);
    expect(avoiding.candidates[0]).not.toHaveProperty('launch_failed_at');
    expect(redact(avoiding).reasons).toEqual([
      {
        ...{ constraint: 'launch_failed', nodes: 1 },
        message: '1 host is avoided while others fit: a launch failed there recently.',
      },
    ]);
    expect(redact(decide(request, [node('a', { launchFailedAt })])).reasons).toEqual([
      {
        ...{ constraint: 'launch_failed', nodes: 1 },
        message: 'A launch failed recently on the host that was chosen; no other host fits.',
      },
    ]);
  });

  it('names at most fifty hosts and counts the rest', () => {
    const fleet = Array.from({ length: 70 }, (_, at) => node(`n${at}`, { state: 'draining' }));
    const decision = decide(request, fleet);
    expect(decision).toMatchObject({ considered: 70, omitted: 20, reasons: [{ constraint: 'node_state', nodes: 70 }] });
    expect(decision.candidates).toHaveLength(50);
  });

  it('tells a tenant counts and reasons, and nothing about hosts', () => {
    fc.assert(
      fc.property(arbitraryRequest, arbitraryFleet, (wish, fleet) => {
        const shown = JSON.stringify(redact(decide(wish, fleet)));
        for (const { id, name } of fleet) {
          expect(shown).not.toContain(name);
          expect(shown).not.toContain(`"${id}`);
        }
      }),
      { numRuns: 300 },
    );
    expect(redact(decide({ ...request, gpus: 2 }, [node('a', {}, taken(1, 2, 3, 5, 6, 7))]))).toMatchObject({
      reasons: [{ message: '1 host is with enough free GPUs, but not in one NUMA group.' }],
      nearest_miss: { message: expect.stringContaining('2 needed, 1 there') },
    });
  });
});
