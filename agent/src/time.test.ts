import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeDisk } from './disk.ts';
import { openServerTime } from './server-time.ts';
import { advanceUntil, makeManualClock } from './testing/clock.ts';
import { resultOf } from './testing/control-plane.ts';
import { installKeys, provisionSlice, provisionUser } from './testing/params.ts';
import { type AgentWorld, makeAgentWorld } from './testing/world.ts';

const worlds: AgentWorld[] = [];
const makeWorld = async () => {
  const world = await makeAgentWorld();
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Resolves with the first call of a method, whenever it comes. */
const called = ({ host }: AgentWorld, method: string) =>
  new Promise<unknown>((resolve) => {
    const before = host.onCall;
    host.onCall = (name, params, work) => {
      if (name === method) resolve(params);
      return before(name, params, work);
    };
  });
const endings = ({ host }: AgentWorld) => host.calls.filter(({ method }) => method === 'endRuntime').length;

describe('a lease with a deadline', () => {
  /** A node that holds one lease which ends a minute from now, by a clock that both sides share. */
  const holding = async (shape: 'slice' | 'whole node') => {
    const world = await makeWorld();
    const { plane } = world;
    const clock = makeManualClock();
    plane.now = clock.now;
    const agent = await world.open({ clock, elapsedMs: clock.elapsedMs });
    const allocationId = randomUUID();
    const deadlineAt = new Date(clock.now().getTime() + 60_000).toISOString();
    const give = async (type: Parameters<typeof plane.signer.task>[0]['type'] & string, params: object) => {
      const task = plane.signer.task({ nodeId: plane.nodeId, type, params, generation: 2, issuedAt: clock.now() });
      plane.give(task);
      await plane.until(() => resultOf(plane, task) !== undefined);
      return resultOf(plane, task);
    };
    const made =
      shape === 'slice'
        ? await give('slice.vm_provision', provisionSlice({ allocationId, slotIds: [randomUUID()], deadlineAt }))
        : await give('allocation.provision_user', provisionUser({ allocationId, deadlineAt }));
    expect(made?.outcome).toBe('succeeded');
    return { world, plane, clock, agent, allocationId, deadlineAt, give };
  };

  it.each(['slice', 'whole node'] as const)(
    'is ended by the node itself with the control plane dead: %s',
    async (shape) => {
      const { world, plane, clock, agent, allocationId } = await holding(shape);
      plane.interfere = () => 'drop';
      await clock.advance(59_000);
      expect(endings(world)).toBe(0);
      const ended = called(world, 'endRuntime');
      await clock.advance(1_001);
      expect(await ended).toBe(allocationId);
      expect(agent.status().leases).toBe(1);
      // The control plane comes back and hears what happened while it was away.
      plane.interfere = () => undefined;
      const lease = () => plane.seen.heartbeats.at(-1)?.leases[0];
      await advanceUntil(clock, () => lease()?.state === 'ended');
      expect(lease()).toMatchObject({ allocation_id: allocationId, generation: 2 });
      expect(endings(world)).toBe(1);
    },
  );

  it('is ended at the next start when it came while the agent was down', async () => {
    const { world, plane, clock, agent, allocationId } = await holding('slice');
    await world.abandon(agent);
    plane.interfere = () => 'drop';
    await clock.advance(3_600_000);
    const ended = called(world, 'endRuntime');
    await world.open({ clock, elapsedMs: clock.elapsedMs });
    expect(await ended).toBe(allocationId);
  });

  it('is ended also by an agent that nobody listens to any more, with an expired certificate and a spent token', async () => {
    const { world, plane, clock, agent, allocationId } = await holding('slice');
    await world.abandon(agent);
    // Far behind the life of the certificate, and with a token that was used before.
    clock.set(new Date(clock.now().getTime() + 40 * 86_400_000));
    const ended = called(world, 'endRuntime');
    const enrolment = { token: 'gpuaas_node_that_was_spent_long_ago', caFingerprint: plane.authority.fingerprint };
    await world.open({ clock, elapsedMs: clock.elapsedMs, settings: { enrolment } });
    expect(await ended).toBe(allocationId);
  });

  it('lives on when its deadline is moved, and takes no orders after its end', async () => {
    const { world, clock, allocationId, give } = await holding('slice');
    const later = new Date(clock.now().getTime() + 600_000).toISOString();
    const extended = await give('allocation.extend_lease', {
      allocation_id: allocationId,
      lease: { deadline_at: later },
    });
    expect(extended?.output).toEqual({ deadline_at: later });
    await clock.advance(120_000);
    expect(endings(world)).toBe(0);
    const ended = called(world, 'endRuntime');
    await clock.advance(480_001);
    await ended;
    const refused = await give('allocation.install_authorized_keys', installKeys(allocationId));
    expect(refused?.failure?.code).toBe('lease_ended');
  });

  it('is ended also when the host’s work in it does not stop when it is told to', async () => {
    const { world, plane, clock, allocationId } = await holding('slice');
    const stuck = called(world, 'installKeys');
    const before = world.host.onCall;
    world.host.onCall = async (method, params, work) => {
      await before(method, params, work);
      return method === 'installKeys' ? new Promise<void>(() => undefined) : undefined;
    };
    const params = installKeys(allocationId);
    const type = 'allocation.install_authorized_keys';
    plane.give(plane.signer.task({ nodeId: plane.nodeId, type, params, generation: 2, issuedAt: clock.now() }));
    await stuck;
    await advanceUntil(clock, () => endings(world) === 1);
    await advanceUntil(clock, () => plane.seen.heartbeats.at(-1)?.leases[0]?.state === 'ended');
    expect(endings(world)).toBe(1);
  });

  it('is tried again when the host could not end it', async () => {
    const { world, clock } = await holding('slice');
    let failures = 2;
    world.host.onCall = (method) => {
      if (method !== 'endRuntime' || failures === 0) return;
      failures -= 1;
      throw new Error('the machine does not listen');
    };
    await advanceUntil(clock, () => endings(world) === 3);
    const { plane } = world;
    await advanceUntil(clock, () => plane.seen.heartbeats.at(-1)?.leases[0]?.state === 'ended');
    expect(endings(world)).toBe(3);
  });
});

describe('a host whose clock is wrong', () => {
  it.each([
    ['an hour behind', -3_600_000],
    ['an hour ahead', 3_600_000],
  ])('%s obeys what is valid and refuses what has expired', async (_, skewMs) => {
    const world = await makeWorld();
    const { plane, host } = world;
    const clock = makeManualClock(new Date(Date.now() + skewMs));
    plane.now = () => new Date(clock.now().getTime() - skewMs);
    const agent = await world.open({ clock, elapsedMs: clock.elapsedMs });
    await agent.connected;
    const expired = plane.signer.task({
      nodeId: plane.nodeId,
      issuedAt: new Date(plane.now().getTime() - 120_000),
      ttlMs: 60_000,
    });
    const good = plane.signer.task({ nodeId: plane.nodeId, issuedAt: plane.now(), ttlMs: 60_000 });
    plane.give(expired);
    plane.give(good);
    // After a refusal the agent rests a little before it asks again.
    await until(() => agent.status().refused['task_expired'] === 1);
    await clock.advance(1_000);
    await plane.until(() => resultOf(plane, good) !== undefined);
    expect(resultOf(plane, good)?.outcome).toBe('succeeded');
    expect(host.calls.length).toBe(1);
  });

  it('and that is set while it runs, counts on as if nothing had happened', async () => {
    const world = await makeWorld();
    const { plane } = world;
    const clock = makeManualClock();
    const serverStart = clock.now().getTime();
    plane.now = () => new Date(serverStart + clock.elapsedMs());
    const agent = await world.open({ clock, elapsedMs: clock.elapsedMs });
    await agent.connected;
    clock.set(new Date('2001-01-01T00:00:00Z'));
    const good = plane.signer.task({ nodeId: plane.nodeId, issuedAt: plane.now(), ttlMs: 60_000 });
    plane.give(good);
    await plane.until(() => resultOf(plane, good) !== undefined);
    expect(resultOf(plane, good)?.outcome).toBe('succeeded');
  });
});

describe('the control plane’s time', () => {
  const folders: string[] = [];
  const place = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gpuaas-time-'));
    folders.push(folder);
    return join(folder, 'time.json');
  };
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });
  const disk = makeDisk({ forced: true });

  it('is the host’s own until it is heard, and is kept through a restart', async () => {
    const path = await place();
    const clock = makeManualClock(new Date('2026-06-01T12:00:00Z'));
    const parts = { clock, elapsedMs: clock.elapsedMs, disk, path };
    const time = await openServerTime(parts);
    expect(time.now()).toEqual(clock.now());
    await time.learn('2026-06-01T13:00:00.000Z', clock.elapsedMs());
    await clock.advance(5_000);
    expect(time.now()).toEqual(new Date('2026-06-01T13:00:05Z'));
    const later = await openServerTime(parts);
    expect(later.now()).toEqual(new Date('2026-06-01T13:00:05Z'));
  });

  it('never falls behind what was heard, even when the host’s clock lost its battery', async () => {
    const path = await place();
    const clock = makeManualClock(new Date('2026-06-01T12:00:00Z'));
    const parts = { clock, elapsedMs: clock.elapsedMs, disk, path };
    await (await openServerTime(parts)).learn('2026-06-01T12:00:00.000Z', clock.elapsedMs());
    clock.set(new Date('1970-01-01T00:00:00Z'));
    expect((await openServerTime(parts)).now()).toEqual(new Date('2026-06-01T12:00:00Z'));
  });

  it('does without a damaged file', async () => {
    const path = await place();
    await writeFile(path, '{"offset_ms":"a lot"}');
    const clock = makeManualClock();
    const time = await openServerTime({ clock, elapsedMs: clock.elapsedMs, disk, path });
    expect(time.now()).toEqual(clock.now());
  });
});

async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await new Promise((resolve) => setImmediate(resolve));
}
