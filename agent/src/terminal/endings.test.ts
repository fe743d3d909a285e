import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { makeWork } from '../host/conformance-rig.ts';
import { makeManualClock } from '../testing/clock.ts';
import type { Home } from '../testing/terminal-gateway.ts';
import { isRunning, login, openTerminalRig, type TerminalRig } from '../testing/terminal-rig.ts';

let rig: TerminalRig;
afterEach(() => rig.close());
const never = () => new AbortController().signal;

async function begin(given?: Parameters<TerminalRig['order']>[0]) {
  const order = rig.order(given);
  const opened = rig.terminals.open(order, never());
  const home = await rig.gateway.next();
  home.say({ type: 'client', writer: true });
  home.say({ type: 'resume', from: 0 });
  await opened;
  return { order, home };
}

/** Processes that do what they can to stay: deaf to hang-ups, in sessions of their own, with empty environments. */
async function leaveStubborn(home: Home): Promise<number[]> {
  home.type(
    `trap '' HUP TERM; (trap '' HUP TERM; setsid env -i sh -c 'trap "" HUP TERM; echo "deaf $$ 1"; sleep 300 & echo "deaf $! 2"; wait' &)\n`,
  );
  home.type(`nohup sleep 301 >/dev/null 2>&1 & echo "deaf $! 3"\n`);
  const found = () => [...home.output.toString().matchAll(/deaf (\d+) [123]\r/g)].map(([, pid]) => Number(pid));
  await home.until(() => found().length === 3);
  const pids = [home.greeting.pid, ...found()];
  for (const pid of pids) expect(await isRunning(pid)).toBe(true);
  return pids;
}
const alive = async (pids: readonly number[]) => (await Promise.all(pids.map(isRunning))).filter(Boolean).length;

describe('a terminal ends, with everything that its shell has started,', () => {
  it('when the gateway says so', async () => {
    rig = await openTerminalRig();
    const { home } = await begin();
    const pids = await leaveStubborn(home);
    home.say({ type: 'end', reason: 'closed_by_user' });
    await home.until(() => home.frames.some(({ type }) => type === 'exit'));
    expect(home.frames.at(-1)).toEqual({ type: 'exit', code: null });
    expect(await home.closed).toBe(1000);
    expect(await alive(pids)).toBe(0);
    await expect.poll(() => rig.terminals.sessions.length).toBe(0);
  });

  it('when no gateway is there for longer than the grace time', async () => {
    rig = await openTerminalRig();
    const { home } = await begin({ grace_seconds: 1 });
    const pids = await leaveStubborn(home);
    await rig.gateway.close();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await alive(pids)).toBe(pids.length);
    await expect.poll(() => rig.terminals.sessions.length, { timeout: 15_000 }).toBe(0);
    expect(await alive(pids)).toBe(0);
  });

  it('when the gateway does not know the session any more', async () => {
    rig = await openTerminalRig();
    const { home } = await begin();
    const pids = await leaveStubborn(home);
    rig.gateway.refuseWith = 4404;
    home.cut();
    await expect.poll(() => rig.terminals.sessions.length, { timeout: 15_000 }).toBe(0);
    expect(await alive(pids)).toBe(0);
  });

  it('when its allocation is released, and when the agent stops', async () => {
    rig = await openTerminalRig();
    const { home, order } = await begin();
    const pids = await leaveStubborn(home);
    await rig.terminals.endOf(order.allocation_id, 'released');
    expect(await alive(pids)).toBe(0);
    expect(home.frames.at(-1)?.type).toBe('exit');
    const second = await begin();
    const others = await leaveStubborn(second.home);
    await rig.terminals.close();
    expect(await alive(others)).toBe(0);
    expect(rig.terminals.sessions).toEqual([]);
  });

  it('when its login is taken away by the host itself', async () => {
    rig = await openTerminalRig();
    const { home, order } = await begin();
    const pids = await leaveStubborn(home);
    await rig.host.revokeUser({ allocation_id: order.allocation_id, login }, makeWork());
    await home.until(() => home.frames.some(({ type }) => type === 'exit'));
    expect(await alive(pids)).toBe(0);
    await expect.poll(() => rig.terminals.sessions.length).toBe(0);
  });

  it('at its time, which is the control plane’s, also when that is away and this host’s clock is wrong', async () => {
    const clock = makeManualClock(new Date('2031-01-01T00:00:00Z'));
    const base = Date.parse('2026-06-01T00:00:00Z');
    const nowMs = () => base + clock.elapsedMs();
    const time = { nowMs, now: () => new Date(nowMs()), learn: async () => undefined };
    rig = await openTerminalRig({ clock, time, elapsedMs: clock.elapsedMs });
    const { home } = await begin({ ends_at: '2026-06-01T00:10:00.000Z' });
    await clock.advance(599_000);
    expect(await isRunning(home.greeting.pid)).toBe(true);
    await clock.advance(1_100);
    await home.until(() => home.frames.some(({ type }) => type === 'exit'));
    expect(home.frames.find(({ type }) => type === 'ending')).toEqual({ type: 'ending', reason: 'time_over' });
    await home.closed;
  });

  it('when nothing was typed for too long, and not before', async () => {
    const clock = makeManualClock();
    const time = { nowMs: clock.elapsedMs, now: () => new Date(clock.elapsedMs()), learn: async () => undefined };
    rig = await openTerminalRig({ clock, time, elapsedMs: clock.elapsedMs });
    const { home } = await begin({ idle_seconds: 60 });
    await clock.advance(50_000);
    home.type('echo "still"-here\n');
    await home.until(() => home.output.includes('still-here'));
    await clock.advance(50_000);
    expect(await isRunning(home.greeting.pid)).toBe(true);
    await clock.advance(11_000);
    await home.until(() => home.frames.some((frame) => frame.type === 'ending' && frame.reason === 'idle'));
    await home.closed;
  });
});

