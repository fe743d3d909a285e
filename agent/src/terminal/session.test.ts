import { createHash, randomInt } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestGateway } from '../testing/terminal-gateway.ts';
import { isRunning, openTerminalRig, type TerminalRig } from '../testing/terminal-rig.ts';

let rig: TerminalRig;
beforeEach(async () => {
  rig = await openTerminalRig();
});
afterEach(() => rig.close());
const never = () => new AbortController().signal;

/** Opens a session and greets it as a home with a writer does. */
async function begin(given?: Parameters<TerminalRig['order']>[0]) {
  const order = rig.order(given);
  const opened = rig.terminals.open(order, never());
  const home = await rig.gateway.next();
  home.say({ type: 'client', writer: true });
  home.say({ type: 'resume', from: 0 });
  await opened;
  return { order, home };
}

describe('a terminal session of the agent', () => {
  it('is opened only when bytes can flow: not when the shell runs, not when the connection is up', async () => {
    const order = rig.order();
    let isDone = false;
    const opened = rig.terminals.open(order, never()).then(() => (isDone = true));
    const home = await rig.gateway.next();
    expect(home.sessionId).toBe(order.session_id);
    expect(home.greeting).toMatchObject({
      type: 'shell',
      session_id: order.session_id,
      from: 0,
      columns: 80,
      rows: 24,
    });
    expect(await isRunning(home.greeting.pid)).toBe(true);
    expect(rig.gateway.peers).toEqual([`URI:spiffe://gpuaas/node/${rig.nodeId}`]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([isDone, home.output.length]).toEqual([false, 0]);
    home.say({ type: 'resume', from: 0 });
    await opened;
    home.type('echo "it"-works\n');
    await home.until(() => home.output.includes('it-works'));
  });

  it('says in its banner that the GPUs are simulated, and shows them', async () => {
    const { home } = await begin();
    home.type('nvidia-smi -L; echo "all"-listed\n');
    await home.until(() => home.output.includes('all-listed'));
    const text = home.output.toString();
    expect(text).toContain('The GPUs of this machine are simulated');
    expect(text).toMatch(/GPU 0: NVIDIA H\d00.* \(UUID: GPU-/);
    expect(text).not.toContain('root@');
  });

  it('resizes, answers pings, and tells the exit code of its shell', async () => {
    const { home } = await begin();
    home.say({ type: 'resize', columns: 132, rows: 43 });
    home.say({ type: 'ping', id: 'p-1' });
    await home.until(() => home.frames.some((frame) => frame.type === 'pong' && frame.id === 'p-1'));
    home.type('stty size; exit 7\n');
    await home.until(() => home.frames.some(({ type }) => type === 'exit'));
    expect(home.frames.at(-1)).toEqual({ type: 'exit', code: 7 });
    expect(home.output.toString()).toMatch(/\b43 132\b/);
    expect(await home.closed).toBe(1000);
    await expect.poll(() => rig.terminals.sessions.length).toBe(0);
  });

  it('keeps its shell when the connection is lost, and when a second copy of the gateway takes over', async () => {
    const { home, order } = await begin();
    home.type('remembered=yes; echo "$$"-pid\n');
    await home.until(() => /\d+-pid\r/.test(home.output.toString()));
    const to = home.output.length;
    home.cut();
    const again = await rig.gateway.next();
    expect(again.greeting).toMatchObject({ pid: home.greeting.pid, from: 0 });
    // The prompt after the answer may have come before the cut, or after it.
    expect(again.greeting.to).toBeGreaterThanOrEqual(to);
    again.say({ type: 'resume', from: to });
    again.type('echo "$remembered $$"-pid\n');
    await again.until(() => again.output.includes(`yes ${home.greeting.pid}-pid`));
    // The copy drains: the agent comes again by itself, without a second task.
    again.say({ type: 'redial' });
    const third = await rig.gateway.next();
    expect(third.greeting.pid).toBe(home.greeting.pid);
    third.say({ type: 'resume', from: third.greeting.to });
    // A repeated task dials again too, and is done when bytes can flow.
    const repeated = rig.terminals.open(order, never());
    const fourth = await rig.gateway.next();
    fourth.say({ type: 'resume', from: fourth.greeting.to });
    await repeated;
    expect([fourth.greeting.pid, rig.terminals.sessions.length]).toEqual([home.greeting.pid, 1]);
  });

  it('delivers every byte once over 50 random cuts of the connection', { timeout: 120_000 }, async () => {
    const { home } = await begin();
    home.type('stty -echo -onlcr; PS1=; echo "now"-quiet\n');
    await home.until(() => home.output.includes('now-quiet\n'));
    let offset = home.output.length;
    const wanted = 6_000_000;
    // Every line differs, so that a lost, doubled or moved piece changes the hash.
    home.type(
      `seq -f %015.0f 1 ${wanted / 16} | tee /dev/stderr 2>"$HOME/copy"; echo "end-"of; sha256sum < "$HOME/copy"\n`,
    );
    const start = offset;
    const pieces: Buffer[] = [];
    let current = home;
    let acked = offset;
    const read = (bytes: Buffer) => {
      pieces.push(bytes);
      offset += bytes.length;
      if (offset - acked < 65_536) return;
      acked = offset;
      current.say({ type: 'ack', read: acked, recorded: 0 });
    };
    current.onOutput = read;
    for (let cut = 0; cut < 50; cut += 1) {
      const until = start + Math.floor((wanted / 50) * cut) + randomInt(0, 100_000);
      await current.until(() => offset >= Math.min(until, start + wanted));
      current.cut();
      current.onOutput = () => undefined;
      current = await rig.gateway.next();
      expect(current.greeting.from).toBeLessThanOrEqual(offset);
      current.onOutput = read;
      current.say({ type: 'client', writer: true });
      current.say({ type: 'resume', from: offset });
    }
    const text = () => Buffer.concat(pieces).toString();
    await current.until(() => offset >= start + wanted + 64 && /end-of\n[0-9a-f]{64}/.test(text()));
    const said = text();
    // The line editor prints its own sequences before the first line.
    const body = said.slice(said.indexOf('000000000000001\n'), said.indexOf('end-of\n'));
    expect(body.length).toBe(wanted);
    expect(/end-of\n([0-9a-f]{64})/.exec(said)?.[1]).toBe(createHash('sha256').update(body).digest('hex'));
  });

  it('does not speak to a gateway that shows the name of another process, of a node, or of the control plane', async () => {
    for (const id of [
      'spiffe://gpuaas/process/api',
      `spiffe://gpuaas/node/${rig.nodeId}`,
      'spiffe://gpuaas/control-plane',
    ]) {
      const impostor = await openTestGateway(rig.authority, { id });
      const order = rig.order({ gateway_url: impostor.url, grace_seconds: 0 });
      await expect(rig.terminals.open(order, never()), id).rejects.toMatchObject({ code: 'gateway_unreachable' });
      expect(impostor.peers).toEqual([]);
      await impostor.close();
    }
    expect(rig.terminals.sessions).toEqual([]);
  });
});
