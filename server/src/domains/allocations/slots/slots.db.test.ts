import { edges, slotMachine } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem } from '../../../testing/world.ts';
import { updateFacts } from '../life/machine.ts';
import { openYard, sliceSku, testRegion, type Yard } from '../testing.ts';
import { claimSlots, moveSlots, reserveSlots, type SlotState, type SlotTransition } from './slots.ts';

const transitions = [
  ...new Set(edges(slotMachine).map(({ transition }) => transition as SlotTransition | 'reserve')),
].filter((transition) => transition !== 'reserve');
const cells = (Object.keys(slotMachine.states) as SlotState[]).flatMap((state) =>
  transitions.map((transition) => ({
    state,
    transition,
    to: (slotMachine.states as Record<string, Record<string, string>>)[state]?.[transition],
  })),
);

let yard: Yard;
beforeAll(async () => {
  yard = await openYard();
});
afterAll(() => yard.close());

const write = <T>(work: (tx: WriteTx) => Promise<T | Fault>) =>
  yard.port.database.write(yard.act(), async (tx) => {
    const value = await work(tx);
    if (value instanceof Fault) return tx.abandon(value);
    return tx.commit(value as T, { target: { type: 'slot', id: 'test' }, events: 'none' });
  });
async function allocation(state = 'requested'): Promise<string> {
  const id = systemIds.next();
  const { id: nodeId } = await yard.addNode({ groups: [1] });
  await asSystem(
    yard.root,
    `insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku, capacity_shape,
       gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model)
     values ($1, $2, $3, 'a test', 'tester', 'reserved', $4, 'gpu_slice', 1, $5, 450, 'USD', $6, 0, 'user-revoke')`,
    [id, yard.organizationId, yard.projectId, sliceSku, testRegion, nodeId],
  );
  if (state === 'released') {
    await asSystem(
      yard.root,
      `update allocations set state = 'released', version = version + 1, placement_status = 'freed' where id = $1`,
      [id],
    );
  }
  return id;
}
const take = (slotIds: readonly string[], allocationId: string, wait = true, newcomer?: object) =>
  write(async (tx) => {
    const reservation = await reserveSlots(tx, {
      ...{ allocationId, slotIds, wait, lostAfterSeconds: 3_600, newcomer },
    });
    if (!reservation) return new Fault('sku_unavailable', 'gone');
    await claimSlots(tx, {
      ...reservation,
      ...{ ids: systemIds, allocationId, organizationId: yard.organizationId, kind: 'slot' },
    });
    // The lease of an allocation has the generation of its slots.
    await updateFacts(tx, allocationId, { nodeId: reservation.nodeId, generation: reservation.generation });
    return reservation;
  });
const stored = async (slotIds: readonly string[]) =>
  (
    await yard.root.query(
      `select s.state, s.version::int, s.generation::int, s.allocation_id,
         (select count(*)::int from allocation_claims c where c.slot_id = s.id and c.freed_at is null) as claims
       from slots s where s.id = any ($1) order by s.slot_index`,
      [slotIds],
    )
  ).rows as { state: string; version: number; generation: number; allocation_id: string | null; claims: number }[];

