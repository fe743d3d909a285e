import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { makeTestClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { asSystem } from '../../../testing/world.ts';
import { type AllocationPlan, type Bench, openBench, type TestAllocation } from '../sagas/testing.ts';
import { openYard, type Yard } from '../testing.ts';
import { makeGuards } from './guards.ts';
import { makeReattest } from './reattest.ts';

let yard: Yard;
let bench: Bench;
const clock = makeTestClock(new Date());
const metrics = makeMetrics('test', '0.0.0');
const never = new AbortController().signal;
let lostAfterSeconds = 0;
let guards: ReturnType<typeof makeGuards>;
beforeAll(async () => {
  yard = await openYard();
  bench = await openBench(yard);
  guards = makeGuards({
    ...bench.parts,
    db: yard.port.database,
    begin: actsOf('guards', systemIds),
    ids: systemIds,
    clock,
    log: silentLog,
    metrics,
    policies: {
      maxReleaseAttempts: () => 3,
      lostAfterSeconds: () => lostAfterSeconds,
      reportSeconds: () => 45,
      idlePercent: () => 5,
      idleGraceMinutes: () => 15,
    },
  });
});
beforeEach(() => {
  lostAfterSeconds = 0;
  return yard.removeNodes();
});
afterAll(async () => {
  await bench.close();
  await yard.close();
});

const active = (plan: AllocationPlan = {}) => bench.allocation({ state: 'active', ...plan });
const change = (allocation: TestAllocation, column: string, value: unknown) =>
  asSystem(yard.root, `update allocations set ${column} = $2, version = version + 1 where id = $1`, [
    allocation.id,
    value,
  ]);
/** The last word of an allocation's node: what it holds, and how busy its GPUs are. */
const report = (
  allocation: TestAllocation,
  leases: readonly object[],
  busy: number[] | null = null,
  boot: string | null = null,
) =>
  yard.root.query(
    `update node_reports set leases = $2, gpu_utilization = $3, reported_at = $4, boot_id = coalesce($5, boot_id)
     where node_id = $1`,
    [allocation.nodeId, JSON.stringify(leases), busy, new Date(clock.now().getTime() + 1_000), boot],
  );
const leaseOf = (allocation: TestAllocation, state = 'running') => ({
  allocation_id: allocation.id,
  generation: allocation.generation,
  slot_ids: [],
  state,
  deadline_at: null,
});
const minutes = (n: number) => clock.advance(n * 60_000);

describe('an allocation whose time is up', () => {
  it('is released, and one whose time is not up is not', async () => {
    const [due, later, endless] = [await active(), await active(), await active()];
    await change(due, 'expires_at', clock.now());
    await change(later, 'expires_at', new Date(clock.now().getTime() + 60_000));
    expect(await guards.expiry.round(never)).toBe('idle');
    expect((await due.look()).state).toBe('releasing');
    expect((await due.look()).events).toEqual(['provisioning.releasing.requested']);
    expect([(await later.look()).state, (await endless.look()).state]).toEqual(['active', 'active']);
  });
});

describe('an allocation whose node is lost', () => {
  it('goes on however long the silence lasts, and when the node returns it is as it was', async () => {
    const allocation = await active();
    const before = await allocation.look();
    const move = (state: string) =>
      asSystem(yard.root, 'update nodes set state = $2, version = version + 1, updated_at = $3 where id = $1', [
        allocation.nodeId,
        state,
        clock.now(),
      ]);
    await move('offline');
    for (const _ of Array.from({ length: 7 })) {
      await minutes(24 * 60);
      for (const guard of [guards.expiry, guards.lostNodes, guards.idle, guards.drift]) await guard.round(never);
    }
    expect(await allocation.look()).toEqual(before);
    await move('active');
    await report(allocation, [leaseOf(allocation)]);
    for (const guard of [guards.expiry, guards.lostNodes, guards.idle, guards.drift]) await guard.round(never);
    expect(await allocation.look()).toEqual(before);
  });

  it('fails when that has lasted as long as an operator has said', async () => {
    lostAfterSeconds = 600;
    const allocation = await active();
    await asSystem(
      yard.root,
      `update nodes set state = 'offline', version = version + 1, updated_at = $2 where id = $1`,
      [allocation.nodeId, clock.now()],
    );
    await minutes(9);
    await guards.lostNodes.round(never);
    expect((await allocation.look()).state).toBe('active');
    await minutes(1);
    await guards.lostNodes.round(never);
    expect(await allocation.look()).toMatchObject({
      state: 'failed',
      failure: 'node_lost',
      slots: { available: 6, cleaning: 2 },
      events: ['provisioning.failed', 'provisioning.cleanup.requested'],
    });
  });
});

describe('an allocation that does nothing', () => {
  it.each(['release', 'warn'] as const)('is warned about once, and with %s ends as its owner asked', async (action) => {
    const allocation = await active();
    await change(allocation, 'idle_minutes', 30);
    await change(allocation, 'idle_action', action);
    const round = async () => {
      await report(allocation, [leaseOf(allocation)], [0, 5, 90, 90, 90, 90, 90, 90]);
      await guards.idle.round(never);
      return allocation.look();
    };
    await round();
    await minutes(29);
    expect((await round()).events).toEqual([]);
    await minutes(1);
    expect((await round()).events).toEqual(['provisioning.idle']);
    expect((await round()).events).toEqual(['provisioning.idle']);
    await minutes(15);
    expect((await round()).state).toBe(action === 'release' ? 'releasing' : 'active');
  });

  it('is left alone when it does something, or when nobody can tell', async () => {
    const allocation = await active();
    await change(allocation, 'idle_minutes', 1);
    await change(allocation, 'idle_action', 'release');
    for (const busy of [[0, 6], null, [0, 6]]) {
      await report(allocation, [leaseOf(allocation)], busy);
      await guards.idle.round(never);
      await minutes(30);
    }
    expect(await allocation.look()).toMatchObject({ state: 'active', events: [] });
  });
});

describe('what a node reports', () => {
  const alertsOf = async (allocation: TestAllocation) =>
    (
      await yard.root.query(
        `select kind, allocation_id, tenant_message is not null as told from alerts where node_id = $1 and source = 'drift'`,
        [allocation.nodeId],
      )
    ).rows;

  it('never ends a machine by one report: it is missing at once, and gone when the host was started again', async () => {
    const gone = await active();
    await minutes(1);
    const round = async (leases: readonly object[], boot: string | null = null) => {
      await report(gone, leases, null, boot);
      await guards.drift.round(never);
      await minutes(1);
      return { state: (await gone.look()).state, alerts: await alertsOf(gone) };
    };
    const missing = { kind: 'runtime_missing', allocation_id: gone.id, told: true };
    expect(await round([])).toEqual({ state: 'active', alerts: [missing] });
    // However often an agent without its state says so.
    expect(await round([])).toEqual({ state: 'active', alerts: [missing] });
    expect(await round([leaseOf(gone)])).toEqual({ state: 'active', alerts: [] });
    // What was missed before and found since counts no more.
    expect(await round([], systemIds.next())).toEqual({ state: 'active', alerts: [missing] });
    expect(await round([], systemIds.next())).toMatchObject({ state: 'failed' });
    expect(await gone.look()).toMatchObject({ failure: 'runtime_lost' });
  });

  it('is compared: what is gone is missed, what the node ended is released, what is right stays', async () => {
    const [gone, ended, right] = [await active(), await active(), await active()];
    await minutes(1);
    await report(gone, []);
    await report(ended, [leaseOf(ended, 'ended')]);
    await report(right, [leaseOf(right)]);
    await guards.drift.round(never);
    expect((await gone.look()).state).toBe('active');
    expect(await alertsOf(gone)).toMatchObject([{ kind: 'runtime_missing' }]);
    expect((await ended.look()).state).toBe('releasing');
    expect((await right.look()).state).toBe('active');
    expect(await metrics.scrape()).toMatch(/gpuaas_allocation_drift_total\{[^}]*kind="absent"[^}]*\} [1-9]/);
  });

  it('and nobody wants keeps its free slots from being used, and touches no others', async () => {
    const allocation = await active();
    await minutes(1);
    const { rows } = await yard.root.query('select id from slots where node_id = $1 order by slot_index', [
      allocation.nodeId,
    ]);
    const slot_ids = rows.map(({ id }) => id as string).slice(1, 4);
    const orphan = { ...leaseOf(allocation), allocation_id: systemIds.next(), slot_ids };
    await report(allocation, [leaseOf(allocation), orphan]);
    for (const _ of ['first', 'again']) await guards.drift.round(never);
    // One of the three belongs to the allocation by now.
    expect(await allocation.look()).toMatchObject({
      state: 'active',
      slots: { available: 4, in_use: 2, quarantined: 2 },
    });
  });
});

