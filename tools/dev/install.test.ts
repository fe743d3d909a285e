import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../lib/program.ts';
import { root } from '../lib/tree.ts';

/** An npm that notes each call and installs what the lockfile says, or misbehaves as it is told. */
const pretendNpm = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
await new Promise((resolve) => setTimeout(resolve, 150));
if (process.env.PRETEND === 'fail') { console.error('no such registry'); process.exit(7); }
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
if (process.env.PRETEND === 'other') lock.packages['node_modules/a'].version = '9.9.9';
mkdirSync('node_modules', { recursive: true });
writeFileSync('node_modules/.package-lock.json', JSON.stringify(lock));
`;

let folder = '';
const lock = (version: string, more: object = {}) =>
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ packages: { '': {}, 'node_modules/a': { version, integrity: `sha512-${version}` }, ...more } }),
  );
const install = (pretend = '') =>
  runProgram(process.execPath, [join(folder, 'tools/dev/install.mjs')], {
    cwd: folder,
    env: { npm_execpath: join(folder, 'npm.mjs'), npm_node_execpath: process.execPath, PRETEND: pretend },
  });
const calls = () =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpuaas-install-'));
  mkdirSync(join(folder, 'tools/dev'), { recursive: true });
  copyFileSync(join(root, 'tools/dev/install.mjs'), join(folder, 'tools/dev/install.mjs'));
  writeFileSync(join(folder, 'npm.mjs'), pretendNpm);
  lock('1.0.0');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the set-up', () => {
  it('installs without running scripts, says so in one line, and is silent the next time', async () => {
    const first = await install();
    expect(first.code).toBe(0);
    expect(first.output).toMatch(/^gpuaas: installing packages .* done in \d+\.\d s\n$/);
    expect(calls()).toEqual([expect.stringContaining('install --no-save --ignore-scripts')]);
    expect(await install()).toEqual({ code: 0, output: '', stdout: '' });
    expect(calls()).toHaveLength(1);
  });

  it('installs again when the lockfile has changed', async () => {
    await install();
    lock('1.0.1');
    expect((await install()).code).toBe(0);
    expect(calls()).toHaveLength(2);
  });

  it('takes over what somebody installed by hand', async () => {
    mkdirSync(join(folder, 'node_modules'));
    copyFileSync(join(folder, 'package-lock.json'), join(folder, 'node_modules/.package-lock.json'));
    expect(await install()).toMatchObject({ code: 0, output: '' });
    expect(calls()).toEqual([]);
  });

  it('does not miss what is for another machine, and does miss what is for this one', async () => {
    const entry = { version: '1.0.0', integrity: 'sha512-b', optional: true, cpu: [process.arch] };
    const hidden = readFileSync(join(folder, 'package-lock.json'));
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), hidden);
    lock('1.0.0', { 'node_modules/b': { ...entry, os: ['plan9'] } });
    await install();
    expect(calls()).toEqual([]);
    lock('1.0.0', { 'node_modules/b': { ...entry, os: [process.platform] } });
    await install();
    expect(calls()).toHaveLength(1);
  });

  it('runs once when it is started twice at the same time', async () => {
    const both = await Promise.all([install(), install()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(calls()).toHaveLength(1);
  });

  it('is not held up by the lock of a process that is gone', async () => {
    mkdirSync(join(folder, '.cache'));
    writeFileSync(join(folder, '.cache/install.lock'), '999999999');
    expect((await install()).code).toBe(0);
    expect(calls()).toHaveLength(1);
  });

  it('shows what npm said when it fails, and tries again the next time', async () => {
    const failed = await install('fail');
    expect(failed.code).toBe(1);
    expect(failed.output).toContain('npm ended with 7');
    expect(failed.output).toContain('no such registry');
    expect((await install()).code).toBe(0);
  });

  it('refuses what is not in the lockfile', async () => {
    const other = await install('other');
    expect(other.code).toBe(1);
    expect(other.output).toContain('something else than package-lock.json says');
  });
});
