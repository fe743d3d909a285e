import { env } from 'node:process';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { type AllocationTransition, advanceAllocation } from './life/machine.ts';
import { beginRelease } from './life/release.ts';
import { readCandidates } from './placement/candidates-store.ts';
import { makeCapacityIndex } from './placement/capacity-index.ts';
import { makePlacer } from './placement/placer.ts';
import { makeReserveForNew } from './placement/reserve-for-new.ts';
import { reserveSlots } from './slots/slots.ts';
import { openYard, putAllocation, sliceSku, testRegion, type Yard } from './testing.ts';

/** How many times each race is run. `.ci/run` asks for ten times as many, `npm run prove` for a hundred times. */
const races = Number(env['GPUAAS_RACES'] ?? 100);
const attempts = Number(env['GPUAAS_PLACEMENTS'] ?? 1_000);
const together = 8;
/** How many want the same 32 GPUs. */
const crowd = 500;

let yard: Yard;
beforeAll(async () => {
  yard = await openYard({ poolSize: together });
});
afterAll(() => yard.close());
beforeEach(() => yard.removeNodes());

const now = () => new Date();
const alternatives = async () => ({ counts: [], skus: [] });
const ask = (gpus: number) =>
  ({ sku: sliceSku, shape: 'gpu_slice', gpus, region: testRegion, fabric: true, nvme: true }) as const;
/** Places in one transaction, as a request would take them, without what a request writes beside them. */
async function placeAll(placer: ReturnType<typeof makePlacer>, sizes: readonly number[]): Promise<boolean> {
  const allocations = sizes.map((gpus) => ({
    ...{ id: systemIds.next(), organization_id: yard.organizationId, project_id: yard.projectId, group_id: null },
    ...{ name: 'a race', tags: {}, requested_by: 'tester', sku: sliceSku, capacity_shape: 'gpu_slice' as const },
    ...{ gpu_count: gpus, region: testRegion, profile: null, image_id: null, price_id: null, unit_price_minor: 450n },
    ...{
      currency: 'USD',
      isolation_model: 'user-revoke' as const,
      login: null,
      max_duration_seconds: null,
      max_spend_minor: null,
    },
    ...{ idle_minutes: null, idle_action: null, queue_deadline_at: null, max_attempts: 1 },
  }));
  const written = await yard.port.database.write(yard.act(), async (tx) => {
    const wanted = sizes.map((gpus) => ({ request: ask(gpus), alternatives }));
    const places = await placer.reserve(tx, wanted, makeReserveForNew(tx, systemIds, allocations));
    if (places.some(({ reservation }) => !reservation)) return tx.abandon(new Fault('sku_unavailable', 'nothing'));
    return tx.commit(undefined, { target: { type: 'allocation', id: allocations[0]?.id ?? '' }, events: 'none' });
  });
  return !(written instanceof Fault);
}
const place = (placer: ReturnType<typeof makePlacer>, gpus: number) => placeAll(placer, [gpus]);
/** Each has an index of its own, as each process would, and knows nothing of what the others take. */
const placers = () =>
  Array.from({ length: together }, () =>
    makePlacer({
      index: makeCapacityIndex(),
      lostAfterSeconds: () => 3_600,
      candidates: () => 4,
      maxRepicks: () => 4,
    }),
  );
const booked = async () => {
  const { rows } = await yard.root.query(
    `select count(*)::int as slots, count(distinct s.allocation_id)::int as holders,
       (select count(*)::int from allocation_claims where freed_at is null) as claims,
       (select count(*)::int from (
          select a.id from allocations a join slots t on t.allocation_id = a.id group by a.id, a.gpu_count
          having count(*) <> a.gpu_count or count(distinct (t.node_id, t.numa_node)) > 1) broken) as broken
     from slots s where s.state = 'reserved'`,
  );
  return rows[0] as { slots: number; holders: number; claims: number; broken: number };
};
async function contend(sizes: (at: number) => number, count: number): Promise<number> {
  const hands = placers();
  let next = 0;
  let placed = 0;
  await Promise.all(
    hands.map(async (placer) => {
      for (let at = next++; at < count; at = next++) if (await place(placer, sizes(at))) placed += 1;
    }),
  );
  return placed;
}

