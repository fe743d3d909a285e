import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeKeyFile } from './authorized-keys.ts';

let folder: string;
let home: string;
let victim: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-keys-'));
  [home, victim] = [join(folder, 'home'), join(folder, 'victim')];
  await mkdir(home);
  await mkdir(victim);
  await writeFile(join(victim, 'authorized_keys'), 'root’s own\n');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const account = () => ({
  name: 'ada',
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  home,
  isOpen: true,
  allocationId: undefined,
});
const write = (keys: readonly string[]) => makeKeyFile({ isRoot: false }).write(account(), keys);
const read = () => readFile(join(home, '.ssh/authorized_keys'), 'utf8');

describe('keys in a home whose owner plays with it', () => {
  it.each([
    ['a folder that leads elsewhere', () => symlink(victim, join(home, '.ssh'))],
    [
      'a file that leads elsewhere',
      async () => {
        await mkdir(join(home, '.ssh'));
        await symlink(join(victim, 'authorized_keys'), join(home, '.ssh/authorized_keys'));
      },
    ],
    [
      'a half-written file that leads elsewhere',
      async () => {
        await mkdir(join(home, '.ssh'));
        await symlink(join(victim, 'authorized_keys'), join(home, '.ssh/authorized_keys.gpuaas'));
      },
    ],
    ['a file in place of the folder', () => writeFile(join(home, '.ssh'), '')],
    ['a folder in place of the file', () => mkdir(join(home, '.ssh/authorized_keys/deep'), { recursive: true })],
    ['nothing at all', async () => undefined],
  ])('are written in spite of %s, and nowhere else', async (_, prepare) => {
    await prepare();
    await write(['ssh-ed25519 AAAA', 'ssh-ed25519 BBBB']);
    expect(await read()).toBe('ssh-ed25519 AAAA\nssh-ed25519 BBBB\n');
    expect(await readFile(join(victim, 'authorized_keys'), 'utf8')).toBe('root’s own\n');
    expect(await readdir(victim)).toEqual(['authorized_keys']);
  });

  it('are the only ones: a second list under an older name goes', async () => {
    await mkdir(join(home, '.ssh'));
    await writeFile(join(home, '.ssh/authorized_keys2'), 'ssh-ed25519 OLD\n');
    await write([]);
    expect(await readdir(join(home, '.ssh'))).toEqual(['authorized_keys']);
    expect(await read()).toBe('');
  });

  it('are not written through a home that leads elsewhere', async () => {
    await rm(home, { recursive: true });
    await symlink(victim, home);
    await expect(write(['ssh-ed25519 AAAA'])).rejects.toThrow(/ELOOP|ENOTDIR/);
    expect(await readdir(victim)).toEqual(['authorized_keys']);
  });
});
