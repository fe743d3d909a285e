import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { heldBytes } from '../testing/memory.ts';
import type { Home } from '../testing/terminal-gateway.ts';
import { isRunning, openTerminalRig, type TerminalRig } from '../testing/terminal-rig.ts';

let rig: TerminalRig;
beforeEach(async () => {
  rig = await openTerminalRig({ holdMs: 500 });
});
afterEach(() => rig.close());
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function begin(): Promise<Home> {
  const opened = rig.terminals.open(rig.order(), new AbortController().signal);
  const home = await rig.gateway.next();
  home.say({ type: 'client', writer: true });
  home.say({ type: 'resume', from: 0 });
  await opened;
  return home;
}
/** Reads so many bytes a second, and acknowledges them, as a person behind a thin line does. */
function readSlowly(home: Home, bytesPerSecond: number) {
  const state = { arrived: 0, read: 0, timer: undefined as NodeJS.Timeout | undefined };
  home.onOutput = (bytes) => {
    state.arrived += bytes.length;
  };
  state.timer = setInterval(() => {
    state.read = Math.min(state.arrived, state.read + bytesPerSecond / 10);
    home.say({ type: 'ack', read: state.read, recorded: 0 });
  }, 100);
  return state;
}

describe('a flood of output', () => {
  it('waits for a reader of 100 KB/s: ring, queue and memory stay bounded', { timeout: 60_000 }, async () => {
    const home = await begin();
    home.type('stty -echo; echo "now"-quiet\n');
    await home.until(() => home.output.includes('now-quiet'));
    const reader = readSlowly(home, 100_000);
    home.type('cat /dev/urandom\n');
    await wait(4_000);
    const before = await heldBytes();
    const [session] = rig.terminals.sessions;
    let most = 0;
    for (let second = 0; second < 16; second += 1) {
      await wait(500);
      // Never more on its way than the window, whatever the shell could print.
      most = Math.max(most, reader.arrived - reader.read);
      expect(session?.heldBytes).toBeLessThanOrEqual(524_288 + 65_536);
    }
    const after = await heldBytes();
    clearInterval(reader.timer);
    expect(most).toBeLessThanOrEqual(524_288);
    expect(reader.read).toBeGreaterThan(700_000);
    expect(after - before).toBeLessThan(2 * 1024 * 1024);
  });

  it('is interrupted by Ctrl-C, also while the reader stands still', { timeout: 30_000 }, async () => {
    const home = await begin();
    const reader = readSlowly(home, 0);
    home.type('cat /dev/urandom; echo "flood"-over\n');
    await home.until(() => reader.arrived >= 524_288);
    home.type('\x03');
    clearInterval(reader.timer);
    let text = '';
    home.onOutput = (bytes) => {
      reader.arrived += bytes.length;
      text = (text + bytes.toString('latin1')).slice(-2_000);
      home.say({ type: 'ack', read: reader.arrived, recorded: 0 });
    };
    home.say({ type: 'ack', read: reader.arrived, recorded: 0 });
    await home.until(() => text.includes('$ '));
    home.type('echo "shell"-answers\n');
    await home.until(() => text.includes('shell-answers'));
  });

  it('does not hold up the end of its allocation, while the reader stands still', { timeout: 30_000 }, async () => {
    const home = await begin();
    const reader = readSlowly(home, 0);
    home.type('cat /dev/zero\n');
    await home.until(() => reader.arrived >= 524_288);
    const [session] = rig.terminals.sessions;
    await rig.terminals.endOf(session?.allocationId ?? '', 'released');
    clearInterval(reader.timer);
    expect(rig.terminals.sessions).toEqual([]);
    expect(await isRunning(home.greeting.pid)).toBe(false);
    await home.until(() => home.frames.at(-1)?.type === 'exit');
  });

  it('does not slow another terminal of the same host', { timeout: 30_000 }, async () => {
    const flooded = await begin();
    readSlowly(flooded, 0);
    flooded.type('cat /dev/urandom\n');
    const calm = await begin();
    // While the flood stands behind a reader who takes nothing, each turn is answered.
    for (let turn = 0; turn < 20; turn += 1) {
      calm.type(`echo "turn"-${turn}.\n`);
      await calm.until(() => calm.output.includes(`turn-${turn}.`));
    }
    expect(calm.output.toString().match(/turn-\d+\./g)).toHaveLength(20);
  });

  it('goes on without a reader, so that a build ends; its last output is there for the next one', async () => {
    const home = await begin();
    home.say({ type: 'client', writer: false });
    const built = join(tmpdir(), `gpuaas-built-${randomUUID()}`);
    home.type(`stty -echo; head -c 8000000 /dev/zero | tr "\\0" x; echo "build"-done; touch ${built}\n`);
    await home.until(() => home.output.length > 100_000);
    rig.gateway.refuseWith = 4503;
    home.cut();
    await expect.poll(() => existsSync(built), { timeout: 25_000 }).toBe(true);
    await rm(built);
    rig.gateway.refuseWith = undefined;
    const next = await rig.gateway.next();
    // All but what is still on its way from the terminal, and many times what is kept for a reader.
    expect(next.greeting.to).toBeGreaterThan(7_500_000);
    expect(next.greeting.to - next.greeting.from).toBeLessThanOrEqual(262_144);
    next.say({ type: 'resume', from: next.greeting.from });
    await next.until(() => next.output.includes('build-done'));
    expect(next.greeting.pid).toBe(home.greeting.pid);
  });
});

describe('a flood of input', () => {
  it('stops at the gateway while the program takes nothing, and acknowledgements behind it are no deadlock', async () => {
    const home = await begin();
    home.type('stty raw -echo; echo "now"-raw; cat\n');
    await home.until(() => home.output.includes('now-raw'));
    const piece = Buffer.alloc(32_768, 'y');
    let back = 0;
    // Each of these waits behind the input, and the window is a quarter of what comes back.
    home.onOutput = (bytes) => {
      back += bytes.length;
      home.say({ type: 'ack', read: home.output.length + back, recorded: 0 });
    };
    for (let sent = 0; sent < 64; sent += 1) home.type(piece);
    await home.until(() => back >= 64 * 32_768);
    expect(await isRunning(home.greeting.pid)).toBe(true);
  });
});
