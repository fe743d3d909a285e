import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../clock.ts';
import { failureOf, first, makeWork, ordersFor } from '../../conformance-rig.ts';
import { makeCommands } from '../commands.ts';
import { isRoot, testUid } from '../testing/fixture.ts';
import { holdMachine, makeRealHost, type RealHost, sweepMachine } from '../testing/real-host.ts';
import { endProcesses, readProcesses } from './processes.ts';

/**
 * Real processes that do not want to end. The chain has another pid every few milliseconds, so that no list of processes
 * shows it; it counts its generations in a file, which is how a test sees whether it lives.
 */
const chain = [
  '#!/bin/sh',
  'trap "" HUP TERM',
  'echo "$2" > "$1.new" && mv "$1.new" "$1"',
  'if [ "$3" = fierce ]; then kill -KILL -1; fi',
  '"$0" "$1" $(( $2 + 1 )) "$3" &',
  '',
].join('\n');

let folder: string;
let machine: Server | undefined;
beforeAll(async () => {
  if (!isRoot) return;
  machine = await holdMachine();
  await sweepMachine();
}, 600_000);
afterAll(async () => {
  if (!isRoot) return;
  await sweepMachine();
  machine?.close();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-ending-'));
  await mkdir(join(folder, 'beats'));
  await chmod(folder, 0o755);
  await chmod(join(folder, 'beats'), 0o1777);
  await writeFile(join(folder, 'chain'), chain, { mode: 0o755 });
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

const beat = async (name: string) => Number(await readFile(join(folder, 'beats', name), 'utf8').catch(() => '0'));
const waitForBeats = async (names: readonly string[], count: number) => {
  const goals = await Promise.all(names.map(async (name) => ({ name, goal: (await beat(name)) + count })));
  for (const { name, goal } of goals) while ((await beat(name)) < goal) await systemClock.sleep(20);
};
const as = (uid: number, ...words: string[]): ChildProcess =>
  spawn('/usr/bin/setpriv', ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--', ...words], {
    stdio: 'ignore',
    detached: true,
  });
const startChain = (uid: number, name: string, kind = 'meek') =>
  as(uid, join(folder, 'chain'), join(folder, 'beats', name), '1', kind);
/** Long enough for a living chain to go on: programs that are started one after the other, as its own are. */
const expectStill = async (names: readonly string[]) => {
  const before = await Promise.all(names.map(beat));
  for (let turn = 0; turn < 50; turn += 1) await makeCommands().run(['true']);
  expect(await Promise.all(names.map(beat))).toEqual(before);
};
const parts = () => ({ processes: readProcesses(), clock: systemClock });

describe.runIf(isRoot)('what runs as a tenant is ended', () => {
  it('when it forks and exits faster than it can be listed, several times over', async () => {
    const uid = testUid();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (let round = 0; round < 3; round += 1) {
      for (const name of names) startChain(uid, name);
      await waitForBeats(names, 5);
      await endProcesses(parts(), uid, 0);
      await expectStill(names);
    }
  }, 300_000);

  it('when it kills everything it may, as often as it can, and so would kill who comes to end it', async () => {
    const uid = testUid();
    for (let round = 0; round < 3; round += 1) {
      startChain(uid, 'fierce', 'fierce');
      await waitForBeats(['fierce'], 5);
      await endProcesses(parts(), uid, 0);
      await expectStill(['fierce']);
    }
  }, 300_000);

  it('and nothing else is: neither another user’s processes nor root’s', async () => {
    const [uid, other] = [testUid(), testUid()];
    const bystander = as(other, 'sleep', '600');
    const own = spawn('sleep', ['600'], { stdio: 'ignore' });
    startChain(uid, 'a');
    await waitForBeats(['a'], 2);
    await endProcesses(parts(), uid, 0);
    expect(await readProcesses().of(other)).toEqual([bystander.pid]);
    expect([bystander.exitCode, bystander.signalCode, own.exitCode, own.signalCode]).toEqual([null, null, null, null]);
    expect((await readProcesses().all()).filter(({ uid: of }) => of === other)).toEqual([
      { pid: bystander.pid, uid: other },
    ]);
    bystander.kill('SIGKILL');
    own.kill('SIGKILL');
  }, 120_000);

  it('with what took on another id inside of its sessions, where the kernel groups processes', async () => {
    const [uid, other] = [testUid(), testUid()];
    const trees = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];
    const isSecond = await Promise.all(
      trees.map((tree) => stat(join(tree, 'cgroup.controllers')).catch(() => undefined)),
    );
    const tree = trees.find((_, index) => isSecond[index]);
    // A machine with control groups of version 1 only kills what it finds.
    if (!tree) return;
    const slice = join(tree, 'user.slice', `user-${uid}.slice`);
    await mkdir(slice, { recursive: true });
    const member = as(other, 'sleep', '600');
    const gone = new Promise((resolve) => member.once('exit', (_, signal) => resolve(signal)));
    await writeFile(join(slice, 'cgroup.procs'), `${member.pid}`);
    await readProcesses().killSessions(uid);
    expect(await gone).toBe('SIGKILL');
    await rmdir(slice);
    // It stays where others have sessions too.
    await rmdir(join(tree, 'user.slice')).catch(() => undefined);
  }, 120_000);
});

describe.runIf(isRoot)('a host that is taken back', () => {
  let real: RealHost;
  afterEach(() => real.close());

  it('has ended a chain of processes, and attests to what is so', async () => {
    real = await makeRealHost();
    const host = await real.open();
    const { user } = await ordersFor(host, real.login);
    const mine = await real.makeKey('mine');
    await host.provisionUser({ ...user(first), authorized_keys: [mine.key] }, makeWork());
    const names = ['a', 'b', 'c'];
    for (const name of names) {
      const words = [join(folder, 'chain'), join(folder, 'beats', name), '1', 'meek'].join(' ');
      await real.ssh(mine.path, `setsid ${words} </dev/null >/dev/null 2>&1 & exit 0`);
    }
    await waitForBeats(names, 5);
    const gone = await host.revokeUser({ allocation_id: first, login: real.login }, makeWork());
    expect(gone.processes_ended.passed).toBe(true);
    await expectStill(names);
  }, 300_000);

  it('is not handed over while a process of an earlier tenant runs', async () => {
    const stranger = testUid();
    real = await makeRealHost({ strangers: [stranger] });
    const host = await real.open();
    const { user } = await ordersFor(host, real.login);
    const left = as(stranger, 'sleep', '600');
    while ((await readProcesses().of(stranger)).length === 0) await systemClock.sleep(20);
    expect(await failureOf(host.provisionUser(user(first), makeWork()))).toBe('host_not_ready');
    const gone = new Promise((resolve) => left.once('exit', resolve));
    left.kill('SIGKILL');
    await gone;
    expect((await host.provisionUser(user(first), makeWork(2))).isolation.passed).toBe(true);
  }, 120_000);
});

if (!isRoot) {
  it('is tried as root', () => {
    expect.fail('Run the production suites as root: the ending of processes was not tried on this machine.');
  });
}
