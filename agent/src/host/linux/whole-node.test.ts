import { appendFile, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf, first, key, makeWork, ordersFor, second } from '../conformance-rig.ts';
import type { Host } from '../port.ts';
import { type Fixture, isRoot, makeFixture, noProcesses } from './testing/fixture.ts';
import type { MachineSpec } from './testing/machines.ts';

let fixture: Fixture;
afterEach(() => fixture.close());
async function begin(spec: MachineSpec = {}) {
  // Two GPUs are as good as eight here, and grow faster.
  fixture = await makeFixture({ gpus: 2, ...spec });
  const host = await fixture.open();
  const orders = await ordersFor(host, fixture.login);
  fixture.calls.length = 0;
  return { host, order: orders.user(first), orders };
}
const looking = ['nvidia-smi', 'timedatectl', '/usr/sbin/sshd'];
/** Without what only looks, and without the removal of trees, whose names are made up. */
const changing = () => fixture.calls.filter(([program]) => ![...looking, 'rm'].includes(program));
const etc = (name: string) => readFile(join(fixture.machine.root, 'etc', name), 'utf8');
const release = () => ({ allocation_id: first, login: fixture.login });

describe('handing a whole host over', () => {
  it('makes the group, the user and a private home, with these words and no others', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    const { username, uid } = fixture.login;
    const home = join(fixture.homes, username);
    expect(changing()).toEqual([
      ['groupadd', '--gid', `${uid}`, '--', username],
      [
        'useradd',
        ...['--uid', `${uid}`, '--gid', `${uid}`, '--no-user-group', '--no-log-init', '--home-dir', home],
        ...['--create-home', '--shell', '/bin/bash', '--comment', `gpuaas allocation ${first}`],
        ...['--password', '*', '--key', 'SUB_UID_COUNT=0', '--key', 'SUB_GID_COUNT=0', '--', username],
      ],
    ]);
    const entry = await lstat(home);
    expect(entry.mode & 0o777).toBe(0o700);
    if (isRoot) expect([entry.uid, entry.gid]).toEqual([uid, uid]);
    // Root puts nothing into the home; the keys lie where the tenant cannot write.
    expect(await readdir(home)).toEqual([]);
    const keys = join(fixture.machine.root, 'etc/ssh/gpuaas-authorized-keys');
    expect(((await lstat(keys)).mode & 0o777).toString(8)).toBe('711');
    const file = await lstat(join(keys, username));
    expect([file.mode & 0o777, file.uid]).toEqual([0o644, process.getuid?.()]);
    expect(await fixture.keysOf(username)).toEqual([key('a')]);
  });

  it('lets nobody in before everything is proven', async () => {
    const { host, order } = await begin();
    const more = { ...order, expect: { ...order.expect, gpu_memory_mib: order.expect.gpu_memory_mib + 1 } };
    expect(await failureOf(host.provisionUser(more, makeWork()))).toBe('gpu_mismatch');
    expect(await fixture.keysOf(fixture.login.username)).toEqual([]);
    expect(await failureOf(host.openShell({ ...shellOrder(), username: fixture.login.username }))).toBe('not_found');
  });

  it.each([
    ['a GPU that has fallen off the bus', 'gpu_unhealthy'],
    ['a driver that does not answer', 'driver_unavailable'],
    ['an sshd that does not answer', 'ssh_unreachable'],
    ['somebody who put the login into a group', 'isolation_failed'],
  ] as const)('is refused over %s', async (trouble, code) => {
    let { host, order } = await begin();
    if (code === 'gpu_unhealthy') fixture.kernelLog = ['NVRM: Xid (PCI:0000:2a:00): 79, GPU has fallen off the bus.'];
    if (code === 'driver_unavailable') fixture.answer = () => ({ status: 9, stdout: '', stderr: 'No devices' });
    if (code === 'ssh_unreachable')
      host = await fixture.open({ door: { address: '127.0.0.1', port: 1 }, patienceMs: 1 });
    if (code === 'isolation_failed') {
      await appendFile(join(fixture.machine.root, 'etc/group'), `docker:x:999:${fixture.login.username}\n`);
    }
    expect(await failureOf(host.provisionUser(order, makeWork())), trouble).toBe(code);
    expect(await fixture.keysOf(fixture.login.username)).toEqual([]);
  });

  it.each([
    ['its name', (name: string) => ({ passwd: `${name}:x:4000:4000::/home/${name}:/bin/bash`, group: '' })],
    ['its user id', (_: string, id: number) => ({ passwd: `grace:x:${id}:4000::/home/grace:/bin/bash`, group: '' })],
    ['its group id', (_: string, id: number) => ({ passwd: '', group: `grace:x:${id}:` })],
    ['its group', (name: string) => ({ passwd: '', group: `${name}:x:4000:` })],
  ])('is a conflict when %s is somebody else’s, who keeps everything, also when it is taken back', async (_, lines) => {
    const { host, order } = await begin();
    const { passwd, group } = lines(fixture.login.username, fixture.login.uid);
    await appendFile(join(fixture.machine.root, 'etc/passwd'), passwd && `${passwd}\n`);
    await appendFile(join(fixture.machine.root, 'etc/group'), group && `${group}\n`);
    const before = [await etc('passwd'), await etc('group')];
    expect(await failureOf(host.provisionUser(order, makeWork()))).toBe('user_conflict');
    expect((await host.revokeUser(release(), makeWork())).user_absent.passed).toBe(true);
    expect(changing()).toEqual([]);
    expect([await etc('passwd'), await etc('group')]).toEqual(before);
    expect(await host.runtimes()).toEqual([]);
  });

  it('is a conflict when a directory of the company knows the name', async () => {
    const { host, order } = await begin();
    fixture.answer = ([program]) =>
      program === 'useradd' ? { status: 9, stdout: '', stderr: 'useradd: user exists' } : undefined;
    expect(await failureOf(host.provisionUser(order, makeWork()))).toBe('user_conflict');
  });

  it('is a conflict when something runs under the number already', async () => {
    const { order } = await begin();
    const signalled: number[] = [];
    const processes = {
      ...noProcesses,
      of: async () => [4_711],
      signal: (pid: number) => void signalled.push(pid),
      killAll: async (uid: number) => void signalled.push(uid),
    };
    const host = await fixture.open({ processes });
    expect(await failureOf(host.provisionUser(order, makeWork()))).toBe('user_conflict');
    await host.revokeUser(release(), makeWork());
    expect(signalled).toEqual([]);
  });

  it('is refused while a process runs whose user has no account, unless the system gives such ids out itself', async () => {
    const { order } = await begin();
    for (const uid of [20_000, 20_001, 59_999]) {
      const stray = { ...noProcesses, all: async () => [{ pid: 4_711, uid }] };
      const host = await fixture.open({ processes: stray });
      expect(await failureOf(host.provisionUser(order, makeWork()))).toBe('host_not_ready');
    }
    // Daemons, an operator, a service of systemd, nobody and a container.
    const usual = [0, 999, 1_000, 61_184, 65_534, 165_536, 524_288].map((uid) => ({ pid: 4_712, uid }));
    const host = await fixture.open({ processes: { ...noProcesses, all: async () => usual } });
    expect((await host.provisionUser(order, makeWork())).disk_clean.passed).toBe(true);
  });

  it('waits for nobody’s home: one that was left behind is found, and the host is not clean', async () => {
    const { host, order } = await begin();
    await mkdir(join(fixture.homes, fixture.login.username));
    expect(await failureOf(host.provisionUser(order, makeWork()))).toBe('disk_dirty');
  });

  it('is refused while it is not known who has the host', async () => {
    const { host, order } = await begin();
    await mkdir(join(fixture.folder, 'state/tenancies'), { recursive: true });
    await writeFile(join(fixture.folder, 'state/tenancies', `${second}.json`), '{"half":');
    expect(await failureOf(host.provisionUser(order, makeWork()))).toBe('host_not_ready');
    expect(changing()).toEqual([]);
  });

  it('leaves no open login when the lease ended while it was made', async () => {
    const { host, order } = await begin();
    let ending: Promise<void> | undefined;
    fixture.answer = ([program]) => {
      if (program === 'useradd') ending = host.endRuntime(first);
      return undefined;
    };
    expect(await failureOf(host.provisionUser(order, makeWork()))).toBe('lease_conflict');
    await ending;
    expect((await host.runtimes()).filter(({ running }) => running)).toEqual([]);
    expect(await fixture.keysOf(fixture.login.username)).toEqual([]);
    expect(await failureOf(host.provisionUser(order, makeWork()))).toBe('lease_conflict');
  });

  it('refuses a generation that has been overtaken, in the making and in the ending', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork(5));
    expect(await failureOf(host.provisionUser(order, makeWork(4)))).toBe('lease_conflict');
    expect(await failureOf(host.revokeUser(release(), makeWork(4)))).toBe('lease_conflict');
    expect(await host.runtimes()).toEqual([{ allocationId: first, shape: 'bare_metal', running: true }]);
  });
});

