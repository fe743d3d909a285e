import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Credential, forgetCredential, keepCredential, readToken } from './credentials.ts';

/** A keyring that is a folder: it keeps what it is told on standard input, and writes down what it was called with. */
const fake = `#!/bin/sh
echo "$*" >> "$KEYRING/calls"
test -e "$KEYRING/locked" && exit 1
case "$1" in
  store) cat > "$KEYRING/$7" ;;
  lookup) cat "$KEYRING/$5" 2>/dev/null ;;
  clear) rm -f "$KEYRING/$5" ;;
esac
`;
const profile = { name: 'work', baseUrl: 'https://gpu.example.com', project: undefined };
const credential: Credential = { base_url: profile.baseUrl, kind: 'token', token: 'precious-token' };

let folder: string;
let env: Record<string, string>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-keyring-'));
  await writeFile(join(folder, 'secret-tool'), fake);
  await chmod(join(folder, 'secret-tool'), 0o755);
  const path = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
  env = { HOME: folder, KEYRING: folder, PATH: path, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/none' };
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const file = () => readFile(join(folder, '.config', 'gpuaas', 'credentials.json'), 'utf8');

describe('a sign-in', () => {
  it('is kept in the keyring where there is one, and on no command line', async () => {
    expect(await keepCredential(profile, env, credential)).toBe('keyring');
    expect(await file()).not.toContain('precious');
    expect(await readFile(join(folder, 'calls'), 'utf8')).not.toContain(Buffer.from('precious').toString('base64url'));
    expect(await readToken(profile, env)).toBe('precious-token');
    // It belongs to its installation, wherever it is kept.
    await expect(readToken({ ...profile, baseUrl: 'https://other.example' }, env)).rejects.toThrow('not signed in');
    expect(await forgetCredential(profile, env)).toEqual(credential);
    await expect(stat(join(folder, 'work'))).rejects.toThrow('ENOENT');
    await expect(readToken(profile, env)).rejects.toThrow('not signed in');
  });

  it('is kept in a file of its owner where there is none, or where it is not wanted', async () => {
    await writeFile(join(folder, 'locked'), '');
    const path = join(folder, '.config', 'gpuaas', 'credentials.json');
    expect(await keepCredential(profile, env, credential)).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readToken(profile, env)).toBe('precious-token');
    await rm(join(folder, 'locked'));
    expect(await keepCredential(profile, { ...env, GPUAAS_KEYRING: 'off' }, credential)).toBe(path);
    expect(await keepCredential(profile, { ...env, DBUS_SESSION_BUS_ADDRESS: '' }, credential)).toBe(path);
    expect(await keepCredential(profile, { ...env, PATH: '/nonexistent' }, credential)).toBe(path);
  });
});
