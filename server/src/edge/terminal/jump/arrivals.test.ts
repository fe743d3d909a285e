import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import {
  ed25519,
  ed25519Blob,
  isCertificateType,
  makeCertificate,
  readKeyLine,
  seedOfOpenssh,
  sshConcat,
  sshString,
} from '@gpuaas/contract/ssh';
import ssh2, { type Client } from 'ssh2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { startAgent } from '../../../testing/terminal-peers.ts';
import {
  jumpHostKey,
  makeSshKey,
  makeTestAuthority,
  openTestApi,
  openTestGateway,
  type TestApi,
  type TestAuthority,
  type TestGateway,
} from '../testing.ts';
import { fingerprintOf, provesKey } from './proof.ts';

let authority: TestAuthority;
let api: TestApi;
const open: { close(): unknown }[] = [];
beforeAll(async () => {
  authority = await makeTestAuthority();
  api = await openTestApi(authority);
});
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
  api.jump.hostKey = jumpHostKey.private;
});
afterAll(() => api.close());

async function start(options: Parameters<typeof openTestGateway>[2] = {}): Promise<TestGateway> {
  const gateway = await openTestGateway(authority, api, { jump: {}, ...options });
  open.push(gateway);
  return gateway;
}
const known = () => {
  const key = makeSshKey();
  api.jump.keys.add(fingerprintOf(Buffer.from(readKeyLine(key.public)?.blob ?? [])));
  return key;
};
/** Answers the host key that was shown, in base64. */
async function signIn(
  port: number,
  privateKey: string,
): Promise<{ readonly client: Client; readonly hostKey: string }> {
  const client = new ssh2.Client();
  open.push({ close: () => client.destroy() });
  let hostKey = '';
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.on('error', reject);
    client.once('close', () => reject(new Error('closed')));
    client.connect({
      ...{ host: '127.0.0.1', port, username: 'jump', privateKey },
      hostVerifier: (shown: Buffer) => {
        hostKey = shown.toString('base64');
        return true;
      },
    });
  });
  return { client, hostKey };
}
const portOf = (gateway: TestGateway) => gateway.jumpDoor?.port ?? 0;

describe('the jump host', () => {
  it('shows the next host key soon after an operator has switched to it, and connections that run stay', async () => {
    const gateway = await start({ limits: { hostKeyMs: 20 } });
    const key = known();
    const before = await signIn(portOf(gateway), key.private);
    expect(`ssh-ed25519 ${before.hostKey}`).toBe(jumpHostKey.public);
    let isClosed = false;
    before.client.once('close', () => {
      isClosed = true;
    });
    const next = makeSshKey();
    api.jump.hostKey = next.private;
    await expect
      .poll(async () => `ssh-ed25519 ${(await signIn(portOf(gateway), key.private)).hostKey}`, { timeout: 10_000 })
      .toBe(next.public);
    expect(isClosed).toBe(false);
  });

  it('ends the session of a client that left before its machine was there', async () => {
    const gateway = await start();
    const nodeId = systemIds.next();
    const session = api.openSession(nodeId, undefined, 'ssh');
    const asked = Promise.withResolvers<void>();
    api.jump.open = () => {
      asked.resolve();
      return session;
    };
    const { client } = await signIn(portOf(gateway), known().private);
    client.forwardOut('127.0.0.1', 0, 'trainer', 22, () => undefined);
    await asked.promise;
    client.destroy();
    await expect.poll(() => gateway.jumpDoor?.connections).toBe(0);
    const agent = startAgent([gateway.nodePort], session, await authority.node(nodeId));
    open.push({ close: () => agent.close() });
    await expect.poll(() => session.ended, { timeout: 10_000 }).toMatchObject({ reason: 'closed_by_user' });
    await expect.poll(() => gateway.jumpDoor?.clients.size).toBe(0);
  });
});

/** A TCP proxy that writes something before the bytes of its clients. */
async function startProxy(to: number, header: Buffer): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const one of [near, far]) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    far.write(header);
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return (server.address() as { port: number }).port;
}
function headerOf(address: readonly number[], command = 0x21): Buffer {
  const rest = Buffer.concat([Buffer.from([...address, 10, 0, 0, 1]), Buffer.from([0x30, 0x39, 0x08, 0xae])]);
  const head = Buffer.concat([
    Buffer.from('0d0a0d0a000d0a515549540a', 'hex'),
    Buffer.of(command, 0x11, 0, rest.length),
  ]);
  return Buffer.concat([head, rest]);
}

