import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGpuaas } from '@gpuaas/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { freePort } from '../chaos/children.ts';
import { endAll, run, type Started, start } from './support/npm-start.ts';
import { makePython } from './support/python-environment.ts';
import { ask, signIn } from './support/sign-in.ts';
import { missingIn, openTypist, readPage, type Snippet, snippetsIn, type Typist } from './support/snippets.ts';

/** Every command that the docs mark as tested, typed into what `npm start` starts. */
const root = join(import.meta.dirname, '../../..');
const patience = 300_000;
const firstNode = 'docs/tutorials/first-node.md';
const firstInvoice = 'docs/tutorials/first-invoice.md';
const firstApp = 'docs/tutorials/first-app.md';
const tutorials = new Set([firstNode, firstInvoice, firstApp]);

const listPages = async (): Promise<string[]> =>
  (await readdir(join(root, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort();
const marked: (readonly [string, readonly Snippet[]])[] = (
  await Promise.all((await listPages()).map(async (path) => [path, snippetsIn(await readPage(path))] as const))
).filter(([, snippets]) => snippets.length > 0);
/** Those who operate come last: what they do to hosts is felt for a while. */
const rank = (snippets: readonly Snippet[]): number => (snippets.some(({ who }) => who === 'operator') ? 1 : 0);
const guides = marked.filter(([path]) => !tutorials.has(path)).sort(([, a], [, b]) => rank(a) - rank(b));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-docs-'));
  // The account of the database passes through.
  await chmod(folder, 0o711);
});
afterAll(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

async function openInstallation(name: string, args: readonly string[], logins: readonly string[], python?: string) {
  const started = await start(['--data', join(folder, name), '--port', String(await freePort()), ...args], {
    env: { GPUAAS_NODE_PORT: String(await freePort()) },
  });
  const url = started.fact('URL');
  const [password = ''] = started.fact('Password').split(' ');
  const { access_token: token } = await signIn(url, { login: 'operator', password });
  // A test types faster than any person: without this it would wait out the budgets that people have.
  await openGpuaas({ baseUrl: url, token }).adminPolicies.set({
    policy_key: 'rate_limit.api_requests_per_minute',
    level: 'global',
    value: 100_000,
    reason: 'A test types faster than any person.',
  });
  const typist = await openTypist({
    folder: join(folder, `${name}-typist`),
    url,
    password,
    logins,
    ...(python && { python }),
  });
  return { started, typist, url, token };
}
/** The hosts come into service while the page is being read. */
async function hostsAreReady(url: string, token: string): Promise<void> {
  await eventually(async () => {
    // Asked without a pause, it would soon be told to come back later.
    await systemClock.sleep(300);
    const { status, body } = await ask(url, token, '/api/v1/admin/nodes');
    if (status !== 200) return undefined;
    const nodes = body.data as { schedulable: boolean }[];
    return nodes.length > 1 && nodes.every(({ schedulable }) => schedulable) ? true : undefined;
  });
}

describe('the guides', () => {
  let started: Started;
  let typist: Typist;
  beforeAll(async () => {
    const python = await makePython();
    const opened = await openInstallation(
      'guides',
      ['--bare', '--host-speed', '500'],
      ['member', 'owner', 'operator'],
      python,
    );
    ({ started, typist } = opened);
    await hostsAreReady(opened.url, opened.token);
  }, 2 * patience);
  afterAll(async () => {
    await typist?.close();
    await started?.kill('SIGTERM');
  });

  it('have commands to type, for those who rent and for those who operate', () => {
    const people = new Set(guides.flatMap(([, snippets]) => snippets.map(({ who }) => who)));
    expect([...people].sort()).toEqual(['member', 'operator', 'owner']);
    expect(guides.length).toBeGreaterThan(8);
  });

  it.each(guides)('%s does what it says', { timeout: patience }, async (path, snippets) => {
    expect(await typist.typePage(path, snippets)).toEqual([]);
  });

  it('would fail if a command failed, or printed something else', { timeout: patience }, async () => {
    const page = '# X\n\n```sh test\necho one; echo two\n```\n\n```text shown\nt…o\none\n```\n';
    const [wrongOrder] = await typist.typePage('order', snippetsIn(page));
    expect(wrongOrder).toContain('order:3 did not print "one"');
    const [failed] = await typist.typePage('failed', snippetsIn('# X\n\n```sh test\nfalse | true\n```\n'));
    expect(failed).toContain('failed:3 ended with 1');
  });
});

describe('the tutorial of operators', () => {
  let started: Started;
  let typist: Typist;
  beforeAll(async () => {
    ({ started, typist } = await openInstallation('first-node', ['--bare', '--fleet', 'none'], ['member', 'operator']));
  }, patience);
  afterAll(async () => {
    await typist?.close();
    await started?.kill('SIGTERM');
  });

  it('is true from an empty fleet to a host that is rented out and taken away', { timeout: patience }, async () => {
    const [, snippets = []] = marked.find(([path]) => path === firstNode) ?? [];
    expect(snippets.length).toBeGreaterThan(8);
    expect(await typist.typePage(firstNode, snippets)).toEqual([]);
  });
});

describe('the tutorial of publishers', () => {
  let started: Started;
  let typist: Typist;
  beforeAll(async () => {
    const opened = await openInstallation(
      'first-app',
      ['--bare', '--host-speed', '500'],
      ['member', 'owner', 'operator'],
    );
    ({ started, typist } = opened);
    await hostsAreReady(opened.url, opened.token);
  }, 2 * patience);
  afterAll(async () => {
    await typist?.close();
    await started?.kill('SIGTERM');
  });

  it('is true from an empty folder to an app that another project opens', { timeout: 2 * patience }, async () => {
    const [, snippets = []] = marked.find(([path]) => path === firstApp) ?? [];
    expect(snippets.length).toBeGreaterThan(8);
    expect(await typist.typePage(firstApp, snippets)).toEqual([]);
  });
});

describe('the tutorial of those who pay', () => {
  let started: Started;
  let typist: Typist;
  beforeAll(async () => {
    const opened = await openInstallation(
      'first-invoice',
      ['--bare', '--speed', '3600'],
      ['owner', 'operator', 'admin'],
    );
    ({ started, typist } = opened);
    await hostsAreReady(opened.url, opened.token);
  }, 2 * patience);
  afterAll(async () => {
    await typist?.close();
    await started?.kill('SIGTERM');
  });

  it('is true from a balance that is spent to a bill that is proven', { timeout: 2 * patience }, async () => {
    const [, snippets = []] = marked.find(([path]) => path === firstInvoice) ?? [];
    expect(snippets.length).toBeGreaterThan(7);
    // An administrator who signs out before anything happens is reached by mail alone.
    const leaving = '# X\n\n```sh test admin\ngpuaas logout\n```\n';
    expect(await typist.typePage('leaving', snippetsIn(leaving))).toEqual([]);
    expect(await typist.typePage(firstInvoice, snippets)).toEqual([]);
    const [mail = ''] = started.fact('Mail').split(' ');
    const letters = (await (await fetch(`${mail}/letters.json`)).json()) as { data: { to: string; subject: string }[] };
    const away = letters.data.filter(({ to }) => to === 'admin@demo.example');
    const subjects = away.map(({ subject }) => subject).join('\n');
    expect(subjects).toMatch(/^The balance of "Demo" is low: /m);
    expect(subjects).toMatch(/^The balance of "Demo" is used up$/m);
  });

  it('runs faster only where nothing is real', { timeout: patience }, async () => {
    const none = await run(['--ephemeral', '--fleet', 'none', '--speed', '60']);
    expect(none).toMatchObject({ code: 1, output: expect.stringContaining('--speed is for simulated hosts') });
    const real = await run(['--ephemeral', '--speed', '60'], { env: { GPUAAS_PAYMENTS: 'stripe' } });
    expect(real).toMatchObject({ code: 1, output: expect.stringContaining('which GPUAAS_PAYMENTS does not allow') });
  });
});

describe('what is shown', () => {
  it('is found in order, with anything in place of dots, whatever the blanks', () => {
    const printed = 'ID   NAME\n1    first  active\n2    second released\n';
    expect(missingIn(printed, ['… first … active', '2 … released'])).toBeUndefined();
    expect(missingIn(printed, ['… second …', '… first …'])).toBe('… first …');
    expect(missingIn(printed, ['first'])).toBe('first');
  });
});