describe('a whole node', () => {
  const blocking = async (nodeId: string) =>
    (await yard.root.query(`select slot_id, effect from alerts where node_id = $1 and source = 'drift'`, [nodeId]))
      .rows;

  it('that holds a login of an allocation that nobody knows is not sold, and an alert says so until it is gone', async () => {
    const allocation = await active({ shape: 'baremetal' });
    await minutes(1);
    await report(allocation, [leaseOf(allocation), { ...leaseOf(allocation), allocation_id: systemIds.next() }]);
    await guards.drift.round(never);
    expect(await blocking(allocation.nodeId)).toEqual([{ slot_id: null, effect: 'blocks_sale' }]);
    const healths = await yard.root.query('select distinct health_state from slots where node_id = $1', [
      allocation.nodeId,
    ]);
    expect(healths.rows).toEqual([{ health_state: 'degraded' }]);
    // Who rents it goes on.
    expect((await allocation.look()).state).toBe('active');
    await report(allocation, [leaseOf(allocation)]);
    await guards.drift.round(never);
    expect(await blocking(allocation.nodeId)).toEqual([]);
  });

  it('that is free and holds one is set aside', async () => {
    const node = await yard.addNode({ sku: 'test-metal' });
    await minutes(1);
    await yard.root.query('update node_reports set leases = $2, reported_at = $3 where node_id = $1', [
      node.id,
      JSON.stringify([
        { allocation_id: systemIds.next(), generation: 1, slot_ids: [], state: 'running', deadline_at: null },
      ]),
      new Date(clock.now().getTime() + 1_000),
    ]);
    await guards.drift.round(never);
    expect(await blocking(node.id)).toEqual([{ slot_id: null, effect: 'blocks_sale' }]);
    const { rows } = await yard.root.query('select distinct state from slots where node_id = $1', [node.id]);
    expect(rows).toEqual([{ state: 'quarantined' }]);
  });
});

