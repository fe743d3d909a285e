import type { NodeHeartbeat } from '@gpuaas/contract/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { asSystem } from '../../../testing/world.ts';
import { makeNodeReports, makePresence, openReports } from '../index.ts';
import { type NodesWorld, openNodesWorld, type TestNode } from '../testing.ts';

const signal = new AbortController().signal;
const lostAfterSeconds = 45;
const heardWithinSeconds = 300;

describe('whether nodes are there', () => {
  let world: NodesWorld;
  let moves: string[];
  let begun: string[];
  let newcomers: string[];
  let presence: ReturnType<typeof makePresence>;
  beforeAll(async () => {
    world = await openNodesWorld();
  });
  afterAll(() => world.close());
  beforeEach(() => {
    presence = startPresence();
  });

  function startPresence() {
    const { clock, database, begin } = world;
    moves = [];
    begun = [];
    newcomers = [];
    return makePresence({
      db: database.database,
      begin,
      ids: systemIds,
      clock,
      log: silentLog,
      lostAfterSeconds: () => lostAfterSeconds,
      heardWithinSeconds: () => heardWithinSeconds,
      onNewcomer: async (run, { nodeId }) => {
        begun.push(run);
        newcomers.push(nodeId);
      },
      onMoved: (transition) => moves.push(transition),
    });
  }
  const report = async (nodes: readonly TestNode[]) => {
    const said = {
      bootId: systemIds.next(),
      agentVersion: '1',
      clockSkewMs: 0,
      conditions: [],
      leases: [],
      runningTasks: [],
      gpuUtilization: undefined,
      reportedAt: world.clock.now(),
    };
    await makeNodeReports(world.database.unaudited).record(nodes.map(({ id }) => ({ ...said, nodeId: id })));
  };
  /** Time goes by, in which the control plane listens and these nodes speak. */
  async function pass(seconds: number, speaking: readonly TestNode[], listening = true): Promise<void> {
    for (let at = 0; at < seconds; at += 5) {
      await world.clock.advance(5_000);
      if (speaking.length > 0) await report(speaking);
      if (listening) presence.pulse();
      await presence.round(signal);
    }
  }
  const stateOf = async (node: TestNode) =>
    (await world.root.query('select state from nodes where id = $1', [node.id])).rows[0].state as string;
  const eventsOf = async (node: TestNode) =>
    (await world.root.query(`select subject from outbox_events where key = $1 order by event_id`, [node.id])).rows.map(
      ({ subject }) => subject as string,
    );

  it('has a node taken in that is heard for the first time, once for each enrolment', async () => {
    const node = await world.node('enrolling');
    const enrolAt = (at: Date) =>
      asSystem(world.root, 'update nodes set enrolled_at = $2, version = version + 1 where id = $1', [node.id, at]);
    await enrolAt(world.clock.now());
    await presence.round(signal);
    expect(newcomers).not.toContain(node.id);
    await report([node]);
    for (const _ of ['first', 'again']) await presence.round(signal);
    expect(newcomers.filter((id) => id === node.id)).toHaveLength(1);
    expect(await stateOf(node)).toBe('enrolling');
    // Another process, or this one after a restart, begins the same run.
    const before = begun;
    presence = startPresence();
    await presence.round(signal);
    expect(begun).toEqual(before);
    // A host that enrols again is not heard yet, and then it is another newcomer.
    await world.clock.advance(1_000);
    await enrolAt(world.clock.now());
    await presence.round(signal);
    await report([node]);
    await presence.round(signal);
    expect(begun).toHaveLength(2);
    expect(new Set(begun).size).toBe(2);
  });

  it('puts a node aside that enrolled and is never heard, with the reason, and counts only time in which we listened', async () => {
    const [silent, heard] = [await world.node('enrolling'), await world.node('enrolling')];
    for (const { id } of [silent, heard]) {
      await asSystem(world.root, 'update nodes set enrolled_at = $2, version = version + 1 where id = $1', [
        id,
        world.clock.now(),
      ]);
    }
    await world.clock.advance(5_000);
    await report([heard]);
    await pass(2 * heardWithinSeconds, [], false);
    expect(await stateOf(silent)).toBe('enrolling');
    await pass(heardWithinSeconds - 10, []);
    expect(await stateOf(silent)).toBe('enrolling');
    await pass(20, []);
    expect(await stateOf(silent)).toBe('quarantined');
    expect(await stateOf(heard)).toBe('enrolling');
    const { rows } = await world.root.query('select state_reason from nodes where id = $1', [silent.id]);
    expect(rows[0].state_reason).toContain('was not heard since');
    expect(await eventsOf(silent)).toEqual(['provisioning.node.quarantined']);
  });

  it('loses a node that is silent while others speak, and takes it back when it speaks again', async () => {
    const [quiet, loud] = [await world.node(), await world.node()];
    await report([quiet, loud]);
    await pass(60, [loud, quiet]);
    await pass(40, [loud]);
    expect(await stateOf(quiet)).toBe('active');
    await pass(15, [loud]);
    expect(await stateOf(quiet)).toBe('offline');
    expect(await stateOf(loud)).toBe('active');
    await report([quiet]);
    await presence.round(signal);
    expect(await stateOf(quiet)).toBe('active');
    expect(await eventsOf(quiet)).toEqual(['provisioning.node.lost', 'provisioning.node.returned']);
  });

  it('loses the only node of a fleet too', async () => {
    const only = await world.node();
    await report([only]);
    await pass(110, []);
    expect(await stateOf(only)).toBe('offline');
  });

  it('holds nobody’s silence against them when nobody was listening: a mass reconnect loses nobody', async () => {
    const nodes = [await world.node(), await world.node(), await world.node()];
    await report(nodes);
    await pass(50, nodes);
    // The api is away for five minutes, and the detector sees it.
    await pass(300, [], false);
    for (const node of nodes) expect(await stateOf(node)).toBe('active');
    // It is back, and nodes come back one by one, the last of them after forty seconds.
    await pass(20, nodes.slice(0, 1));
    await pass(20, nodes.slice(0, 2));
    await pass(30, nodes);
    for (const node of nodes) expect(await stateOf(node)).toBe('active');
  });

  it('holds nobody’s silence against them when it was away itself', async () => {
    const node = await world.node();
    await report([node]);
    await pass(60, [node]);
    await world.clock.advance(600_000);
    presence.pulse();
    await presence.round(signal);
    await pass(20, []);
    expect(await stateOf(node)).toBe('active');
    presence = startPresence();
    await pass(20, []);
    expect(await stateOf(node)).toBe('active');
    await pass(60, []);
    expect(await stateOf(node)).toBe('offline');
  });

  it('leaves nodes alone that an operator has put away', async () => {
    const node = await world.node('quarantined');
    await pass(110, []);
    expect(await stateOf(node)).toBe('quarantined');
  });
});

