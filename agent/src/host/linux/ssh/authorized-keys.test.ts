import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../conformance-rig.ts';
import { fingerprintOfKey } from '../../fingerprint.ts';
import { makeKeyFile } from './authorized-keys.ts';

let folder: string;
let sshdSays: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-keys-'));
  sshdSays = `authorizedkeysfile ${folder}/keys/%u\n`;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const account = { name: 'ada', uid: 20_001, gid: 20_001, home: '/home/ada', isOpen: true, allocationId: undefined };
const keyFile = () =>
  makeKeyFile({
    folder: join(folder, 'keys'),
    commands: { run: async () => ({ status: 0, stdout: sshdSays, stderr: '' }) },
  });
const read = () => readFile(join(folder, 'keys/ada'), 'utf8');
const [first, second] = ['ssh-ed25519 AAAA', 'ssh-ed25519 BBBB'];

describe('the keys of a login', () => {
  it('are replaced as a whole, and what lies there then is told by its fingerprints', async () => {
    expect(await keyFile().write(account, [first, second])).toEqual([first, second].map(fingerprintOfKey));
    expect(await read()).toBe(`${first}\n${second}\n`);
    expect(await keyFile().write(account, [second])).toEqual([fingerprintOfKey(second)]);
    expect(await read()).toBe(`${second}\n`);
    expect(await readdir(join(folder, 'keys'))).toEqual(['ada']);
  });

  it('are in a folder that only root can write to and nobody can list', async () => {
    await mkdir(join(folder, 'keys'));
    await chmod(join(folder, 'keys'), 0o777);
    await keyFile().write(account, [first]);
    expect((await lstat(join(folder, 'keys'))).mode & 0o777).toBe(0o711);
    expect((await lstat(join(folder, 'keys/ada'))).mode & 0o777).toBe(0o644);
  });

  it('are written over what an interrupted write left, and the last of two writers has the last word', async () => {
    await mkdir(join(folder, 'keys'));
    await writeFile(join(folder, 'keys/.ada.next'), 'half');
    const file = keyFile();
    await Promise.all([file.write(account, [first]), file.write(account, [])]);
    expect(await read()).toBe('');
    await file.remove('ada');
    expect(await readdir(join(folder, 'keys'))).toEqual([]);
  });

  it('are gone when they are removed while they are written', async () => {
    const file = keyFile();
    for (let round = 0; round < 50; round += 1) {
      const writing = file.write(account, [first]);
      await file.remove('ada');
      await writing.catch(() => undefined);
      expect(await readdir(join(folder, 'keys'))).toEqual([]);
    }
  });

  it.each(['', 'authorizedkeysfile .ssh/authorized_keys .ssh/authorized_keys2\n', 'authorizedkeysfile none\n'])(
    'are not handed out where sshd reads other files: %j',
    async (says) => {
      sshdSays = says;
      expect(await failureOf(keyFile().expectRead('ada'))).toBe('host_not_ready');
      sshdSays = `authorizedkeysfile ${folder}/keys/%u .ssh/authorized_keys\n`;
      expect(await failureOf(keyFile().expectRead('ada'))).toBe('host_not_ready');
      sshdSays = `port 22\nauthorizedkeysfile ${folder}/keys/%u\n`;
      await keyFile().expectRead('ada');
    },
  );
});
