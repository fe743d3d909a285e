import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HeldLease, NodeUsageRecord } from '@gpuaas/contract/node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemChance } from '../chance.ts';
import { makeDisk } from '../disk.ts';
import { HostFailure } from '../host/port.ts';
import { makeResultSigner } from '../identity/keys.ts';
import { silentLog } from '../telemetry/log.ts';
import { advanceUntil, type ManualClock, makeManualClock } from '../testing/clock.ts';
import { makeHostDouble } from '../testing/host-double.ts';
import { provisionUser } from '../testing/params.ts';
import { type AgentWorld, makeAgentWorld } from '../testing/world.ts';
import { makeMeter } from './meter.ts';
import { openUsageFiles } from './usage-files.ts';

const allocationId = '0190a000-0000-7000-8000-000000000001';
const nodeId = '0190a000-0000-7000-8000-000000000002';
const gpu = 'GPU-0190a000-0000-7000-8000-000000000003';
const sign = makeResultSigner(
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
);
const start = new Date('2026-05-01T10:00:00.000Z');

describe('the meter of a node', () => {
  let dir: string;
  let clock: ManualClock;
  const host = makeHostDouble();
  let held: HeldLease[];
  const stops: AbortController[] = [];
  const lease = (state: HeldLease['state'] = 'running', generation = 1): HeldLease => ({
    ...{ allocation_id: allocationId, generation, slot_ids: [], state, deadline_at: null },
  });
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gpuaas-usage-'));
    clock = makeManualClock(start);
    host.gpus = [gpu];
    held = [lease()];
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop.abort();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  const open = async (bootId = 'boot-1', wasSent: (record: NodeUsageRecord) => boolean = () => true) => {
    const files = await openUsageFiles({ disk: makeDisk({ forced: false }), dir });
    const stop = new AbortController();
    stops.push(stop);
    const meter = makeMeter({
      ...{ nodeId, bootId, host, files, sign, clock, wasSent },
      ...{
        chance: { ...systemChance, fraction: () => 0.5 },
        log: silentLog,
        everyMs: 60_000,
        speed: 1,
        onRecord: () => undefined,
      },
      leases: { held: () => held } as never,
      time: { nowMs: () => clock.now().getTime(), now: clock.now, learn: async () => undefined },
    });
    meter.run(stop.signal).catch(() => undefined);
    const until = (claim: () => boolean, stepMs = 1_000) => advanceUntil(clock, claim, stepMs);
    await until(() => files.cursor(allocationId)?.boot_id === bootId || held.length === 0);
    return { files, meter, stop, until };
  };
  const spans = (records: readonly NodeUsageRecord[]) =>
    records.map(({ sequence, from, to, final }) => ({
      sequence,
      seconds: Math.round((Date.parse(to) - Date.parse(from)) / 1_000),
      final,
    }));

  it('records what ran, without a gap, and says when it has ended', async () => {
    const { files, meter, until } = await open();
    await until(() => files.pending().length >= 3);
    const records = files.pending();
    expect(records.slice(0, 3).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    for (const [at, record] of records.entries()) {
      expect(record).toMatchObject({
        node_id: nodeId,
        allocation_id: allocationId,
        generation: 1,
        gpus: [gpu],
        final: false,
      });
      if (at > 0) expect(record.from).toBe(records[at - 1]?.to);
    }
    held = [];
    meter.look();
    await until(() => files.pending().some(({ final }) => final));
    const all = files.pending();
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1));
    expect(all.at(-1)).toMatchObject({ final: true, gpus: [gpu] });
  });

  it('names only the GPUs that the host sees, and waits when the host cannot look', async () => {
    const { files, until } = await open();
    await until(() => files.pending().length >= 1);
    host.gpus = [];
    await until(() => files.pending().length >= 2);
    expect(files.pending().at(-1)?.gpus).toEqual([]);
    const look = host.gpusOf;
    host.gpusOf = () => Promise.reject(new Error('the driver hangs'));
    const made = files.pending().length;
    await clock.advance(200_000);
    expect(files.pending()).toHaveLength(made);
    host.gpusOf = look;
    host.gpus = [gpu];
    await until(() => files.pending().length > made);
    expect(files.pending()[made]?.from).toBe(files.pending()[made - 1]?.to);
  });

  it('goes on where it was after a restart of the agent, and not after one of the machine', async () => {
    const first = await open();
    await first.until(() => first.files.pending().length >= 1);
    first.stop.abort();
    await clock.advance(600_000);
    const second = await open('boot-1');
    await second.until(() => second.files.pending().length >= 2);
    const [before, after] = second.files.pending();
    expect(after).toMatchObject({ sequence: 2, from: before?.to });
    second.stop.abort();
    await clock.advance(600_000);
    const third = await open('boot-2');
    await third.until(() => third.files.pending().length >= 3);
    const last = third.files.pending()[2];
    expect(last?.sequence).toBe(3);
    expect(Date.parse(last?.from ?? '') - Date.parse(after?.to ?? '')).toBeGreaterThanOrEqual(600_000);
  });

  it('makes few records of a long outage, and never changes one that was on its way', async () => {
    const { files, until } = await open('boot-1', ({ sequence }) => sequence === 1);
    await until(() => (files.cursor(allocationId)?.to_ms ?? 0) >= start.getTime() + 150 * 60_000, 30_000);
    expect(spans(files.pending()).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(spans(files.pending())[0]?.seconds).toBeLessThan(70);
  });

  it('measures nothing of a stopped machine, and goes on with the next number when it runs again', async () => {
    const { files, meter, until } = await open();
    await until(() => files.pending().length >= 1);
    held = [lease('stopped')];
    meter.look();
    await until(() => files.cursor(allocationId)?.ended === true);
    const before = files.pending();
    expect(before.every(({ final }) => !final)).toBe(true);
    await clock.advance(600_000);
    expect(files.pending()).toEqual(before);
    held = [lease()];
    meter.look();
    await until(() => files.pending().length > before.length);
    const [last, next] = [before.at(-1), files.pending()[before.length]];
    expect(next?.sequence).toBe((last?.sequence ?? 0) + 1);
    expect(Date.parse(next?.from ?? '') - Date.parse(last?.to ?? '')).toBeGreaterThanOrEqual(600_000);
  });

  it('looks again soon for GPUs that were not yet at work when a machine was started', async () => {
    host.gpus = [];
    const { files, meter, until } = await open();
    host.gpus = [gpu];
    await until(() => files.cursor(allocationId)?.gpus.length === 1);
    expect(clock.now().getTime() - start.getTime()).toBeLessThan(30_000);
    // It failed before a record was due: the time is measured with the GPUs that it had.
    host.gpus = [];
    held = [lease('stopped')];
    meter.look();
    await until(() => files.pending().length >= 1);
    expect(files.pending()).toMatchObject([{ gpus: [gpu], final: false }]);
  });

  it('measures a new generation of a lease by itself', async () => {
    const { files, meter, until } = await open();
    await until(() => files.pending().length >= 1);
    held = [lease('running', 2)];
    meter.look();
    await until(() => files.pending().some(({ generation }) => generation === 2));
    expect(files.pending().find(({ generation }) => generation === 2)?.sequence).toBe(1);
  });
});

