import { access, lstat, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hostConformance } from '../conformance.ts';
import { failureOf, first, makeWork, ordersFor, readUntil } from '../conformance-rig.ts';
import { sharedKinds } from './removal/leftovers.ts';
import { readProcesses } from './removal/processes.ts';
import { isRoot } from './testing/fixture.ts';
import { holdMachine, makeRealHost, type RealHost, sweepMachine } from './testing/real-host.ts';

/** Real users on this machine, and a real sshd in front of them. Only root can make users, so only root can run this. */
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

if (isRoot) {
  hostConformance('linux', async () => {
    const real = await makeRealHost();
    return {
      limitations: ['slices', 'containers', 'slice containers', 'reimage'],
      login: real.login,
      open: real.open,
      crash: real.open,
      keysOf: ({ username }) => real.keysOf(username),
      close: real.close,
    };
  });
} else {
  it('is tried as root: it makes users and removes them', () => {
    expect.fail('Run the production suites as root: the Linux host was not tried on this machine.');
  });
}

describe.runIf(isRoot)('a login on a real machine', () => {
  let real: RealHost;
  afterEach(() => real.close());
  const begin = async (options: Parameters<typeof makeRealHost>[0] = {}) => {
    real = await makeRealHost(options);
    const host = await real.open();
    const { user } = await ordersFor(host, real.login);
    const [mine, other] = [await real.makeKey('mine'), await real.makeKey('other')];
    const order = { ...user(first), authorized_keys: [mine.key] };
    return { host, order, mine, other, release: { allocation_id: first, login: real.login } };
  };
  const isGone = (path: string) =>
    lstat(path).then(
      () => false,
      () => true,
    );

  it.each([true, false])(
    'lets its keys in and no others, with PAM (%s), and says which host it is',
    async (usesPam) => {
      const { host, order, mine, other } = await begin({ usesPam });
      const seen = await host.provisionUser(order, makeWork());
      expect(seen.ssh).toMatchObject({ reachable: true, username: real.login.username });
      expect(seen.ssh.host_key_fingerprint).toBe(await real.seenFingerprint());
      expect(await real.ssh(mine.path, 'id -u; id -g; id -G; pwd')).toBe(
        `${real.login.uid}\n${real.login.gid}\n${real.login.gid}\n${join(real.homes, real.login.username)}\n`,
      );
      await expect(real.ssh(other.path, 'true')).rejects.toThrow(/Permission denied/);
      await host.installKeys({ allocation_id: first, login: real.login, authorized_keys: [other.key] }, makeWork());
      await expect(real.ssh(mine.path, 'true')).rejects.toThrow(/Permission denied/);
      expect(await real.ssh(other.path, 'echo in')).toBe('in\n');
    },
  );

  it('goes with everything: what ignores signals, what it left elsewhere, and the way in', async () => {
    const { host, order, mine, release } = await begin();
    await host.provisionUser(order, makeWork());
    const { uid, username } = real.login;
    const trace = `/tmp/${username}-trace`;
    const stubborn = `trap "" HUP TERM INT; while :; do sleep 0.3; done`;
    await real.ssh(mine.path, `mkdir ${trace} /dev/shm/${username}; touch ${trace}/a; ipcmk -M 4096 -Q >/dev/null`);
    await real.ssh(mine.path, `setsid sh -c '${stubborn}' >/dev/null 2>&1 & setsid sleep 300 >/dev/null 2>&1 & exit 0`);
    const isShared = async () => {
      const lists = await Promise.all(sharedKinds.map((kind) => readFile(`/proc/sysvipc/${kind}`, 'utf8')));
      return lists.map((text) => text.split(/\s+/).includes(String(uid)));
    };
    expect(await isShared()).toEqual([true, true, false]);
    await mkdir('/var/spool/cron/crontabs', { recursive: true });
    await writeFile(`/var/spool/cron/crontabs/${username}`, '* * * * * true\n');
    expect((await readProcesses().of(uid)).length).toBeGreaterThan(0);

    const gone = await host.revokeUser(release, makeWork());
    expect([gone.user_absent.passed, gone.processes_ended.passed]).toEqual([true, true]);
    expect(await readProcesses().of(uid)).toEqual([]);
    expect(await isShared()).toEqual([false, false, false]);
    const places = [trace, `/dev/shm/${username}`, `/var/spool/cron/crontabs/${username}`, join(real.homes, username)];
    expect(await Promise.all(places.map(isGone))).toEqual([true, true, true, true]);
    for (const file of ['/etc/passwd', '/etc/group', '/etc/shadow', '/etc/subuid', '/etc/subgid']) {
      expect(await readFile(file, 'utf8').catch(() => ''), file).not.toContain(username);
    }
    await expect(real.ssh(mine.path, 'true')).rejects.toThrow(/Permission denied/);
    // The next one under the same number finds nothing of it.
    expect((await host.provisionUser(order, makeWork())).disk_clean.passed).toBe(true);
  });

  it('is shut at the end of its lease and keeps what is in its home', async () => {
    const { host, order, mine, release } = await begin();
    await host.provisionUser(order, makeWork());
    await real.ssh(mine.path, 'echo kept > notes');
    await host.endRuntime(first);
    await expect(real.ssh(mine.path, 'true')).rejects.toThrow(/Permission denied|closed|expired/);
    expect(await readFile(join(real.homes, real.login.username, 'notes'), 'utf8')).toBe('kept\n');
    await host.revokeUser(release, makeWork());
    await expect(access(join(real.homes, real.login.username))).rejects.toThrow(/ENOENT/);
  });

  it('has a terminal with its own name, ids and home', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    const { username, uid, gid } = real.login;
    const shell = await host.openShell({ allocationId: first, username, columns: 80, rows: 24 });
    await shell.write(
      Buffer.from('echo "$(whoami)|$(id -u)|$(id -g)|$(id -G)|$PWD|$HOME|$(cat /etc/shadow | wc -l)|"said\n'),
    );
    const home = join(real.homes, username);
    expect(await readUntil(shell, /\|said\r/)).toContain(`${username}|${uid}|${gid}|${gid}|${home}|${home}|0|said`);
    shell.kill();
    await shell.exited;
  });

  it('is not made over somebody who is there already, and leaves them alone', async () => {
    const { host, order } = await begin();
    const login = { username: 'daemon', uid: real.login.uid, gid: real.login.gid };
    const before = await readFile('/etc/passwd', 'utf8');
    expect(await failureOf(host.provisionUser({ ...order, login }, makeWork()))).toBe('user_conflict');
    await host.revokeUser({ allocation_id: first, login }, makeWork());
    expect(await readFile('/etc/passwd', 'utf8')).toBe(before);
    expect(real.calls.filter(([program]) => program !== 'nvidia-smi')).toEqual([]);
  });

  it('has a home that nobody else can look into', async () => {
    const { host, order } = await begin();
    await host.provisionUser(order, makeWork());
    const home = await stat(join(real.homes, real.login.username));
    expect([home.mode & 0o777, home.uid, home.gid]).toEqual([0o700, real.login.uid, real.login.gid]);
  });
});
