import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ed25519, ed25519Blob, keyLine, makeCertificate, readKeyLine } from '@gpuaas/contract/ssh';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, first, makeWork, ordersFor } from '../../conformance-rig.ts';
import { isRoot } from '../testing/fixture.ts';
import { holdMachine, makeRealHost, type RealHost, sweepMachine } from '../testing/real-host.ts';
import { knownHostOptions, openStreamDoor, runProgram } from '../testing/stream-door.ts';

/** Real OpenSSH clients, a real sshd and a real user behind it; between them the streams that the gateway carries. */
let machine: Server | undefined;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-streams-'));
  if (!isRoot) return;
  machine = await holdMachine();
  await sweepMachine();
}, 600_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  if (!isRoot) return;
  await sweepMachine();
  machine?.close();
});

if (!isRoot) {
  it('is tried as root: it makes users and removes them', () => {
    expect.fail('Run the production suites as root: SSH was not tried on this machine.');
  });
}

/** An authority as the control plane has it. */
function makeAuthority() {
  const pair = generateKeyPairSync('ed25519');
  const point = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const blob = ed25519Blob(point);
  return {
    line: keyLine(ed25519, blob),
    sign(key: string, principal: string, seconds = 300): string {
      const subject = readKeyLine(key);
      if (!subject) throw new Error('no key');
      const now = Math.floor(Date.now() / 1_000);
      return makeCertificate({
        ...{ key: subject.blob, keyType: subject.type, serial: 1n, keyId: 'a test', principals: [principal] },
        ...{ validAfter: now - 600, validBefore: now + seconds, nonce: randomBytes(32), authority: blob },
        sign: (bytes) => sign(null, bytes, pair.privateKey),
      }).line;
    },
  };
}

describe.runIf(isRoot)('SSH to a whole node', () => {
  let real: RealHost;
  const closing: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of closing.splice(0)) await one.close();
    await real.close();
  });
  const begin = async () => {
    real = await makeRealHost();
    const host = await real.open();
    const { user } = await ordersFor(host, real.login);
    const [mine, other] = [await real.makeKey('mine'), await real.makeKey('other')];
    const seen = await host.provisionUser({ ...user(first), authorized_keys: [mine.key, other.key] }, makeWork());
    const knownHosts = join(folder, 'known_hosts');
    await writeFile(knownHosts, (seen.ssh.host_keys ?? []).map((key) => `it ${key}\n`).join(''));
    const order = { allocationId: first, username: real.login.username, to: { kind: 'ssh' } as const };
    const door = await openStreamDoor(host, order);
    closing.push(door);
    const options = (keyFile = mine.path) => knownHostOptions({ keyFile, knownHosts, alias: 'it' });
    const target = `${real.login.username}@127.0.0.1`;
    const ssh = (command: string, keyFile?: string) =>
      runProgram('ssh', ['-F', '/dev/null', '-p', `${door.port}`, ...options(keyFile), target, command]);
    return { host, mine, other, knownHosts, door, options, target, ssh, order };
  };

  it('carries ssh, scp, rsync and sftp, byte for byte, with host keys that were attested', async () => {
    const { door, options, target, ssh } = await begin();
    expect(await ssh('id -u')).toBe(`${real.login.uid}\n`);
    const [here, back] = [join(folder, 'here'), join(folder, 'back')];
    const bytes = randomBytes(5_000_000);
    await writeFile(here, bytes);
    await runProgram('scp', ['-q', '-F', '/dev/null', '-P', `${door.port}`, ...options(), here, `${target}:scp`]);
    const shell = ['ssh', '-F', '/dev/null', '-p', `${door.port}`, ...options()].join(' ');
    await runProgram('rsync', ['-e', shell, here, `${target}:rsync`]);
    expect(await ssh('cmp scp rsync && wc -c < scp')).toBe('5000000\n');
    await writeFile(join(folder, 'batch'), `get rsync ${back}\n`);
    await runProgram('sftp', [
      ...['-q', '-F', '/dev/null', '-b', join(folder, 'batch'), '-P', `${door.port}`],
      ...[...options(), target],
    ]);
    expect((await readFile(back)).equals(bytes)).toBe(true);
  });

  it('is refused by a client that knows another host key', async () => {
    const { knownHosts, other, ssh } = await begin();
    await writeFile(knownHosts, `it ${other.key}\n`);
    await expect(ssh('true')).rejects.toThrow(/Host key verification failed/);
  });

  it('ends with the key that opened it, while it runs, and the key lets nobody in again', async () => {
    const { host, mine, other, door, options, target, ssh } = await begin();
    const child: ChildProcess = spawn(
      'ssh',
      ['-F', '/dev/null', '-p', `${door.port}`, ...options(mine.path), target, 'echo in; sleep 300'],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    const gone = once(child, 'close');
    const keys = { allocation_id: first, login: real.login };
    // The same keys in another order end nothing.
    await host.installKeys({ ...keys, authorized_keys: [other.key, mine.key] }, makeWork());
    expect(child.exitCode).toBeNull();
    await host.installKeys({ ...keys, authorized_keys: [other.key] }, makeWork());
    expect((await gone)[0]).toBe(255);
    await expect(ssh('true')).rejects.toThrow(/Permission denied/);
    expect(await ssh('echo still', other.path)).toBe('still\n');
  });

  it('is opened by a certificate of a trusted authority that names the allocation, and by no other one', async () => {
    const { host, mine, other, door, knownHosts, target } = await begin();
    const keys = { allocation_id: first, login: real.login, authorized_keys: [mine.key] };
    const [ours, foreign] = [makeAuthority(), makeAuthority()];
    const seen = await host.installKeys({ ...keys, trusted_authorities: [ours.line] }, makeWork());
    expect(seen).toHaveLength(1);
    const enter = async (line: string) => {
      const certificate = join(folder, 'test-cert.pub');
      await writeFile(certificate, `${line}\n`);
      const options = [
        ...knownHostOptions({ keyFile: other.path, knownHosts, alias: 'it' }),
        '-o',
        `CertificateFile=${certificate}`,
      ];
      return runProgram('ssh', ['-F', '/dev/null', '-p', `${door.port}`, ...options, target, 'id -u']);
    };
    const principal = `gpuaas-${first}`;
    expect(await enter(ours.sign(other.key, principal))).toBe(`${real.login.uid}\n`);
    for (const bad of [
      ours.sign(other.key, 'gpuaas-00000000-0000-7000-8000-000000000000'),
      ours.sign(other.key, real.login.username),
      ours.sign(other.key, principal, -60),
      foreign.sign(other.key, principal),
    ]) {
      await expect(enter(bad)).rejects.toThrow(/Permission denied/);
    }
    // The next authority is trusted beside the first, and the first is forgotten later; no key is gone, so nobody is sent away.
    await host.installKeys({ ...keys, trusted_authorities: [ours.line, foreign.line] }, makeWork());
    expect(await enter(foreign.sign(other.key, principal))).toBe(`${real.login.uid}\n`);
    await host.installKeys({ ...keys, trusted_authorities: [foreign.line] }, makeWork());
    await expect(enter(ours.sign(other.key, principal))).rejects.toThrow(/Permission denied/);
  });

  it('is not opened for another login, nor for an allocation that is not here', async () => {
    const { host, order } = await begin();
    expect(await failureOf(host.openStream({ ...order, username: 'root' }))).toBe('not_found');
    const elsewhere = { ...order, allocationId: '00000000-0000-7000-8000-000000000000' };
    expect(await failureOf(host.openStream(elsewhere))).toBe('not_found');
  });
});
