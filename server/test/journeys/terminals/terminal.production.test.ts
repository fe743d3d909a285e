import { type ChildProcess, fork } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGpuaas } from '@gpuaas/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectClient, type TestClient } from '../../../src/testing/terminal-peers.ts';
import { freePort } from '../../chaos/children.ts';
import { type Balancer, openBalancer } from '../../composed/balancer.ts';
import { endAll, type Started, start } from '../support/npm-start.ts';
import { signIn } from '../support/sign-in.ts';

/**
 * A terminal from its token to its shell, over the processes of `npm start`, the agent of a simulated host, and two more copies
 * of the gateway behind one address for nodes. First the copy is killed that the agent is connected to, then the browser's.
 */
const patience = 240_000;
let folder: string;
let nodes: Balancer;
const copies: { readonly child: ChildProcess; readonly port: number; readonly nodePort: number }[] = [];
let started: Started | undefined;
let baseUrl = '';
let token = '';
let internalUrl = '';

async function startCopy(nodePort: number): Promise<void> {
  const port = await freePort();
  const child = fork(join(import.meta.dirname, '../../../src/bin/terminal-gateway/main.ts'), [], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      GPUAAS_INTERNAL_URL: internalUrl,
      GPUAAS_IDENTITY_FOLDER: join(folder, 'data/identities/terminal-gateway'),
      GPUAAS_TERMINAL_PORT: String(port),
      GPUAAS_TERMINAL_NODE_PORT: String(nodePort),
      GPUAAS_LOG_LEVEL: 'error',
    },
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}`)));
  });
  copies.push({ child, port, nodePort });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-terminal-'));
  // The accounts of the database and of shells pass through.
  await chmod(folder, 0o711);
  const [first, second, internal] = [await freePort(), await freePort(), await freePort()];
  nodes = await openBalancer([first, second]);
  internalUrl = `https://127.0.0.1:${internal}`;
  started = await start(
    ['--data', join(folder, 'data'), '--bare', '--port', String(await freePort()), '--host-speed', '2000'],
    {
      env: {
        GPUAAS_TERMINAL_NODE_URL: `wss://127.0.0.1:${nodes.port}`,
        GPUAAS_INTERNAL_PORT: String(internal),
        GPUAAS_INTERNAL_URL: internalUrl,
      },
    },
  );
  for (const port of [first, second]) await startCopy(port);
  baseUrl = started.fact('URL');
  const [password = ''] = started.fact('Password').split(' ');
  ({ access_token: token } = await signIn(baseUrl, { login: 'owner', password }));
}, patience);
afterAll(async () => {
  for (const { child } of copies) child.kill('SIGKILL');
  await nodes?.close();
  // An orderly stop ends the database too, whose folder is removed then.
  await started?.kill('SIGTERM');
  await endAll();
  await rm(folder, { recursive: true, force: true });
}, patience);

const shows = (client: TestClient, pattern: RegExp, timeout = 60_000) =>
  expect.poll(() => client.received.toString('latin1'), { timeout }).toMatch(pattern);
const readyOf = async (client: TestClient) => {
  await expect.poll(() => client.frames.some(({ type }) => type === 'ready'), { timeout: 60_000 }).toBe(true);
  return client.frames.find((frame) => frame.type === 'ready');
};

describe('a terminal of an active allocation', { timeout: patience }, () => {
  it('runs commands, resizes, is interrupted in a flood, and goes on with the same pid when its gateways are killed', async () => {
    const anyone = openGpuaas({ baseUrl, token });
    const { data: organizations } = await anyone.organizations.list({});
    const found = await Promise.all(
      organizations.map(async ({ id }) => (await anyone.projects.list({ organization_id: id })).data),
    );
    const [project] = found.flat();
    const gpuaas = openGpuaas({ baseUrl, token, project: project?.id ?? '' });
    const order = { name: 'shell-1', sku: 'h200-sxm-slice', region: 'local', gpus: 1 };
    let allocationId = '';
    await expect
      .poll(
        async () => {
          try {
            allocationId = (await gpuaas.allocations.create(order)).id;
            return 'launched';
          } catch (error) {
            return (error as Error).message;
          }
        },
        { timeout: 120_000, interval: 2_000 },
      )
      .toBe('launched');
    const stateOf = async () => (await gpuaas.allocations.get({ allocation_id: allocationId })).state;
    await expect.poll(stateOf, { timeout: 120_000, interval: 1_000 }).toBe('active');

    const size = { columns: 80, rows: 24 };
    const minted = await gpuaas.terminals.tokenMint({ allocation_id: allocationId, mode: 'open', ...size });
    expect(minted.token).toMatch(/^[a-f0-9]{64}$/);
    const session = { allocationId };
    const client = connectClient(copies[0]?.port ?? 0, session, minted.token);
    const first = await readyOf(client);
    expect(first).toMatchObject({ session_id: minted.session_id, role: 'writer', simulated: true });
    client.type('echo pid=$$ two=$((1+1))\r');
    await shows(client, /pid=\d+ two=2/);
    const pid = /pid=(\d+) two/.exec(client.received.toString('latin1'))?.[1];
    client.say({ type: 'resize', columns: 132, rows: 43 });
    client.type('stty size\r');
    await shows(client, /43 132/);
    client.type('yes flood\r');
    await expect.poll(() => client.received.length, { timeout: 60_000 }).toBeGreaterThan(2_000_000);
    client.type('\x03');
    client.type('echo after=$((20+1))\r');
    await shows(client, /after=21/);

    const { data: live } = await gpuaas.terminals.sessionList({ allocation_id: allocationId });
    expect(live.map(({ id, state }) => ({ id, state }))).toEqual([{ id: minted.session_id, state: 'open' }]);
    // Nodes are sent to the second copy first: the agent is there, and the browser is not. Its connection stays.
    const [near, home] = copies;
    home?.child.kill('SIGKILL');
    const notices = () => client.frames.flatMap((frame) => (frame.type === 'notice' ? [frame.code] : []));
    await expect.poll(notices, { timeout: 60_000 }).toEqual(['reconnecting', 'reconnected']);
    client.type('echo same=$$\r');
    await shows(client, new RegExp(`same=${pid}\\b`));

    // Then the copy dies that now has both, and the browser comes back through another one.
    await startCopy(home?.nodePort ?? 0);
    const before = client.from + client.received.length;
    near?.child.kill('SIGKILL');
    await client.closed;
    const mintAgain = () =>
      gpuaas.terminals.tokenMint({
        ...{ allocation_id: allocationId, mode: 'take_over', session_id: minted.session_id, ...size },
      });
    const again = connectClient(copies[2]?.port ?? 0, session, (await mintAgain()).token, { from: before });
    expect(await readyOf(again)).toMatchObject({
      session_id: minted.session_id,
      pid: first?.type === 'ready' ? first.pid : 0,
    });
    again.type('echo again=$$\r');
    await shows(again, new RegExp(`again=${pid}\\b`));
    again.type('exit 7\r');
    expect((await again.closed).code).toBe(1000);
    expect(again.frames.at(-1)).toEqual({ type: 'exit', code: 7 });
  });
});
