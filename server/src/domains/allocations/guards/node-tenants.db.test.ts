import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { makeTestClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { asSystem } from '../../../testing/world.ts';
import { makeDrains, makeRemovals, type NodeTenants } from '../../nodes/index.ts';
import { type Bench, openBench, type TestAllocation } from '../sagas/testing.ts';
import { moveSlots } from '../slots/slots.ts';
import { openYard, type Yard } from '../testing.ts';
import { makeGuards } from './guards.ts';
import { makeNodeTenants } from './node-tenants.ts';

let yard: Yard;
let bench: Bench;
let tenants: NodeTenants;
let drains: Reconciler;
const clock = makeTestClock(new Date());
const never = new AbortController().signal;
beforeAll(async () => {
  yard = await openYard();
  bench = await openBench(yard);
  const db = yard.port.database;
  const begin = actsOf('nodes', systemIds);
  const guards = makeGuards({
    ...bench.parts,
    ...{ db, begin, ids: systemIds, clock, log: silentLog, metrics: makeMetrics('test', '0.0.0') },
    policies: {
      maxReleaseAttempts: () => 3,
      lostAfterSeconds: () => 600,
      reportSeconds: () => 45,
      idlePercent: () => 5,
      idleGraceMinutes: () => 15,
    },
  });
  tenants = makeNodeTenants({ db, begin, ids: systemIds, maxReleaseAttempts: () => 3, release: guards.release });
  drains = makeDrains({ db, begin, ids: systemIds, clock, log: silentLog, moveSlots, tenants });
});
beforeEach(() => yard.removeNodes());
afterAll(async () => {
  await bench.close();
  await yard.close();
});

const inAnHour = () => new Date(clock.now().getTime() + 3_600_000);
const drain = (nodeId: string, deadline: Date) =>
  asSystem(
    yard.root,
    `update nodes set state = 'draining', drain_deadline_at = $2, version = version + 1 where id = $1`,
    [nodeId, deadline],
  );
const stateOf = async (nodeId: string) =>
  (await yard.root.query('select state from nodes where id = $1', [nodeId])).rows[0].state as string;
const moveTo = (allocation: TestAllocation, state: string) =>
  asSystem(yard.root, 'update allocations set state = $2, version = version + 1 where id = $1', [allocation.id, state]);
/** What a proven release leaves behind. */
async function leave(allocation: TestAllocation): Promise<void> {
  await asSystem(
    yard.root,
    `update slots set state = 'cleaning', version = version + 1 where allocation_id = $1 and state <> 'cleaning'`,
    [allocation.id],
  );
  await asSystem(
    yard.root,
    `update slots set state = 'available', allocation_id = null, version = version + 1 where allocation_id = $1`,
    [allocation.id],
  );
  await moveTo(allocation, 'released');
}

describe('those who rent from a node that is drained', () => {
  it('are told once for each deadline, on their timeline and by an event', async () => {
    const allocation = await bench.allocation({ state: 'active' });
    const [first, later] = [inAnHour().toISOString(), new Date(inAnHour().getTime() + 1).toISOString()];
    for (const at of [first, first, later]) expect(await tenants.notify(allocation.nodeId, at)).toBe(1);
    const { rows } = await yard.root.query(
      `select detail from allocation_timeline where allocation_id = $1 and name = 'drain_notice' order by id`,
      [allocation.id],
    );
    expect(rows).toEqual([{ detail: { deadline_at: first } }, { detail: { deadline_at: later } }]);
    expect((await allocation.look()).events).toEqual(['provisioning.drain_notice', 'provisioning.drain_notice']);
  });

  it('are told once that a drain was called off, and only if they were told of it', async () => {
    const [told, untold] = [await bench.allocation({ state: 'active' }), await bench.allocation({ state: 'active' })];
    const at = inAnHour().toISOString();
    await tenants.notify(told.nodeId, at);
    for (const { nodeId } of [told, told, untold]) await tenants.callOff(nodeId);
    expect((await told.look()).events).toEqual(['provisioning.drain_notice', 'provisioning.drain_called_off']);
    expect((await untold.look()).events).toEqual([]);
    // Asked for once more with the same deadline, it is news again.
    await tenants.notify(told.nodeId, at);
    expect((await told.look()).events).toHaveLength(3);
  });

  it('stay until the deadline, and are then released; the node is retired when the last has left', async () => {
    const allocation = await bench.allocation({ state: 'active' });
    await drain(allocation.nodeId, inAnHour());
    await drains.round(never);
    expect([(await allocation.look()).state, await stateOf(allocation.nodeId)]).toEqual(['active', 'draining']);
    await clock.advance(3_600_000);
    for (const _ of ['first', 'again']) await drains.round(never);
    expect(await allocation.look()).toMatchObject({
      state: 'releasing',
      events: ['provisioning.releasing.requested'],
    });
    const { rows } = await yard.root.query('select release_reason from allocations where id = $1', [allocation.id]);
    expect(rows).toEqual([{ release_reason: 'drain' }]);
    expect(await stateOf(allocation.nodeId)).toBe('draining');
    await leave(allocation);
    await drains.round(never);
    expect(await stateOf(allocation.nodeId)).toBe('retired');
    expect((await allocation.look()).slots).toEqual({ disabled: 8 });
  });

  it('and could not leave are made to, until nobody tries any more; the node is not retired from under them', async () => {
    const allocation = await bench.allocation({ state: 'releasing' });
    await drain(allocation.nodeId, clock.now());
    await moveTo(allocation, 'release_failed');
    await drains.round(never);
    expect((await allocation.look()).state).toBe('releasing');
    const { rows } = await yard.root.query(
      `select envelope -> 'payload' -> 'forced' as forced from outbox_events where key = $1`,
      [allocation.id],
    );
    expect(rows).toEqual([{ forced: true }]);
    await moveTo(allocation, 'release_failed');
    await asSystem(yard.root, 'update allocations set release_attempts = 3, version = version + 1 where id = $1', [
      allocation.id,
    ]);
    await drains.round(never);
    expect([(await allocation.look()).state, await stateOf(allocation.nodeId)]).toEqual(['release_failed', 'draining']);
  });

  it('and left before the deadline are not waited for', async () => {
    const allocation = await bench.allocation({ state: 'active' });
    await drain(allocation.nodeId, inAnHour());
    await moveTo(allocation, 'releasing');
    await leave(allocation);
    await drains.round(never);
    expect(await stateOf(allocation.nodeId)).toBe('retired');
  });
});

describe('a node whose removal waits', () => {
  it('is tried again when nothing is held there any more, and not before', async () => {
    const allocation = await bench.allocation({ state: 'releasing' });
    for (const state of ['retired', 'removing']) {
      await asSystem(yard.root, 'update nodes set state = $2, version = version + 1 where id = $1', [
        allocation.nodeId,
        state,
      ]);
    }
    const begun: string[] = [];
    const removals = makeRemovals({
      db: yard.port.database,
      ids: systemIds,
      begin: async (_, { nodeId }) => void begun.push(nodeId),
    });
    await removals.round(never);
    expect(begun).toEqual([]);
    await leave(allocation);
    await removals.round(never);
    expect(begun).toEqual([allocation.nodeId]);
  });
});