describe('a slot', () => {
  it.each(cells)('that is $state goes to $to by $transition', async ({ state, transition, to }) => {
    const { slots } = await yard.addNode({ groups: [1] });
    // Its holder is gone, so that an operator may clear it whatever happened.
    const holder = await allocation('released');
    const ways: Record<SlotState, (SlotTransition | 'reserve')[]> = {
      disabled: ['disable'],
      available: [],
      reserved: ['reserve'],
      in_use: ['reserve', 'use'],
      cleaning: ['reserve', 'clean'],
      cleanup_blocked: ['reserve', 'block'],
      quarantined: ['quarantine'],
    };
    for (const step of ways[state]) {
      const done =
        step === 'reserve' ? await take(slots, holder) : await write((tx) => moveSlots(tx, { slotIds: slots }, step));
      expect(done).not.toBeInstanceOf(Fault);
    }
    const [before] = await stored(slots);
    expect(before?.state).toBe(state);
    // What an operator clears without proof of its wipe is cleared by decision.
    const decided = transition === 'clear' ? { reason: 'looked', waivedBy: systemIds.next() } : {};
    const outcome = await write((tx) => moveSlots(tx, { slotIds: slots }, transition, decided));
    const isThere = (Object.values(slotMachine.states) as Record<string, string>[]).some(
      (out) => out[transition] === state,
    );
    if (to === undefined && isThere) {
      expect(outcome).toMatchObject({ value: { to: state, slots: [] } });
      expect((await stored(slots))[0]).toEqual(before);
      return;
    }
    if (to === undefined) {
      expect(outcome).toMatchObject({ code: 'illegal_transition' });
      expect((await stored(slots))[0]).toEqual(before);
      return;
    }
    expect(outcome).toMatchObject({ value: { to, slots: [{ id: slots[0], from: state }] } });
    const free = to === 'available' || to === 'disabled';
    expect((await stored(slots))[0]).toMatchObject({ state: to, version: (before?.version ?? 0) + 1 });
    if (free) expect((await stored(slots))[0]).toMatchObject({ allocation_id: null, claims: 0 });
  });

  it('is reserved with all others of its lease under one generation that none of them has seen', async () => {
    const { slots } = await yard.addNode({ groups: [2] });
    const [first = ''] = slots;
    await take([first], await allocation());
    await write((tx) => moveSlots(tx, { slotIds: [first] }, 'free'));
    const holder = await allocation();
    expect(await take(slots, holder)).toMatchObject({ value: { generation: 2 } });
    expect(await stored(slots)).toMatchObject([
      { state: 'reserved', generation: 2, allocation_id: holder, claims: 1 },
      { state: 'reserved', generation: 2, allocation_id: holder, claims: 1 },
    ]);
  });

  it('is taken by one of many who want it, and those who want more get nothing at all', async () => {
    const { slots } = await yard.addNode({ groups: [4] });
    const [, second = '', third = ''] = slots;
    const holders: string[] = [];
    while (holders.length < 12) holders.push(await allocation());
    const wishes = holders.map((_, at) => (at % 2 === 0 ? [second, third] : [third]));
    const outcomes = await Promise.all(holders.map((holder, at) => take(wishes[at] ?? [], holder)));
    expect(outcomes.filter((outcome) => !(outcome instanceof Fault))).toHaveLength(1);
    const rows = await stored(slots);
    const held = rows.filter(({ state }) => state === 'reserved');
    expect(new Set(held.map(({ allocation_id }) => allocation_id)).size).toBe(1);
    expect(rows.filter(({ claims }) => claims > 1)).toEqual([]);
  });

  it('is not taken on a host that takes no work, nor when it is sick', async () => {
    const cordoned = await yard.addNode({ groups: [1], schedulable: false });
    expect(await take(cordoned.slots, await allocation())).toMatchObject({ code: 'sku_unavailable' });
    const sick = await yard.addNode({ groups: [1] });
    await asSystem(yard.root, `update slots set health_state = 'failed', version = version + 1 where node_id = $1`, [
      sick.id,
    ]);
    expect(await take(sick.slots, await allocation(), false)).toMatchObject({ code: 'sku_unavailable' });
  });

  it.each([[true], [false]])('is not taken on a silent host, whether the caller waits (%s)', async (wait) => {
    const { id, slots } = await yard.addNode({ groups: [1] });
    await asSystem(
      yard.root,
      `update node_reports set reported_at = reported_at - interval '2 hours' where node_id = $1`,
      [id],
    );
    expect(await take(slots, await allocation(), wait)).toMatchObject({ code: 'sku_unavailable' });
  });

  it('that is kept for a request that waits is taken by that request, and by no newcomer', async () => {
    const { id, slots } = await yard.addNode({ groups: [1] });
    const waiting = await allocation();
    await asSystem(
      yard.root,
      `update allocations set placement_status = 'queued', node_id = null, version = version + 1,
         queue_deadline_at = now() + interval '1 hour' where id = $1`,
      [waiting],
    );
    await asSystem(
      yard.root,
      `insert into queue_reservations (allocation_id, node_id, slot_ids, sku, region) values ($1, $2, $3, $4, $5)`,
      [waiting, id, slots, sliceSku, testRegion],
    );
    for (const wait of [true, false]) {
      expect(await take(slots, await allocation(), wait, {})).toMatchObject({ code: 'sku_unavailable' });
    }
    expect(await take(slots, waiting)).toMatchObject({ value: { slotIds: slots } });
  });

  it('that is quarantined under a living allocation is not cleared', async () => {
    const { slots } = await yard.addNode({ groups: [1] });
    await take(slots, await allocation());
    await write((tx) => moveSlots(tx, { slotIds: slots }, 'quarantine', { reason: 'Xid 79' }));
    expect(await write((tx) => moveSlots(tx, { slotIds: slots }, 'clear'))).toMatchObject({
      code: 'illegal_transition',
      details: { slots: [{ held: true }] },
    });
  });

  it('moves with all slots of its allocation, or not at all', async () => {
    const { slots } = await yard.addNode({ groups: [2] });
    const holder = await allocation();
    await take(slots, holder);
    await write((tx) => moveSlots(tx, { slotIds: slots.slice(1) }, 'quarantine'));
    expect(await write((tx) => moveSlots(tx, { allocationId: holder }, 'use'))).toMatchObject({
      code: 'illegal_transition',
    });
    expect((await stored(slots)).map(({ state }) => state)).toEqual(['reserved', 'quarantined']);
  });

  it('that comes free wakes those who wait for capacity', async () => {
    const { slots } = await yard.addNode({ groups: [1] });
    await take(slots, await allocation());
    const woken = Promise.withResolvers<void>();
    const listening = await yard.port.listen('gpuaas_capacity', () => woken.resolve());
    await write((tx) => moveSlots(tx, { slotIds: slots }, 'free'));
    await expect(woken.promise).resolves.toBeUndefined();
    await listening.close();
  });
});