describe('many who want the last GPUs', () => {
  it(
    'get exactly as many as there are, and no slot twice',
    async () => {
      let asked = 0;
      while (asked < attempts) {
        await yard.removeNodes();
        for (let nodes = 0; nodes < 4; nodes += 1) await yard.addNode();
        expect(await contend(() => 1, crowd)).toBe(32);
        expect(await booked()).toEqual({ slots: 32, holders: 32, claims: 32, broken: 0 });
        asked += crowd;
      }
    },
    600_000 + attempts * 20,
  );

  it('fill NUMA groups without splitting anybody', async () => {
    for (let nodes = 0; nodes < 4; nodes += 1) await yard.addNode();
    expect(await contend(() => 4, 40)).toBe(8);
    expect(await booked()).toEqual({ slots: 32, holders: 8, claims: 32, broken: 0 });
    await yard.removeNodes();
    for (let nodes = 0; nodes < 4; nodes += 1) await yard.addNode();
    // Twos fill fours without a rest, whoever comes first.
    expect(await contend(() => 2, 40)).toBe(16);
    expect(await booked()).toMatchObject({ slots: 32, broken: 0 });
  }, 120_000);

  it('of different sizes never hold a slot together, and leave nothing that the smallest could have had', async () => {
    for (let nodes = 0; nodes < 4; nodes += 1) await yard.addNode();
    await contend((at) => [1, 2, 4][at % 3] ?? 1, 90);
    expect(await booked()).toMatchObject({ slots: 32, claims: 32, broken: 0 });
  }, 120_000);

  it('are refused what is taken, whatever their index believes', async () => {
    const node = await yard.addNode({ groups: [1] });
    const index = makeCapacityIndex();
    const placer = makePlacer({ index, lostAfterSeconds: () => 3_600, candidates: () => 4, maxRepicks: () => 4 });
    const slots = [
      { id: node.slots[0] ?? '', index: 0, state: 'available', health: 'healthy', numa: 0, fabric: true, nvme: true },
    ];
    const believed = {
      ...{ id: node.id, name: 'x', region: testRegion, sku: sliceSku, state: 'active', schedulable: true },
      ...{ reporting: true, images: [], slots },
    };
    expect(await place(placer, 1)).toBe(true);
    index.update([believed]);
    expect(index.suggest(ask(1), 4)).toEqual([node.id]);
    expect(await place(placer, 1)).toBe(false);
  });

  it('do not take from a host that fell silent since it was last looked at', async () => {
    const node = await yard.addNode({ groups: [1] });
    const index = makeCapacityIndex();
    const placer = makePlacer({ index, lostAfterSeconds: () => 3_600, candidates: () => 4, maxRepicks: () => 4 });
    const remembered = await yard.port.database.read(yard.act(), (tx) => readCandidates(tx, [node.id], 3_600));
    await yard.root.query(`update node_reports set reported_at = now() - interval '2 hours' where node_id = $1`, [
      node.id,
    ]);
    index.update(remembered);
    expect(index.suggest(ask(1), 4)).toEqual([node.id]);
    expect(await place(placer, 1)).toBe(false);
    await yard.root.query('update node_reports set reported_at = now() where node_id = $1', [node.id]);
    expect(await place(placer, 1)).toBe(true);
  });

  it('together get all of it or nothing, also when memory knows less than the rows', async () => {
    const full = await yard.addNode({ groups: [2] });
    const index = makeCapacityIndex();
    const placer = makePlacer({ index, lostAfterSeconds: () => 3_600, candidates: () => 4, maxRepicks: () => 4 });
    const look = () => yard.port.database.read(yard.act(), (tx) => readCandidates(tx, [full.id], 3_600));
    index.update(await look());
    expect(await placeAll(placer, [2, 1])).toBe(false);
    expect(await booked()).toMatchObject({ slots: 0, claims: 0 });
    await yard.addNode({ groups: [2] });
    // The first goes by memory, the second is found by a look.
    index.update(await look());
    expect(await placeAll(placer, [2, 1, 1])).toBe(true);
    expect(await booked()).toEqual({ slots: 4, holders: 3, claims: 4, broken: 0 });
  });
});

