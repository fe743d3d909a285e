import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../lib/program.ts';
import { root } from '../lib/tree.ts';

/** The hooks of lefthook.yml, run by lefthook in a repository of their own with our settings. */
let folder: string;
const git = async (...args: string[]) => {
  const { code, output } = await runProgram('git', ['-C', folder, ...args]);
  expect(code, output).toBe(0);
};
const stage = async (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  await git('add', '-A', '--', name);
};
const preCommit = () =>
  runProgram(join(root, 'node_modules/.bin/lefthook'), ['run', 'pre-commit', '--no-auto-install'], { cwd: folder });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gpuaas-hooks-'));
  await git('init', '-q');
  for (const name of ['lefthook.yml', 'biome.jsonc', 'tools/laws/plugins']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const strict = { strict: true, noEmit: true, module: 'nodenext', types: [], skipLibCheck: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: strict, include: ['*.ts'] }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the hook before a commit', () => {
  it('lets tidy, typed code pass', { timeout: 120_000 }, async () => {
    await stage('a.ts', 'export const one: number = 1;\n');
    const { code, output } = await preCommit();
    expect(code, output).toBe(0);
    expect(output).toContain('format, lint and walls');
    expect(output).toContain('types');
  });

  it.each([
    ['unformatted', 'export const one:number   =   1\n', 'format'],
    ['carelessly typed', "export const one: number = 'one';\n", 'types'],
    ['with a lint error', 'export const one = (value: any): unknown => value;\n', 'noExplicitAny'],
  ])('stops code that is %s', { timeout: 120_000 }, async (_, text, says) => {
    await stage('a.ts', text);
    const { code, output } = await preCommit();
    expect(code, output).not.toBe(0);
    expect(output).toContain(says);
  });
});