describe('a terminal is not opened', () => {
  it('beyond the limit of the host, whatever the control plane thinks', async () => {
    rig = await openTerminalRig({ mostSessions: 2 });
    await begin();
    await begin();
    await expect(rig.terminals.open(rig.order(), never())).rejects.toMatchObject({ code: 'session_limit' });
    expect(rig.terminals.sessions).toHaveLength(2);
  });

  it('after its time, for another allocation, or for an allocation that has nothing here', async () => {
    rig = await openTerminalRig();
    const { order } = await begin();
    const late = rig.order({ ends_at: '2020-01-01T00:00:00.000Z' });
    await expect(rig.terminals.open(late, never())).rejects.toMatchObject({ code: 'session_over' });
    const stranger = { ...order, allocation_id: randomUUID() };
    await expect(rig.terminals.open(stranger, never())).rejects.toMatchObject({ code: 'bad_params' });
    const nowhere = rig.order({ allocation_id: randomUUID() });
    await expect(rig.terminals.open(nowhere, never())).rejects.toMatchObject({ code: 'not_found' });
    const other = rig.order({ login: { ...login, username: 'root' } });
    await expect(rig.terminals.open(other, never())).rejects.toMatchObject({ code: 'not_found' });
    expect(rig.terminals.sessions).toHaveLength(1);
  });

  it('when no gateway answers in time, and leaves no shell behind', async () => {
    rig = await openTerminalRig({ openingMs: 700 });
    const opened = rig.terminals.open(rig.order(), never());
    const home = await rig.gateway.next();
    // It is connected, and never told where to begin: no byte could flow.
    await expect(opened).rejects.toMatchObject({ code: 'gateway_unreachable' });
    expect(await isRunning(home.greeting.pid)).toBe(false);
    expect(rig.terminals.sessions).toEqual([]);
  });

  it('by a gateway that speaks another language: the connection is closed, the shell is not touched', async () => {
    rig = await openTerminalRig();
    const { home } = await begin();
    for (const [index, nonsense] of ['{', '{"type":"exec"}', '{"type":"resume","from":-1}', '[]'].entries()) {
      const at = index === 0 ? home : await rig.gateway.next();
      at.raw(nonsense);
      expect(await at.closed).toBe(4400);
    }
    expect(await isRunning(home.greeting.pid)).toBe(true);
  });
});