describe('the GPUs of a whole host that is stopped', () => {
  it('are at work while something still runs under its number, and from the moment at which its login is open', async () => {
    const { order } = await begin();
    let running: number[] = [];
    const host = await fixture.open({ processes: { ...noProcesses, of: async () => running } });
    await host.provisionUser(order, makeWork());
    await host.stop({ ...release(), grace_seconds: 0 }, makeWork());
    expect(await host.gpusOf(first)).toEqual([]);
    running = [4_711];
    expect(await host.gpusOf(first)).toEqual(order.expect.gpu_uuids);
    running = [];
    const work = makeWork();
    let seen: Promise<readonly string[]> | undefined;
    work.onPhase = (name) => {
      if (name === 'readiness') seen = host.gpusOf(first);
    };
    await host.start({ ...release(), authorized_keys: [key('a')], expect: order.expect }, work);
    expect(await seen).toEqual(order.expect.gpu_uuids);
  });
});

describe('taking a whole host back', () => {
  it('closes the login before it ends what runs, and removes it with its home', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    fixture.calls.length = 0;
    const gone = await host.revokeUser(release(), makeWork());
    expect([gone.user_absent.passed, gone.processes_ended.passed]).toEqual([true, true]);
    const { username } = fixture.login;
    expect(changing()).toEqual([
      ['usermod', '--lock', '--expiredate', '1', '--shell', '/usr/sbin/nologin', '--', username],
      ['userdel', '--', username],
      ['groupdel', '--', username],
    ]);
    expect(await etc('passwd')).not.toContain(username);
    expect(await etc('group')).not.toContain(username);
    await expect(lstat(join(fixture.homes, username))).rejects.toThrow(/ENOENT/);
  });

  it.each([1, 2])(
    'is not clean while a process runs under a number without an account, seen in look %i',
    async (at) => {
      const { order } = await begin();
      let isEnding = false;
      let looks = 0;
      const stray = { pid: 4_711, uid: fixture.login.uid + 1 };
      const processes = {
        ...noProcesses,
        all: async () => {
          if (isEnding) looks += 1;
          return looks === at ? [stray] : [];
        },
      };
      const host = await fixture.open({ processes });
      await host.provisionUser(order, makeWork());
      isEnding = true;
      expect(await failureOf(host.revokeUser(release(), makeWork()))).toBe('user_remains');
      // The process is gone: the same order ends well, after two clean looks.
      looks = at;
      expect((await host.revokeUser(release(), makeWork())).user_absent.passed).toBe(true);
      expect(looks).toBe(at + 2);
    },
  );

  it('needs no home to end: one that leads elsewhere is removed, and not what it leads to', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    const [home, elsewhere] = [join(fixture.homes, fixture.login.username), join(fixture.folder, 'elsewhere')];
    await rm(home, { recursive: true });
    await mkdir(join(elsewhere, '.ssh'), { recursive: true });
    await symlink(elsewhere, home);
    await host.endRuntime(first);
    expect((await host.runtimes()).filter(({ running }) => running)).toEqual([]);
    expect((await host.revokeUser(release(), makeWork())).user_absent.passed).toBe(true);
    await expect(lstat(home)).rejects.toThrow(/ENOENT/);
    expect(await readdir(join(elsewhere, '.ssh'))).toEqual([]);
  });

  it('does not wait for an attestation that is stuck', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    const stuck = await fixture.open({ kernelLog: { read: () => new Promise(() => undefined) } });
    const off = new AbortController();
    const params = { allocation_id: first, login: fixture.login, expect: order.expect };
    const attesting = failureOf(stuck.attest(params, { ...makeWork(), signal: off.signal }));
    off.abort();
    expect(await attesting).toBe('aborted');
    expect((await stuck.revokeUser(release(), makeWork())).user_absent.passed).toBe(true);
  });

  it('does not call a login gone that is still there', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    fixture.answer = ([program]) =>
      program === 'userdel' ? { status: 8, stdout: '', stderr: 'user is currently used by process 1' } : undefined;
    expect(await failureOf(host.revokeUser(release(), makeWork()))).toBe('user_remains');
    fixture.answer = () => undefined;
    expect((await host.revokeUser(release(), makeWork())).user_absent.passed).toBe(true);
  });

  it('goes on from wherever the agent died, in the making and in the ending', async () => {
    const { order } = await begin();
    // Hundreds of handovers, and nothing runs in any of them.
    fixture.processes = noProcesses;
    let deaths = 0;
    const make = (host: Host) => host.provisionUser(order, makeWork());
    const takeBack = (host: Host) => host.revokeUser(release(), makeWork());
    for (const run of [make, takeBack]) {
      for (const when of ['before', 'after'] as const) {
        for (let step = 1; ; step += 1) {
          const host = await fixture.open();
          fixture.dieAt(step, when);
          await run(host).catch(() => undefined);
          if (!fixture.isDead) break;
          deaths += 1;
          const later = await fixture.crash();
          // What was under way is either taken up again or taken back; both end well.
          await later.provisionUser(order, makeWork()).catch(() => undefined);
          await later.revokeUser(release(), makeWork());
          expect(await later.runtimes()).toEqual([]);
          expect(await etc('passwd')).not.toContain(fixture.login.username);
          if (run === takeBack) await make(later);
        }
        const host = await fixture.open();
        await host.provisionUser(order, makeWork());
        expect(await fixture.keysOf(fixture.login.username)).toEqual([key('a')]);
      }
    }
    expect(deaths).toBeGreaterThan(20);
  }, 120_000);
});

