import { execFile, spawn } from 'node:child_process';
import { chown, lstat, mkdir, mkdtemp, open, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { first, makeWork, ordersFor } from '../../conformance-rig.ts';
import { makeAccounts } from '../accounts.ts';
import { makeCommands } from '../commands.ts';
import { isRoot, testUid } from '../testing/fixture.ts';
import { holdMachine, makeRealHost } from '../testing/real-host.ts';
import { makeDisposal } from './disposal.ts';
import { findLeftovers, proveClean, removeLeftovers } from './leftovers.ts';
import { makeMounts } from './mounts.ts';

const run = promisify(execFile);

/**
 * File systems that a tenant mounted with FUSE. When the program behind one is killed, with everything else of the tenant,
 * each look at the place answers ENOTCONN, and what lies under it is still there.
 */
let machine: Server | undefined;
beforeAll(async () => {
  if (isRoot) machine = await holdMachine();
}, 600_000);
afterAll(() => void machine?.close());

let folder: string;
let root: string;
let homes: string;
let uid: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-mounted-'));
  [root, homes, uid] = [join(folder, 'root'), join(folder, 'home'), testUid()];
  for (const name of ['etc', 'tmp', 'var/tmp', 'proc/sysvipc']) await mkdir(join(root, name), { recursive: true });
  await mkdir(homes);
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/bash\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\n');
});
afterEach(async () => {
  const { stdout } = await run('findmnt', ['--list', '--noheadings', '--output', 'TARGET']);
  const left = stdout.split('\n').filter((point) => point.startsWith(`${folder}/`));
  for (const point of left.reverse()) await run('umount', ['--lazy', point]).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});

const makeOwned = async (path: string) => {
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'dataset'), 'the tenant’s own\n');
  for (const one of [path, join(path, 'dataset')]) await chown(one, uid, uid);
  return path;
};
/** What fusermount does for a tenant, whose program is dead a moment later. */
async function mountDead(path: string): Promise<void> {
  const device = await open('/dev/fuse', 'r+');
  const options = `fd=3,rootmode=40000,user_id=${uid},group_id=${uid}`;
  const child = spawn('/usr/bin/mount', ['--internal-only', '--types', 'fuse', '--options', options, 'tenant', path], {
    stdio: ['ignore', 'ignore', 'inherit', device.fd],
  });
  const status = await new Promise((resolve) => child.once('exit', resolve));
  await device.close();
  expect(status).toBe(0);
  await expect(lstat(path)).rejects.toThrow(/ENOTCONN|EACCES/);
}
function makeParts() {
  const commands = makeCommands();
  const mounts = makeMounts({ commands });
  const disposal = makeDisposal({ commands, mounts });
  return {
    root,
    homes,
    commands,
    mounts,
    disposal,
    accounts: makeAccounts({ root, homes, commands, isRoot: true, disposal }),
  };
}
const loginOf = (of: number) => ({ username: `t${of.toString(36)}`, uid: of, gid: of });

describe.runIf(isRoot)('a dead mount of a tenant', () => {
  it('hides nothing: the home and the scratch folder under it are removed', async () => {
    const login = loginOf(uid);
    await mountDead(await makeOwned(join(homes, login.username)));
    await mountDead(await makeOwned(join(root, 'var/tmp/stash')));
    await makeOwned(join(root, 'tmp/outer/a b'));
    await chown(join(root, 'tmp/outer'), uid, uid);
    await mountDead(join(root, 'tmp/outer/a b'));
    const parts = makeParts();
    await removeLeftovers(parts, login);
    await parts.accounts.remove(first, login);
    expect(await readdir(homes)).toEqual([]);
    expect([await readdir(join(root, 'var/tmp')), await readdir(join(root, 'tmp'))]).toEqual([[], []]);
    expect(await findLeftovers(root, login)).toEqual([]);
    expect(await proveClean(parts, loginOf(testUid()))).toMatchObject({ passed: true });
  });

  it.each(['a home', 'a scratch folder'])('over %s is found before the host is handed to another', async (place) => {
    const path = place === 'a home' ? join(homes, 'victim') : join(root, 'var/tmp/stash');
    await mountDead(await makeOwned(path));
    const proof = await proveClean(makeParts(), loginOf(testUid()));
    expect(proof).toMatchObject({ passed: false, detail: expect.stringContaining(path) });
    // Without the mount it is what it is: left by somebody who has no account.
    await run('umount', [path]);
    expect(await proveClean(makeParts(), loginOf(testUid()))).toMatchObject({ passed: false });
  });

  it('is unmounted where it is, and not where a link leads that was put on the way to it', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(join(elsewhere, 'mnt'), { recursive: true });
    await run('mount', ['--types', 'tmpfs', 'tmpfs', join(elsewhere, 'mnt')]);
    await writeFile(join(elsewhere, 'mnt/precious'), 'root’s own\n');
    await makeOwned(join(root, 'tmp/real'));
    await symlink(elsewhere, join(root, 'tmp/way'));
    const { mounts } = makeParts();
    await mounts.unmount([{ point: join(root, 'tmp/way/mnt'), isFuse: true, userId: uid }]);
    expect(await readdir(join(elsewhere, 'mnt'))).toEqual(['precious']);
  });

  it('does not outlive a release on a real host', async () => {
    const real = await makeRealHost();
    try {
      const host = await real.open();
      const { user } = await ordersFor(host, real.login);
      await host.provisionUser(user(first), makeWork());
      uid = real.login.uid;
      await mountDead(join(real.homes, real.login.username));
      await mountDead(await makeOwned(`/tmp/${real.login.username}-stash`));
      await host.revokeUser({ allocation_id: first, login: real.login }, makeWork());
      expect(await readdir(real.homes)).toEqual([]);
      expect(await readdir('/tmp')).not.toContain(`${real.login.username}-stash`);
      expect((await host.provisionUser(user(first), makeWork(2))).disk_clean.passed).toBe(true);
    } finally {
      await real.close();
    }
  }, 120_000);
});

describe.runIf(isRoot)('what a tenant left with programs of the system', () => {
  it('goes with the login: jobs, mail, queues of messages, and the wish to run while away', async () => {
    const login = loginOf(uid);
    const owned = [
      'var/spool/cron/crontabs/x',
      'var/spool/cron/atjobs/a00001019',
      'var/spool/at/a00001019',
      'var/mail/x',
      'dev/mqueue/queue',
      'run/lock/lock',
    ];
    const named = ['var/spool/cron', 'var/lib/systemd/linger', 'var/spool/mail'].map((at) => join(at, login.username));
    for (const path of [...owned, ...named]) {
      await mkdir(join(root, path, '..'), { recursive: true });
      await writeFile(join(root, path), 'x');
    }
    for (const path of owned) await chown(join(root, path), uid, uid);
    await makeOwned(join(root, `run/user/${uid}`));
    expect(await findLeftovers(root, login)).toHaveLength(owned.length + named.length + 1);
    await removeLeftovers(makeParts(), login);
    expect(await findLeftovers(root, login)).toEqual([]);
    // A login may have the name of a folder that belongs to the system.
    await removeLeftovers(makeParts(), { ...login, username: 'atjobs' });
    expect(await readdir(join(root, 'var/spool/cron'))).toContain('atjobs');
  });
});

if (!isRoot) {
  it('is tried as root', () => {
    expect.fail('Run the production suites as root: mounts of tenants were not tried on this machine.');
  });
}
