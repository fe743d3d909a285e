import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../conformance-rig.ts';
import type { Argv, CommandResult } from '../commands.ts';
import { prepareSshd } from './sshd-settings.ts';

let root: string;
let calls: string[];
let answer: (argv: Argv) => number;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuaas-sshd-'));
  [calls, answer] = [[], () => 0];
  await mkdir(join(root, 'etc/ssh'), { recursive: true });
  await writeFile(join(root, 'etc/ssh/sshd_config'), '# usual\nInclude /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\n');
});
afterEach(() => rm(root, { recursive: true }));
const prepare = () =>
  prepareSshd({
    root,
    commands: {
      run: async (argv): Promise<CommandResult> => {
        calls.push(argv.join(' '));
        return { status: answer(argv), stdout: '', stderr: 'line 3: bad' };
      },
    },
  });
const folder = () => join(root, 'etc/ssh/sshd_config.d');
const written = () => readFile(join(folder(), '10-gpuaas.conf'), 'utf8');

describe('telling sshd where the keys of tenants are', () => {
  it('writes a file of our own, has sshd judge it, and reloads sshd', async () => {
    expect(await prepare()).toContain('/etc/ssh/gpuaas-authorized-keys');
    expect(await written()).toMatch(
      /^# .+\nMatch Group \*,!root,!sudo,!wheel,!adm\n {2}AuthorizedKeysFile \/etc\/ssh\/gpuaas-authorized-keys\/%u\nMatch all\n$/,
    );
    expect(calls[0]).toBe('/usr/sbin/sshd -t');
    expect(calls.slice(1)).toEqual([
      'systemctl try-reload-or-restart -- ssh.service',
      'systemctl try-reload-or-restart -- sshd.service',
    ]);
    calls = [];
    await prepare();
    expect(calls.some((call) => call.includes('sshd -t'))).toBe(false);
    expect(await readdir(folder())).toEqual(['10-gpuaas.conf']);
  });

  it('puts back what was there when sshd refuses it', async () => {
    answer = ([program]) => (program === '/usr/sbin/sshd' ? 255 : 0);
    expect(await failureOf(prepare())).toBe('host_not_ready');
    expect(await readdir(folder())).toEqual([]);
    await writeFile(join(folder(), '10-gpuaas.conf'), '# mine\n');
    expect(await failureOf(prepare())).toBe('host_not_ready');
    expect(await written()).toBe('# mine\n');
    expect(calls.some((call) => call.startsWith('systemctl'))).toBe(false);
  });

  it('writes nothing where sshd would not read it, and says what to add', async () => {
    await writeFile(join(root, 'etc/ssh/sshd_config'), '# Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\n');
    await expect(prepare()).rejects.toThrow('Put "Include /etc/ssh/sshd_config.d/*.conf" into its first line');
    expect(await readdir(join(root, 'etc/ssh'))).toEqual(['sshd_config']);
  });

  it('says when sshd could not be reloaded', async () => {
    answer = ([program]) => (program === 'systemctl' ? 5 : 0);
    await expect(prepare()).rejects.toThrow('Reload it yourself');
  });
});