describe('restarting a whole host', () => {
  it('asks systemd once, and proves afterwards that all is well', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    fixture.calls.length = 0;
    const params = { allocation_id: first, login: fixture.login, expect: order.expect };
    const work = makeWork();
    expect((await host.restart(params, work)).ssh.reachable).toBe(true);
    expect(changing()).toEqual([['systemctl', 'reboot']]);
    expect(work.phases).toEqual(['reboot', 'readiness']);
  });

  it('is not done again by the agent that comes back after it', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    const params = { allocation_id: first, login: fixture.login, expect: order.expect };
    // The machine goes down while the command still runs.
    fixture.answer = ([program]) => {
      if (program !== 'systemctl') return undefined;
      fixture.dieAt(1, 'before');
      return undefined;
    };
    await host.restart(params, makeWork()).catch(() => undefined);
    expect(fixture.isDead).toBe(true);
    const later = await fixture.crash();
    fixture.answer = () => undefined;
    fixture.calls.length = 0;
    expect((await later.restart(params, makeWork())).allocation_id).toBe(first);
    expect(changing()).toEqual([]);
  });

  it('says so when the machine refuses, and may be asked again', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    const params = { allocation_id: first, login: fixture.login, expect: order.expect };
    fixture.answer = ([program]) =>
      program === 'systemctl' ? { status: 1, stdout: '', stderr: 'Operation inhibited' } : undefined;
    expect(await failureOf(host.restart(params, makeWork()))).toBe('machine_failed');
    fixture.answer = () => undefined;
    expect((await host.restart(params, makeWork())).ssh.reachable).toBe(true);
  });
});

