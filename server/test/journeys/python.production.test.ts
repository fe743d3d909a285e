import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { freePort } from '../chaos/children.ts';
import { endAll, type Started, start } from './support/npm-start.ts';
import { makePython } from './support/python-environment.ts';
import { ask, signIn } from './support/sign-in.ts';

/**
 * The SDKs against a running installation, as their first pages say; and the Python one read by its type checker and run on
 * the cases that all SDKs share. Its packages come from the registry once and are kept by what they are.
 */
const root = join(import.meta.dirname, '../../..');
const sdk = join(root, 'sdk/python');
const patience = 10 * 60_000;
const execute = promisify(execFile);

let folder: string;
let python: string;
let started: Started;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-python-'));
  // The account of the database passes through.
  await chmod(folder, 0o711);
  python = await makePython();
  const port = String(await freePort());
  started = await start(['--data', join(folder, 'data'), '--bare', '--port', port, '--host-speed', '500']);
}, patience);
afterAll(async () => {
  await started?.kill('SIGTERM');
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

/** Runs Python in the folder of the SDK. What it wrote is part of the failure, so that nobody has to run it again. */
async function runPython(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const around = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    PYTHONPYCACHEPREFIX: join(folder, 'compiled'),
    ...env,
  };
  return execute(python, [...args], { cwd: sdk, env: around, timeout: patience }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`python ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
    },
  );
}

describe('the Python SDK', () => {
  it('compiles, and has a type for everything', { timeout: patience }, async () => {
    await runPython(['-m', 'compileall', '-q', 'src']);
    expect(await runPython(['-m', 'mypy', '--cache-dir', join(folder, 'types')])).toContain('no issues found');
  });

  it('does what all SDKs do with the same answers', { timeout: patience }, async () => {
    expect(await runPython(['-m', 'pytest', '-q'])).toMatch(/^\d+ passed/m);
  });

  it('launches, waits and releases on a running installation', { timeout: patience }, async () => {
    const said = await runPython(['-m', 'pytest', '-q', 'tests/live.py'], await environmentOf('member'));
    expect(said).toMatch(/^4 passed/m);
  });

  it('does what its first page promises', { timeout: patience }, async () => {
    const said = await runPython(['-c', await quickStart('python', 'python')], {
      PYTHONPATH: join(sdk, 'src'),
      ...(await environmentOf('member')),
    });
    expect(said).toMatch(promised);
  });
});

describe('the TypeScript SDK', () => {
  it('does what its first page promises', { timeout: patience }, async () => {
    const code = await quickStart('typescript', 'ts');
    const env = { PATH: process.env['PATH'] ?? '', ...(await environmentOf('member')) };
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
    const { stdout } = await execute(process.execPath, flags, { cwd: root, env, timeout: patience });
    expect(stdout).toMatch(promised);
  });
});

/** What both print: the catalogue, the steps, the driver, and that there is no such allocation. */
const promised = /^h200-sxm-slice$[\s\S]*^activate$[\s\S]*^driver \S+[\s\S]*^none \S+$/m;

async function quickStart(folder: string, tongue: string): Promise<string> {
  const page = await readFile(join(root, 'sdk', folder, 'README.md'), 'utf8');
  return new RegExp(`\`\`\`${tongue}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
}

/** Whom and what a program acts for, once a host is free. */
async function environmentOf(login: string): Promise<Record<string, string>> {
  const url = started.fact('URL');
  const [password = ''] = started.fact('Password').split(' ');
  const { access_token } = await signIn(url, { login, password });
  const { body: me } = await ask(url, access_token);
  const [demo] = (me.organizations as { id: string; slug: string }[]).filter(({ slug }) => slug === 'demo');
  const { body: projects } = await ask(url, access_token, `/api/v1/organizations/${demo?.id}/projects`);
  await eventually(async () => {
    await systemClock.sleep(300);
    const { body } = await ask(url, access_token, '/api/v1/catalog/h200-sxm-slice');
    return body.availability.some(({ available }: { available: number }) => available > 0) || undefined;
  });
  return { GPUAAS_BASE_URL: url, GPUAAS_TOKEN: access_token, GPUAAS_PROJECT: projects.data[0].id as string };
}