describe('an agent that is let', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await makeAgentWorld();
    world.host.gpus = [gpu];
  });
  afterEach(() => world.close());
  const settings = { usageEveryMs: 20 };
  const letIt = () =>
    world.plane.give(
      world.plane.signer.task({
        nodeId: world.plane.nodeId,
        type: 'allocation.provision_user',
        params: provisionUser({ allocationId }),
      }),
    );

  it('hands in what it measured, signed, and nothing of it twice', async () => {
    const agent = await world.open({ settings });
    await agent.connected;
    letIt();
    await world.plane.until(() => world.plane.seen.usage.length >= 3);
    const sequences = world.plane.seen.usage.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, at) => at + 1));
    expect(world.plane.seen.usage[0]).toMatchObject({ allocation_id: allocationId, gpus: [gpu] });
  });

  it('keeps what nobody takes, through its own restart, and hands it in later and in order', async () => {
    world.plane.interfere = (kind) => (kind === 'usage' ? 'drop' : undefined);
    const agent = await world.open({ settings: { ...settings, bootId: nodeId } });
    await agent.connected;
    letIt();
    while (agent.status().usageWaiting < 2) await new Promise((resolve) => setImmediate(resolve));
    await world.abandon(agent);
    world.plane.interfere = () => undefined;
    await world.open({ settings: { ...settings, bootId: nodeId } });
    await world.plane.until(() => world.plane.seen.usage.length >= 4);
    const { usage } = world.plane.seen;
    for (const [at, record] of usage.entries()) {
      expect(record.sequence).toBe(at + 1);
      if (at > 0) expect(record.from).toBe(usage[at - 1]?.to);
    }
  });

  it('measures a machine from the moment at which it is started, and not after a start that failed', async () => {
    const agent = await world.open({ settings });
    await agent.connected;
    letIt();
    const { plane, host } = world;
    await plane.until(() => plane.seen.usage.length >= 1);
    const { login, expect: promised } = provisionUser({ allocationId });
    const order = { allocation_id: allocationId, login };
    const give = (type: 'allocation.stop' | 'allocation.start', params: object) =>
      plane.give(plane.signer.task({ nodeId: plane.nodeId, type, params: params as never }));
    give('allocation.stop', { ...order, grace_seconds: 0 });
    await plane.until(() => plane.seen.results.length >= 2);
    await vi.waitFor(() => expect(agent.status().usageWaiting).toBe(0));
    let fail: () => void = () => undefined;
    host.onCall = (method) =>
      method === 'start'
        ? new Promise((_, reject) => {
            fail = () => reject(new HostFailure('ssh_unreachable', 'Nobody gets in.'));
          })
        : undefined;
    const before = plane.seen.usage.length;
    give('allocation.start', { ...order, authorized_keys: [], expect: promised });
    await plane.until(() => plane.seen.usage.length >= before + 2);
    expect(plane.seen.results).toHaveLength(2);
    fail();
    await plane.until(() => plane.seen.results.length >= 3);
    // The last record may still be on its way; then nothing comes any more.
    const isQuiet = async () => {
      const measured = plane.seen.usage.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(plane.seen.usage).toHaveLength(measured);
    };
    await vi.waitFor(isQuiet, { timeout: 4_000 });
    expect(plane.seen.usage.every(({ final }) => !final)).toBe(true);
  });

  it('goes on to measure a machine whose start failed and that could not be switched off', async () => {
    const agent = await world.open({ settings });
    await agent.connected;
    letIt();
    const { plane, host } = world;
    await plane.until(() => plane.seen.results.length >= 1);
    const { login, expect: promised } = provisionUser({ allocationId });
    const order = { allocation_id: allocationId, login };
    const give = (type: 'allocation.stop' | 'allocation.start', params: object) =>
      plane.give(plane.signer.task({ nodeId: plane.nodeId, type, params: params as never }));
    give('allocation.stop', { ...order, grace_seconds: 0 });
    await plane.until(() => plane.seen.results.length >= 2);
    host.running = [{ allocationId, shape: 'bare_metal', running: true }];
    host.onCall = (method) =>
      method === 'start' ? Promise.reject(new HostFailure('guest_hung', 'It stays on.')) : undefined;
    give('allocation.start', { ...order, authorized_keys: [], expect: promised });
    await plane.until(() => plane.seen.results.length >= 3);
    const measured = plane.seen.usage.length;
    await plane.until(() => plane.seen.usage.length >= measured + 3);
  });

  it('sends again what is to come later, and gives up what is refused', async () => {
    let asked = 0;
    world.plane.judgeUsage = ({ sequence }) => {
      asked += 1;
      if (sequence === 1) return asked < 3 ? 'later' : 'refused';
      return 'stored';
    };
    const agent = await world.open({ settings });
    await agent.connected;
    letIt();
    await world.plane.until(() => world.plane.seen.usage.length >= 1);
    expect(world.plane.seen.usage[0]?.sequence).toBe(2);
  });
});