describe('release, forced release, expiry and the loss of a node', () => {
  const end = (id: string, forced: boolean) => {
    const act = yard.act();
    return yard.port.database.write(act, async (tx) => {
      const left = await beginRelease(tx, id, {
        ...{ ids: systemIds, correlationId: act.correlationId, reason: 'race', forced, maxAttempts: 3 },
        tasks: { takeBack: async () => true, cancelOf: async () => [] },
        endedAt: now(),
      });
      if (!left) return tx.abandon(new Fault('allocation_not_found', 'gone'));
      if (left instanceof Fault) return tx.abandon(left);
      return tx.commit(left.moved, { target: { type: 'allocation', id }, events: left.events });
    });
  };
  const lose = (id: string, transition: AllocationTransition = 'lose') => {
    const act = yard.act();
    return yard.port.database.write(act, async (tx) => {
      const moved = await advanceAllocation(tx, id, transition, {
        ...{ ids: systemIds, correlationId: act.correlationId },
        set: { failureCode: 'node_lost', failureReason: 'race' },
      });
      if (!moved) return tx.abandon(new Fault('allocation_not_found', 'gone'));
      if (moved instanceof Fault) return tx.abandon(moved);
      return tx.commit(moved, { target: { type: 'allocation', id }, events: 'none' });
    });
  };

  it(
    'have one winner each time, and the others are told',
    async () => {
      const winners = new Set<string>();
      for (let race = 0; race < races; race += 1) {
        const id = await putAllocation(yard.root, yard, 'active');
        const runners = [
          { name: 'release', run: () => end(id, false) },
          { name: 'force-release', run: () => end(id, true) },
          { name: 'expiry', run: () => end(id, false) },
          { name: 'node loss', run: () => lose(id) },
        ];
        // Nobody is first by habit.
        const turned = [...runners.slice(race % runners.length), ...runners.slice(0, race % runners.length)];
        const outcomes = await Promise.all(turned.map(({ run }) => run()));
        const won = outcomes.flatMap((outcome, at) => (outcome instanceof Fault ? [] : [turned[at]?.name ?? '']));
        expect(won).toHaveLength(1);
        winners.add(won[0] ?? '');
        for (const fault of outcomes.filter((outcome) => outcome instanceof Fault)) {
          expect(['allocation_already_releasing', 'illegal_transition']).toContain(fault.code);
        }
        const { rows } = await yard.root.query(
          `select (select count(*)::int from allocation_timeline where allocation_id = $1 and kind = 'transition') as moves,
           (select count(*)::int from outbox_events where key = $1::text) as events`,
          [id],
        );
        expect(rows[0]).toEqual({ moves: 1, events: won[0] === 'node loss' ? 0 : 1 });
      }
      // The race is one: different runners win it.
      expect(winners.size).toBeGreaterThan(1);
    },
    600_000 + races * 200,
  );
});

describe('a reservation', () => {
  const anyHost = { lostAfterSeconds: 3_600, newcomer: undefined };
  it('that gets only some of its slots leaves no lock behind', async () => {
    const { slots } = await yard.addNode({ groups: [2] });
    const [first = '', second = ''] = slots;
    const holder = await putAllocation(yard.root, yard);
    const other = await putAllocation(yard.root, yard);
    const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await yard.port.database.write(yard.act(), async (tx) => {
      await reserveSlots(tx, { allocationId: other, slotIds: [second], wait: false, ...anyHost });
      return tx.commit(undefined, { target: { type: 'slot', id: second }, events: 'none' });
    });
    const failing = yard.port.database.write(yard.act(), async (tx) => {
      expect(await reserveSlots(tx, { allocationId: holder, slotIds: slots, wait: false, ...anyHost })).toBeUndefined();
      held.resolve();
      await gate.promise;
      return tx.abandon(new Fault('sku_unavailable', 'gone'));
    });
    await held.promise;
    const quick = await yard.port.database.write(yard.act(), async (tx) => {
      const taken = await reserveSlots(tx, { allocationId: holder, slotIds: [first], wait: false, ...anyHost });
      return tx.commit(taken, { target: { type: 'slot', id: first }, events: 'none' });
    });
    gate.resolve();
    await failing;
    expect(quick).toMatchObject({ value: { slotIds: [first] } });
  });
});