describe('the jump host behind a TCP proxy', () => {
  const isTrustedProxy = () => true;

  it('counts by the address that a listed proxy names, and the api hears that address', async () => {
    const gateway = await start({ jump: { attemptsPerMinute: 2 }, hasProxyHeaders: true, isTrustedProxy });
    const [one, other] = [
      await startProxy(portOf(gateway), headerOf([192, 0, 2, 1])),
      await startProxy(portOf(gateway), headerOf([192, 0, 2, 2])),
    ];
    const key = known();
    const heard: string[] = [];
    api.jump.open = ({ address }) => {
      heard.push(address);
      return new Error('nothing') as never;
    };
    const { client } = await signIn(one, key.private);
    await new Promise((resolve) => client.forwardOut('127.0.0.1', 0, 'trainer', 22, resolve));
    expect(heard).toEqual(['192.0.2.1']);
    await signIn(one, key.private);
    await expect(signIn(one, key.private)).rejects.toThrow();
    await signIn(other, key.private);
  });

  it('refuses a listed proxy without a header, with a damaged one, and one that speaks for itself', async () => {
    const gateway = await start({ hasProxyHeaders: true, isTrustedProxy });
    const key = known();
    await expect(signIn(portOf(gateway), key.private)).rejects.toThrow();
    for (const header of [
      headerOf([192, 0, 2, 1], 0x20),
      Buffer.from('PROXY TCP4 192.0.2.1 10.0.0.1 1 2\r\n'),
      randomBytes(64),
    ]) {
      await expect(signIn(await startProxy(portOf(gateway), header), key.private)).rejects.toThrow();
    }
  });

  it('does not believe a header of anybody else', async () => {
    const gateway = await start({ hasProxyHeaders: true });
    const port = await startProxy(portOf(gateway), headerOf([192, 0, 2, 1]));
    await expect(signIn(port, known().private)).rejects.toThrow();
  });
});

describe('the proof of a certificate', () => {
  const pair = generateKeyPairSync('ed25519');
  const { x = '' } = pair.publicKey.export({ format: 'jwk' });
  const key = ed25519Blob(Buffer.from(x, 'base64url'));
  const ca = makeSshKey();
  const certify = () => {
    const seed = Buffer.from(seedOfOpenssh(ca.private));
    const signer = readKeyLine(ca.public)?.blob ?? new Uint8Array();
    const secret = createPrivateKey({
      format: 'jwk',
      key: {
        kty: 'OKP',
        crv: 'Ed25519',
        d: seed.toString('base64url'),
        x: Buffer.from(signer.subarray(-32)).toString('base64url'),
      },
    });
    return makeCertificate({
      ...{ key, keyType: ed25519, serial: 7n, keyId: 'me', principals: ['gpuaas-1'], validAfter: 1, validBefore: 2 },
      ...{ nonce: randomBytes(32), authority: signer, sign: (bytes) => sign(null, bytes, secret) },
    });
  };
  const shown = (bytes: Uint8Array, by = pair.privateKey) => {
    const { line, blob: data } = certify();
    const blob = Buffer.from(bytes);
    return {
      key: { algo: line.split(' ')[0] ?? '', data: Buffer.from(data) },
      ...{ blob, signature: Buffer.from(sshConcat(sshString(ed25519), sshString(sign(null, blob, by)))) },
    };
  };

  it('is a signature of the key that the certificate is for', () => {
    const good = shown(randomBytes(100));
    expect(isCertificateType(good.key.algo)).toBe(true);
    expect(provesKey(good)).toBe(true);
    expect(provesKey({ key: good.key, blob: good.blob } as typeof good)).toBeUndefined();
    expect(provesKey({ ...good, blob: randomBytes(100) })).toBe(false);
    expect(provesKey(shown(randomBytes(100), generateKeyPairSync('ed25519').privateKey))).toBe(false);
    expect(provesKey({ ...good, key: { ...good.key, data: good.key.data.subarray(0, 60) } })).toBe(false);
  });
});