describe('reports of nodes', () => {
  let world: NodesWorld;
  beforeAll(async () => {
    world = await openNodesWorld();
  });
  afterAll(() => world.close());
  const heartbeat = (): NodeHeartbeat => ({
    boot_id: systemIds.next(),
    agent_version: '1',
    sent_at: world.clock.now().toISOString(),
    conditions: [],
    leases: [],
    running_tasks: [],
  });

  it('are one transaction a second, whoever speaks', async () => {
    let writes = 0;
    const batches: number[] = [];
    const reports = openReports({
      reports: {
        record: async (rows) => {
          writes += 1;
          return new Map(rows.map(({ nodeId }) => [nodeId, 'active']));
        },
      },
      clock: world.clock,
      log: silentLog,
      onNewcomers: () => undefined,
      onWritten: (nodes) => batches.push(nodes),
    });
    const nodes = Array.from({ length: 1_000 }, () => systemIds.next());
    const first = reports.record(nodes[0] ?? '', heartbeat());
    expect(await first).toBe('active');
    const rest = nodes.map((id) => reports.record(id, heartbeat()));
    const twice = reports.record(nodes[0] ?? '', heartbeat());
    expect(writes).toBe(1);
    await world.clock.advance(1_000);
    await Promise.all([...rest, twice]);
    expect(writes).toBe(2);
    expect(batches).toEqual([1, 1_000]);
    await reports.close();
  });

  it('that cannot be written are refused, and the listener knows that it hears nobody', async () => {
    let fails = true;
    const reports = openReports({
      reports: {
        record: async () => {
          if (fails) throw new Error('away');
          return new Map();
        },
      },
      clock: world.clock,
      log: silentLog,
      onNewcomers: () => undefined,
    });
    await expect(reports.record(systemIds.next(), heartbeat())).rejects.toThrow('away');
    expect(reports.healthy).toBe(false);
    fails = false;
    const next = reports.record(systemIds.next(), heartbeat());
    await world.clock.advance(1_000);
    expect(await next).toBeUndefined();
    expect(reports.healthy).toBe(true);
    await reports.close();
  });

  it('keep the newest word of a node, and none of a node that nobody knows', async () => {
    const node = await world.node();
    const said = {
      nodeId: node.id,
      bootId: systemIds.next(),
      agentVersion: '1',
      clockSkewMs: -3,
      conditions: [{ type: 'Ready' }],
      leases: [],
      runningTasks: [],
      gpuUtilization: [1, 2],
    };
    const [early, late] = [world.clock.now(), new Date(world.clock.now().getTime() + 1_000)];
    await makeNodeReports(world.database.unaudited).record([{ ...said, reportedAt: late, agentVersion: '2' }]);
    await makeNodeReports(world.database.unaudited).record([{ ...said, reportedAt: early }]);
    const stranger = { ...said, nodeId: systemIds.next(), reportedAt: late };
    expect(await makeNodeReports(world.database.unaudited).record([stranger])).toEqual(new Map());
    const { rows } = await world.root.query(
      'select agent_version, gpu_utilization, conditions from node_reports where node_id = $1',
      [node.id],
    );
    expect(rows).toEqual([{ agent_version: '2', gpu_utilization: [1, 2], conditions: [{ type: 'Ready' }] }]);
  });
});
