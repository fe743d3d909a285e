import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ed25519, readKeyLine, sshConcat, sshString, sshUint32 } from '@gpuaas/contract/ssh';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { startAgent, type TestAgent } from '../../../testing/terminal-peers.ts';
import {
  jumpHostKey,
  makeSshKey,
  makeTestAuthority,
  openTestApi,
  openTestGateway,
  type TestApi,
  type TestAuthority,
  type TestGateway,
  type TestSession,
} from '../testing.ts';
import type { JumpLimits } from './connection.ts';
import { fingerprintOf, provesKey } from './proof.ts';

let authority: TestAuthority;
let api: TestApi;
const gateways = new Set<TestGateway>();
const agents = new Set<TestAgent>();
const clients = new Set<Client>();
beforeAll(async () => {
  authority = await makeTestAuthority();
  api = await openTestApi(authority);
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  for (const agent of agents) agent.close();
  for (const gateway of gateways) await gateway.close();
  for (const all of [clients, agents, gateways]) all.clear();
  api.jump.keys.clear();
});
afterAll(() => api.close());

const start = async (jump: Partial<JumpLimits> = {}): Promise<TestGateway> => {
  const gateway = await openTestGateway(authority, api, { jump });
  gateways.add(gateway);
  return gateway;
};
const makeKey = () => {
  const pair = makeSshKey();
  return { ...pair, fingerprint: fingerprintOf(Buffer.from(readKeyLine(pair.public)?.blob ?? [])) };
};
const known = () => {
  const key = makeKey();
  api.jump.keys.add(key.fingerprint);
  return key;
};
/** Signs in with a key; rejects when the jump host does not want it. */
async function signIn(gateway: TestGateway, key: { readonly private: string }): Promise<Client> {
  const client = new ssh2.Client();
  clients.add(client);
  const ready = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.on('error', reject);
    client.once('close', () => reject(new Error('closed')));
  });
  client.connect({
    ...{ host: '127.0.0.1', port: gateway.jumpDoor?.port ?? 0, username: 'jump', privateKey: key.private },
    strictVendor: false,
    hostVerifier: (shown: Buffer) => shown.equals(Buffer.from(readKeyLine(jumpHostKey.public)?.blob ?? [])),
  });
  await ready;
  return client;
}
const forward = (client: Client, name: string, port = 22): Promise<ClientChannel> =>
  new Promise((resolve, reject) =>
    client.forwardOut('127.0.0.1', 0, name, port, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
/** A machine whose agent prints and hears. */
async function machine(gateway: TestGateway): Promise<{ readonly session: TestSession; readonly agent: TestAgent }> {
  const nodeId = systemIds.next();
  const session = api.openSession(nodeId);
  const agent = startAgent([gateway.nodePort], session, await authority.node(nodeId));
  agents.add(agent);
  api.jump.open = ({ target }) =>
    target === 'trainer' ? session : new Fault('allocation_not_found', `Nothing is called ${target}.`);
  return { session, agent };
}

describe('the SSH jump host', () => {
  it('carries bytes both ways to the machine that is named, byte for byte', async () => {
    const gateway = await start();
    const { session, agent } = await machine(gateway);
    const channel = await forward(await signIn(gateway, known()), 'trainer');
    const received: Buffer[] = [];
    channel.on('data', (bytes: Buffer) => received.push(bytes));
    const [down, up] = [randomBytes(3_000_000), randomBytes(1_500_000)];
    agent.print(down);
    channel.write(up);
    await expect.poll(() => Buffer.concat(received).length, { timeout: 20_000 }).toBe(down.length);
    expect(Buffer.concat(received).equals(down)).toBe(true);
    await expect.poll(() => agent.typed.length, { timeout: 20_000 }).toBe(up.length);
    expect(agent.typed.equals(up)).toBe(true);
    channel.end();
    await expect.poll(() => session.ended, { timeout: 10_000 }).toMatchObject({ reason: 'closed_by_user' });
  });

  it('reaches a machine whose agent is at another copy', async () => {
    const [here, there] = [await start(), await start()];
    const { agent } = await machine(there);
    const channel = await forward(await signIn(here, known()), 'trainer');
    const received: Buffer[] = [];
    channel.on('data', (bytes: Buffer) => received.push(bytes));
    const down = randomBytes(1_200_000);
    agent.print(down);
    channel.write('SSH-2.0-test');
    await expect.poll(() => agent.typed.toString(), { timeout: 20_000 }).toBe('SSH-2.0-test');
    await expect.poll(() => Buffer.concat(received).length, { timeout: 20_000 }).toBe(down.length);
    expect(Buffer.concat(received).equals(down)).toBe(true);
    agent.exit(0);
    await once(channel, 'close');
  });

  it('holds no more than its bounds when the client reads nothing', async () => {
    const gateway = await start();
    const { agent } = await machine(gateway);
    const client = await signIn(gateway, known());
    const channel = await forward(client, 'trainer');
    agent.print(randomBytes(8_000_000));
    // The window of SSH lets two MiB pass; then the agent waits for acknowledgements.
    await expect.poll(() => agent.sent, { timeout: 20_000 }).toBeGreaterThan(2_000_000);
    await expect.poll(() => agent.unread, { timeout: 20_000 }).toBeGreaterThan(400_000);
    expect(gateway.waitingBytes).toBeLessThan(1_600_000);
    expect(agent.sent).toBeLessThan(6_000_000);
    let bytes = 0;
    channel.on('data', (more: Buffer) => {
      bytes += more.length;
    });
    await expect.poll(() => bytes, { timeout: 20_000 }).toBe(8_000_000);
  });

  it('refuses a key that nobody has registered, a password, and a key that is shown and not held', async () => {
    const gateway = await start();
    await expect(signIn(gateway, makeKey())).rejects.toThrow(/authentication/);
    const client = new ssh2.Client();
    clients.add(client);
    const refused = new Promise<Error>((resolve) => client.on('error', resolve));
    client.connect({ host: '127.0.0.1', port: gateway.jumpDoor?.port ?? 0, username: 'jump', password: 'secret' });
    expect((await refused).message).toMatch(/authentication/);
    const [mine, other] = [known(), makeKey()];
    const blob = Buffer.from(readKeyLine(mine.public)?.blob ?? []);
    const parsed = ssh2.utils.parseKey(other.private);
    if (parsed instanceof Error) throw parsed;
    const data = randomBytes(64);
    const shown = { key: { algo: ed25519, data: blob }, blob: data };
    expect(provesKey({ ...shown, signature: parsed.sign(data) })).toBe(false);
    expect(await gateway.scrape()).toMatch(/gpuaas_jump_door_refusals_total\{.*reason="unknown_key".*\} [1-9]/);
  });

  it('has no shell, no commands, no files and no ports of its own, and says so', async () => {
    const gateway = await start();
    await machine(gateway);
    const client = await signIn(gateway, known());
    const attempt = (ask: (done: (error: Error | undefined) => void) => void) =>
      new Promise<string>((resolve) => ask((error) => resolve(error?.message ?? 'it did')));
    const noShell = /jump host without a shell/;
    expect(await attempt((done) => client.shell(done))).toMatch(noShell);
    expect(await attempt((done) => client.exec('id', done))).toMatch(noShell);
    expect(await attempt((done) => client.sftp(done))).toMatch(noShell);
    expect(await attempt((done) => client.openssh_forwardOutStreamLocal('/run/x', done))).toMatch(noShell);
    expect(await attempt((done) => client.forwardIn('127.0.0.1', 0, done))).not.toBe('it did');
  });

  it('says why it does not open a channel', async () => {
    const gateway = await start();
    await machine(gateway);
    const client = await signIn(gateway, known());
    await expect(forward(client, 'other')).rejects.toThrow('Nothing is called other.');
    api.jump.open = () => new Fault('terminal_recording_required', 'Sessions in this allocation are recorded.');
    await expect(forward(client, 'trainer')).rejects.toThrow('Sessions in this allocation are recorded.');
  });

  it('ends a connection whose person lost the right to it, at once and whole', async () => {
    const gateway = await start();
    const { session, agent } = await machine(gateway);
    const client = await signIn(gateway, known());
    const channel = await forward(client, 'trainer');
    const gone = once(client, 'close');
    channel.resume();
    api.endSession(session, 'rights_lost');
    await gone;
    expect(agent.orders).toContainEqual({ type: 'end', reason: 'rights_lost' });
  });

  it('bounds channels, and connections with one key', async () => {
    const gateway = await start({ channelsPerConnection: 1, connectionsPerKey: 1 });
    await machine(gateway);
    const key = known();
    const client = await signIn(gateway, key);
    await forward(client, 'trainer');
    await expect(forward(client, 'trainer')).rejects.toThrow('too many channels');
    await once(await signIn(gateway, key), 'close');
    expect(gateway.jumpDoor?.clients.size).toBe(1);
  });

  it('closes connections that say nothing, and those that signed in and open nothing', async () => {
    const silent = connect((await start({ signInMs: 200 })).jumpDoor?.port ?? 0, '127.0.0.1');
    silent.resume();
    await once(silent, 'close');
    await once(await signIn(await start({ idleMs: 200 }), known()), 'close');
  });

  it('counts the connections of an address, and refuses more before it speaks', async () => {
    const gateway = await start({ attemptsPerMinute: 1 });
    await signIn(gateway, known());
    await expect(signIn(gateway, known())).rejects.toThrow();
    expect(await gateway.scrape()).toMatch(/reason="address_budget".*\} 1/);
  });
});

describe('the proof of a key on a security token', () => {
  const type = 'sk-ssh-ed25519@openssh.com';
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const data = Buffer.from(sshConcat(sshString(type), sshString(Buffer.from(x, 'base64url')), sshString('ssh:')));
  const blob = randomBytes(80);
  const proofWith = (flag: number) => {
    const tail = Buffer.from(sshConcat(Uint8Array.of(flag), sshUint32(7)));
    const digest = (bytes: Uint8Array | string) => Buffer.from(fingerprintOf(Buffer.from(bytes)).slice(7), 'base64');
    const signed = Buffer.concat([digest('ssh:'), tail, digest(blob)]);
    return Buffer.concat([sign(null, signed, privateKey), tail]);
  };
  it('holds when a person touched the token, and not without', () => {
    const shown = { key: { algo: type, data }, blob };
    expect(provesKey(shown)).toBeUndefined();
    expect(provesKey({ ...shown, signature: proofWith(1) })).toBe(true);
    expect(provesKey({ ...shown, signature: proofWith(0) })).toBe(false);
    expect(provesKey({ ...shown, blob: randomBytes(80), signature: proofWith(1) })).toBe(false);
  });
});