const shellOrder = () => ({ allocationId: first, columns: 80, rows: 24 });

describe('terminals of a whole host', () => {
  it('have the ids of the login on every count, and can win no others', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    const opening = host.openShell({ ...shellOrder(), username: fixture.login.username });
    // An agent without root could only give its own ids away, and does not.
    if (!isRoot) return expect(await failureOf(opening)).toBe('not_supported');
    const shell = await opening;
    await shell.write(Buffer.from('grep -E "^(Uid|Gid|Groups|CapBnd|CapEff|NoNewPrivs)" /proc/self/status; exit\n'));
    let text = '';
    for await (const chunk of shell.output) text += Buffer.from(chunk).toString();
    const { uid, gid } = fixture.login;
    const four = (id: number) => [id, id, id, id].join('\\s+');
    expect(text).toMatch(new RegExp(`Uid:\\s+${four(uid)}\\s`));
    expect(text).toMatch(new RegExp(`Gid:\\s+${four(gid)}\\s`));
    expect(text).toMatch(/Groups:\s*\r?\n/);
    expect(text).toMatch(/CapEff:\s+0+\r?\n[\s\S]*CapBnd:\s+0+\r?\n[\s\S]*NoNewPrivs:\s+1/);
  });

  it('are not opened under another name', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    expect(await failureOf(host.openShell({ ...shellOrder(), username: 'root' }))).toBe('not_found');
    expect(await failureOf(host.openShell({ ...shellOrder(), allocationId: second, username: 'ada' }))).toBe(
      'not_found',
    );
  });
});
