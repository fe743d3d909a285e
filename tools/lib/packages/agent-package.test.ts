import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentPackageOrder, type Architecture, architectures, makeAgentPackages } from './agent-package.ts';

/** A runtime that only says its version stands in for Node, whose 120 MB would make the test slow. */
const arch = process.arch as Architecture;
const order: AgentPackageOrder = {
  version: '1.4.0',
  arch,
  bundle: Buffer.from('// the agent\n'),
  runtime: Buffer.from('#!/bin/sh\necho 1.4.0\n'),
  runtimeLicence: Buffer.from('The licence of the runtime\n'),
};
const run = promisify(execFile);
let folder: string;
let unpacked: string;
const made = async (over: Partial<AgentPackageOrder> = {}) => {
  const [tarball, deb] = await makeAgentPackages({ ...order, ...over });
  if (!tarball || !deb) throw new Error('there are two packages');
  return { tarball, deb };
};
async function unpack(over: Partial<AgentPackageOrder> = {}): Promise<string> {
  const { tarball } = await made(over);
  const into = await mkdtemp(join(folder, 'unpacked-'));
  await writeFile(join(into, tarball.name), tarball.bytes);
  await run('tar', ['-xzf', tarball.name], { cwd: into });
  return join(into, tarball.name.replace('.tar.gz', ''));
}
const install = (from: string, into: string) =>
  run('sh', [join(from, 'install.sh'), '--root', into]).catch((error: { code: number; stderr: string }) => error);
const filesBelow = async (path: string) =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-packages-'));
  unpacked = await unpack();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the packages of the agent', () => {
  it('have the same bytes for the same files, and other bytes for others', async () => {
    const [one, two] = [await made(), await made()];
    expect(one.tarball.bytes.equals(two.tarball.bytes)).toBe(true);
    expect(one.deb.bytes.equals(two.deb.bytes)).toBe(true);
    const other = await made({ bundle: Buffer.from('// another agent\n') });
    expect(other.tarball.bytes.equals(one.tarball.bytes)).toBe(false);
    expect(other.deb.bytes.equals(one.deb.bytes)).toBe(false);
    expect(one.tarball.name).toBe(`gpuaas-node-agent-1.4.0-linux-${arch}.tar.gz`);
  });

  it('hold the runtime, the agent, the library for terminals, the unit and a command, and list all of it', async () => {
    const files = await filesBelow(join(unpacked, 'root'));
    expect(files).toEqual((await readFile(join(unpacked, 'root/usr/lib/gpuaas/files.txt'), 'utf8')).trim().split('\n'));
    expect(files).toEqual(
      expect.arrayContaining([
        'usr/bin/node-agent',
        'usr/lib/gpuaas/bin/node',
        'usr/lib/gpuaas/node-agent.mjs',
        `usr/lib/gpuaas/node_modules/@lydell/node-pty-linux-${arch}/pty.node`,
        'usr/lib/systemd/system/gpuaas-node-agent.service',
        'usr/share/doc/gpuaas-node-agent/copyright.node',
      ]),
    );
    const { mode } = await stat(join(unpacked, 'root/usr/bin/node-agent'));
    expect((mode & 0o777).toString(8)).toBe('755');
  });

  it('refuse a version that a package cannot have', async () => {
    await expect(made({ version: '../1' })).rejects.toThrow('is not a version of a package');
  });

  it('are read by dpkg, where there is one, with the same files', async () => {
    const { deb } = await made();
    const file = join(folder, deb.name);
    await writeFile(file, deb.bytes);
    expect(deb.bytes.subarray(0, 8).toString()).toBe('!<arch>\n');
    if (!existsSync('/usr/bin/dpkg-deb')) return;
    const { stdout: about } = await run('dpkg-deb', ['--field', file, 'Package', 'Version', 'Architecture']);
    expect(about.trim().split('\n')).toEqual([
      'Package: gpuaas-node-agent',
      'Version: 1.4.0',
      `Architecture: ${architectures[arch].debian}`,
    ]);
    const into = join(folder, 'from-deb');
    await run('dpkg-deb', ['--extract', file, into]);
    expect(await filesBelow(into)).toEqual(await filesBelow(join(unpacked, 'root')));
  });
});

describe('install.sh', () => {
  it('writes the files of the package and no others, and what an earlier version had goes', async () => {
    const into = join(folder, 'host');
    expect(await install(unpacked, into)).toMatchObject({ stdout: 'The node agent 1.4.0 is installed.\n' });
    const files = await filesBelow(into);
    expect(files).toEqual(await filesBelow(join(unpacked, 'root')));
    // As an earlier version might have left it.
    await writeFile(join(into, 'usr/lib/gpuaas/old.mjs'), '');
    await writeFile(join(into, 'usr/lib/gpuaas/files.txt'), 'usr/lib/gpuaas/old.mjs\n', { flag: 'a' });
    await writeFile(join(into, 'usr/lib/gpuaas/mine.txt'), 'not of the package');
    const next = await unpack({ version: '1.5.0', runtime: Buffer.from('#!/bin/sh\necho 1.5.0\n') });
    expect(await install(next, into)).toMatchObject({ stdout: 'The node agent 1.5.0 is installed.\n' });
    expect(await filesBelow(into)).toEqual([...files, 'usr/lib/gpuaas/mine.txt'].sort());
  });

  it('installs nothing from a damaged package, for another machine, or over a Debian package', async () => {
    const damaged = await unpack();
    await writeFile(join(damaged, 'root/usr/lib/gpuaas/node-agent.mjs'), '// changed');
    const foreign = await unpack();
    await writeFile(join(foreign, 'machine'), 'vax\n');
    const into = join(folder, 'refused');
    expect(await install(damaged, into)).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') });
    expect(await install(foreign, into)).toMatchObject({ code: 1, stderr: expect.stringContaining('is for vax') });
    expect(existsSync(into)).toBe(false);
    await mkdir(join(into, 'var/lib/dpkg/info'), { recursive: true });
    await writeFile(join(into, 'var/lib/dpkg/info/gpuaas-node-agent.list'), '');
    expect(await install(unpacked, into)).toMatchObject({ code: 1, stderr: expect.stringContaining('.deb') });
    expect(existsSync(join(into, 'usr'))).toBe(false);
  });
});