describe('an allocation that a guard fails on', () => {
  it('is logged and counted, and keeps no other from its turn', async () => {
    const [one, other] = [await active(), await active()].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (!one || !other) throw new Error('there are two');
    for (const each of [one, other]) await change(each, 'expires_at', clock.now());
    const counted = makeMetrics('test', '0.0.0');
    const { tasks } = bench.parts;
    const broken = makeGuards({
      ...bench.parts,
      ...{ db: yard.port.database, begin: actsOf('guards', systemIds), ids: systemIds, clock, log: silentLog },
      metrics: counted,
      tasks: {
        ...tasks,
        cancelOf: (tx, lease) =>
          lease.allocationId === one.id ? Promise.reject(new Error('a bad row')) : tasks.cancelOf(tx, lease),
      },
      policies: {
        ...{ maxReleaseAttempts: () => 3, lostAfterSeconds: () => 0, reportSeconds: () => 45, idlePercent: () => 5 },
        idleGraceMinutes: () => 15,
      },
    });
    await broken.expiry.round(never);
    expect((await one.look()).state).toBe('active');
    expect((await other.look()).state).toBe('releasing');
    expect(await counted.scrape()).toMatch(/gpuaas_reconciler_skipped_total\{[^}]*"allocation-expiry"[^}]*\} 1/);
  });
});

describe('a node that reports what cannot be', () => {
  it('is held against itself, and the nodes after it are compared', async () => {
    const [first, second] = [await active(), await active()].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
    if (!first || !second) throw new Error('there are two');
    await minutes(1);
    const stranger = systemIds.next();
    const { rows } = await yard.root.query(`select id from slots where node_id = $1 and state = 'available'`, [
      first.nodeId,
    ]);
    const own = rows[0].id as string;
    const orphan = (slot_ids: string[]) => ({ ...leaseOf(first), allocation_id: systemIds.next(), slot_ids });
    await report(first, [leaseOf(first), orphan([stranger, stranger]), orphan([own, own, stranger])]);
    await report(second, [leaseOf(second, 'ended')]);
    await guards.drift.round(never);
    expect((await second.look()).state).toBe('releasing');
    expect((await first.look()).state).toBe('active');
    const alerts = await yard.root.query(
      `select slot_id from alerts where node_id = $1 and source = 'drift' order by slot_id nulls first`,
      [first.nodeId],
    );
    expect(alerts.rows).toEqual([{ slot_id: null }, { slot_id: own }]);
  });

  it('is skipped when something fails there; that is counted, and the nodes after it are compared', async () => {
    const [first, second] = [await active(), await active()].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
    if (!first || !second) throw new Error('there are two');
    await minutes(1);
    await report(first, [{ ...leaseOf(first), allocation_id: systemIds.next(), slot_ids: null }]);
    await report(second, [leaseOf(second, 'ended')]);
    await guards.drift.round(never);
    expect((await second.look()).state).toBe('releasing');
    expect(await metrics.scrape()).toMatch(/gpuaas_reconciler_skipped_total\{[^}]*"allocation-drift"[^}]*\} [1-9]/);
  });
});

describe('an active allocation', () => {
  it('is named for a new proof when its last one is too old, always by the same name of the run', async () => {
    const allocation = await active();
    const begun: string[] = [];
    const reattest = makeReattest({
      db: yard.port.database,
      ids: systemIds,
      clock,
      everyMinutes: () => 60,
      ...{ log: silentLog, metrics },
      begin: async (run) => void begun.push(run),
    });
    await reattest.round(never);
    await reattest.round(never);
    expect(begun).toEqual([`${allocation.id}.1.0`, `${allocation.id}.1.0`]);
  });
});
