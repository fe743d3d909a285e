import { execFile, spawn } from 'node:child_process';
import { chmod, chown, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCommands } from '../commands.ts';
import { isRoot, testUid } from '../testing/fixture.ts';
import { makeDisposal } from './disposal.ts';
import { makeMounts } from './mounts.ts';

const run = promisify(execFile);
const tries = 40;

/** Root removes, while the owner of what is removed does what he can to make it remove something else. */
let folder: string;
let homes: string;
let victim: string;
let uid: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-disposal-'));
  await chmod(folder, 0o755);
  [homes, victim, uid] = [join(folder, 'home'), join(folder, 'victim'), testUid()];
  await mkdir(homes, { mode: 0o755 });
  await mkdir(join(victim, 'deep/deeper'), { recursive: true });
  await writeFile(join(victim, 'deep/deeper/precious'), 'root’s own\n');
  await writeFile(join(victim, 'precious'), 'root’s own\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const makeHome = async (name: string) => {
  const home = join(homes, name);
  await mkdir(home);
  await chown(home, uid, uid);
  return home;
};
const expectUnharmed = async () => {
  expect(await readFile(join(victim, 'deep/deeper/precious'), 'utf8')).toBe('root’s own\n');
  expect(await readFile(join(victim, 'precious'), 'utf8')).toBe('root’s own\n');
};
const disposal = () => {
  const commands = makeCommands();
  return makeDisposal({ commands, mounts: makeMounts({ commands }) });
};

describe.runIf(isRoot)('what a tenant owned is removed by root', () => {
  it('and nothing else, while its owner swaps folders for links as fast as he can', async () => {
    for (let round = 0; round < tries; round += 1) {
      const home = await makeHome(`racer-${round}`);
      const script = [
        'cd "$1" || exit 1',
        'for i in $(seq 60); do mkdir -p "d$i/deep/deeper"; touch "d$i/precious" "d$i/deep/deeper/precious"; done',
        'echo ready',
        'while :; do for i in $(seq 60); do mv "d$i" "x$i"; ln -s "$2" "d$i"; rm -f "d$i"; mv "x$i" "d$i"; done; done',
      ].join('\n');
      const ids = ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--no-new-privs'];
      const tenant = spawn('/usr/bin/setpriv', [...ids, '--', 'bash', '-c', script, 'race', home, victim], {
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      });
      await new Promise((resolve) => tenant.stdout.once('data', resolve));
      // The racer goes on making names where rm works, so it may have to be ended before the last folder goes.
      const removing = disposal()
        .remove(home)
        .catch(() => undefined);
      await removing;
      if (tenant.pid !== undefined) process.kill(-tenant.pid, 'SIGKILL');
      await new Promise((resolve) =>
        tenant.exitCode === null && tenant.signalCode === null ? tenant.once('exit', resolve) : resolve(undefined),
      );
      await disposal().finish(homes);
      expect(await readdir(homes)).toEqual([]);
      await expectUnharmed();
    }
  }, 300_000);

  it('with links, hard links and files that must not change in it; what they lead to stays', async () => {
    const home = await makeHome('hoarder');
    await symlink(victim, join(home, 'away'));
    await symlink(join(victim, 'precious'), join(home, 'file'));
    await link(join(victim, 'precious'), join(home, 'same'));
    await mkdir(join(home, 'locked'));
    await writeFile(join(home, 'locked/file'), 'x');
    // Some file systems do not know the bit; then there is nothing to overcome.
    await run('chattr', ['+i', join(home, 'locked/file')]).catch(() => undefined);
    await chmod(join(home, 'locked'), 0);
    await disposal().remove(home);
    expect(await readdir(homes)).toEqual([]);
    await expectUnharmed();
    expect((await lstat(join(victim, 'precious'))).nlink).toBe(1);
  });

  it('with a disk mounted inside, or in its place: it is unmounted and not emptied', async () => {
    const home = await makeHome('mounter');
    await mkdir(join(home, 'a b/mnt'), { recursive: true });
    const mounted = await run('mount', ['--bind', victim, join(home, 'a b/mnt')]).then(
      () => true,
      () => false,
    );
    if (mounted) expect(await readdir(join(home, 'a b/mnt'))).toContain('precious');
    await disposal().remove(home);
    expect(await readdir(homes)).toEqual([]);
    await expectUnharmed();
    const place = await makeHome('place');
    await run('mount', ['--bind', victim, place]).catch(() => undefined);
    await disposal().remove(place);
    expect(await readdir(homes)).toEqual([]);
    await expectUnharmed();
  });

  it('as it stands when it is a link or a file, and goes on where a crash interrupted', async () => {
    await symlink(victim, join(homes, 'link'));
    await disposal().remove(join(homes, 'link'));
    await disposal().remove(join(homes, 'nothing'));
    await mkdir(join(homes, '.gpuaas-removed-abc/removed/deep'), { recursive: true });
    await symlink(victim, join(homes, '.gpuaas-removed-abc/removed/away'));
    await disposal().finish(homes);
    expect(await readdir(homes)).toEqual([]);
    await expectUnharmed();
  });
});

if (!isRoot) {
  it('is tried as root', () => {
    expect.fail('Run the production suites as root: removal was not tried on this machine.');
  });
}
