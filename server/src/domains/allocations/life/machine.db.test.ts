import { allocationMachine, edges } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem } from '../../../testing/world.ts';
import { openYard, sliceSku, testRegion, type Yard } from '../testing.ts';
import { type AllocationFacts, type AllocationTransition, advanceAllocation, noteAllocation } from './machine.ts';

const transitions = [...new Set(edges(allocationMachine).map(({ transition }) => transition as AllocationTransition))];
const cells = Object.keys(allocationMachine.states).flatMap((state) =>
  transitions.map((transition) => ({
    state,
    transition,
    to: (allocationMachine.states as Record<string, Record<string, string>>)[state]?.[transition],
  })),
);
/** The shortest way from the beginning to each state. */
const ways = new Map<string, AllocationTransition[]>([[allocationMachine.initial, []]]);
for (const [state, way] of ways) {
  for (const { from, to, transition } of edges(allocationMachine)) {
    if (from === state && !ways.has(to)) ways.set(to, [...way, transition as AllocationTransition]);
  }
}
/** What the tables want to know before they believe a state. */
const facts: Partial<Record<string, AllocationFacts>> = {
  failed: { failureCode: 'test', failureReason: 'the test says so' },
};

let yard: Yard;
let nodeId: string;
beforeAll(async () => {
  yard = await openYard();
  nodeId = (await yard.addNode()).id;
});
afterAll(() => yard.close());

async function born(): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    yard.root,
    `insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku, capacity_shape,
       gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model, max_attempts)
     values ($1, $2, $3, 'a test', 'tester', 'reserved', $4, 'gpu_slice', 1, $5, 450, 'USD', $6, 1, 'user-revoke', 3)`,
    [id, yard.organizationId, yard.projectId, sliceSku, testRegion, nodeId],
  );
  return id;
}
const advance = (
  id: string,
  transition: AllocationTransition,
  seen: { seenVersion?: number; seenGeneration?: number } = {},
) => {
  const act = yard.act();
  return yard.port.database.write(act, async (tx) => {
    const to = (Object.values(allocationMachine.states) as Record<string, string>[]).find((out) => out[transition])?.[
      transition
    ];
    const moved = await advanceAllocation(tx, id, transition, {
      ids: systemIds,
      correlationId: act.correlationId,
      detail: { by: 'test' },
      set: facts[to ?? ''] ?? {},
      ...seen,
    });
    if (moved === undefined) return tx.abandon(new Fault('allocation_not_found', 'gone'));
    if (moved instanceof Fault) return tx.abandon(moved);
    return tx.commit(moved, { target: { type: 'allocation', id }, events: 'none' });
  });
};
async function inState(state: string): Promise<string> {
  const id = await born();
  for (const transition of ways.get(state) ?? []) expect(await advance(id, transition)).not.toBeInstanceOf(Fault);
  return id;
}
const stored = async (id: string) => {
  const { rows } = await yard.root.query(
    `select state, version::int, placement_status, active_at is not null as was_active, ended_at is not null as ended
     from allocations where id = $1`,
    [id],
  );
  return rows[0] as { state: string; version: number; placement_status: string; was_active: boolean; ended: boolean };
};
const timeline = async (id: string) =>
  (
    await yard.root.query(
      `select kind, name, from_state, to_state, version::int from allocation_timeline
       where allocation_id = $1 order by id`,
      [id],
    )
  ).rows as { kind: string; name: string; from_state: string; to_state: string; version: number }[];

describe('an allocation', () => {
  it.each(cells)('that is $state goes to $to by $transition', async ({ state, transition, to }) => {
    const id = await inState(state);
    const before = await stored(id);
    const outcome = await advance(id, transition);
    if (to === undefined) {
      expect(outcome).toMatchObject({ code: 'illegal_transition', details: { state } });
      expect(await stored(id)).toEqual(before);
      return;
    }
    expect(outcome).toMatchObject({ value: { from: state, to, version: before.version + 1 } });
    expect(await stored(id)).toMatchObject({ state: to, version: before.version + 1 });
    expect((await timeline(id)).at(-1)).toEqual({
      ...{ kind: 'transition', name: transition, from_state: state, to_state: to, version: before.version + 1 },
    });
  });

  it('is reserved, then leased, then freed', async () => {
    const id = await born();
    const seen = [(await stored(id)).placement_status];
    for (const transition of ['provision', 'activate', 'release', 'prove'] as const) {
      await advance(id, transition);
      seen.push((await stored(id)).placement_status);
    }
    expect(seen).toEqual(['reserved', 'reserved', 'leased', 'leased', 'freed']);
    expect(await stored(id)).toMatchObject({ was_active: true, ended: true });
  });

  it('is moved by one of many who come at once, and has one line for it', async () => {
    const id = await inState('active');
    const before = (await timeline(id)).length;
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => advance(id, 'release')));
    const refused = outcomes.filter((outcome) => outcome instanceof Fault);
    expect(refused).toHaveLength(7);
    for (const fault of refused) expect(fault).toMatchObject({ details: { state: 'releasing' } });
    expect((await timeline(id)).length).toBe(before + 1);
  });

  it('is not moved by somebody who saw an older version or believes in an older lease', async () => {
    const id = await inState('active');
    const { version } = await stored(id);
    expect(await advance(id, 'release', { seenVersion: version - 1 })).toMatchObject({ code: 'version_conflict' });
    expect(await advance(id, 'release', { seenGeneration: 7 })).toMatchObject({
      code: 'version_conflict',
      details: { generation: 1 },
    });
    expect(await advance(id, 'release', { seenVersion: version, seenGeneration: 1 })).toMatchObject({
      value: { to: 'releasing', nodeId, generation: 1, organizationId: yard.organizationId },
    });
  });

  it('keeps notes between its transitions, in their order', async () => {
    const id = await inState('provisioning');
    const act = yard.act();
    await yard.port.database.write(act, async (tx) => {
      const note = { ids: systemIds, correlationId: act.correlationId, kind: 'phase', name: 'image' } as const;
      await noteAllocation(tx, id, { ...note, detail: { percent: 40 } });
      return tx.commit(undefined, { target: { type: 'allocation', id }, events: 'none' });
    });
    await advance(id, 'activate');
    expect((await timeline(id)).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'transition provision',
      'phase image',
      'transition activate',
    ]);
  });
});
