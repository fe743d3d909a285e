import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeBrowser, walkThrough } from '../../src/ports/identity-provider/conformance-browser.ts';
import { ask, openSignInWorld, type Person, type SignInWorld, signIn } from './support/sign-in.ts';

/** The command line as a process of its own, against a started api, with a home of its own for each test. */
const program = join(import.meta.dirname, '../../../cli/bin/gpuaas.cjs');
/** Each test starts many programs, one after the other, perhaps on a busy machine. */
vi.setConfig({ testTimeout: 120_000 });
let world: SignInWorld;
let home: string;
let person: Person;
beforeAll(async () => {
  world = await openSignInWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  person = await world.newPerson();
  home = await mkdtemp(join(tmpdir(), 'gpuaas-cli-'));
  return () => rm(home, { recursive: true, force: true });
});

interface Run {
  readonly code: Promise<number | null>;
  out(): string;
  err(): string;
  /** Waits until something is printed for the person. */
  printed(pattern: RegExp): Promise<string>;
}
function start(args: readonly string[], stdin?: string, env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, GPUAAS_BASE_URL: world.url, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(stdin ?? '');
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    child.emit('said');
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    code,
    out: () => out,
    err: () => err,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(err)?.[1];
          if (found !== undefined) resolve(found);
        };
        child.on('said', look);
        child.once('close', () => reject(new Error(`it ended: ${err}`)));
        look();
      }),
  };
}
async function run(args: readonly string[], stdin?: string, env?: Record<string, string>) {
  const started = start(args, stdin, env);
  const code = await started.code;
  return { code, out: started.out(), err: started.err() };
}
const credentialsPath = () => join(home, '.config', 'gpuaas', 'credentials.json');
const readKept = async () =>
  (JSON.parse(await readFile(credentialsPath(), 'utf8')) as { credentials: Record<string, Record<string, string>> })
    .credentials['default'] ?? {};
/** Signs in without a browser, with tokens that were got elsewhere. */
async function signInQuietly() {
  const tokens = await signIn(world.url, person);
  expect((await run(['login', '--token', '-'], tokens.access_token)).code).toBe(0);
  return tokens;
}

describe('gpuaas login', () => {
  it('signs in with a browser: PKCE, a loopback port, and an answer that only its own question gets', async () => {
    const login = start(['login', '--browser']);
    const address = await login.printed(/^ {2}(http\S+)$/m);
    const { searchParams } = new URL(address);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    const callback = new URL(searchParams.get('redirect_uri') ?? '');
    expect(callback.hostname).toBe('127.0.0.1');
    // Somebody else's answer, and somebody who only looks.
    const forged = await fetch(`${callback}?code=stolen&state=wrong`);
    expect(forged.status).toBe(400);
    expect((await fetch(new URL('/', callback))).status).toBe(404);

    const browser = makeBrowser(world.url);
    const end = await walkThrough(browser, await browser.open(address), person);
    expect(end.url.origin).toBe(callback.origin);
    expect(await (await fetch(end.url)).text()).toContain('You are signed in');
    expect(await login.code).toBe(0);
    expect(login.out()).toContain(`Signed in to ${world.url}`);
    expect((await stat(credentialsPath())).mode & 0o777).toBe(0o600);

    const who = await run(['whoami'], undefined, { GPUAAS_BASE_URL: '' });
    expect(who).toMatchObject({ code: 0, err: '' });
    expect(who.out).toContain('Personal (personal-');
    expect(who.out).not.toContain('\u001b[');
  });

  it('takes a device code by itself where nobody looks at a screen', async () => {
    const login = start(['login']);
    const address = await login.printed(/^ {2}(http\S+)$/m);
    const code = await login.printed(/this code: (\S+)/);
    const browser = makeBrowser(world.url);
    const page = await browser.open(address);
    expect(page.html).toContain(code);
    expect((await walkThrough(browser, page, person)).html).toContain('Device connected');
    expect(await login.code).toBe(0);
    expect((await run(['whoami', '--json'])).code).toBe(0);
  });

  it('ends with the code for refusals when the person refuses', async () => {
    const login = start(['login', '--browser']);
    const browser = makeBrowser(world.url);
    const page = await browser.open(await login.printed(/^ {2}(http\S+)$/m));
    const end = await browser.submit(page, {}, 1);
    await fetch(end.url);
    expect(await login.code).toBe(4);
    expect(login.err()).toContain('The sign-in was refused.');
    expect(login.err()).toContain('Next: ');
  });

  it('takes a token from standard input and none from the command line', async () => {
    const { access_token } = await signIn(world.url, person);
    const shown = await run(['login', '--token', access_token]);
    expect(shown.code).toBe(2);
    expect(shown.err).not.toContain(access_token);
    const bad = await run(['login', '--token', '-'], 'not-a-token');
    expect(bad.code).toBe(4);
    await expect(stat(credentialsPath())).rejects.toThrow('ENOENT');
    expect((await run(['login', '--token', '-'], `${access_token}\n`)).code).toBe(0);
    expect((await run(['whoami'])).code).toBe(0);
  });
});

describe('a sign-in that was kept', () => {
  it('is renewed once by many programs at the same time, and goes on', async () => {
    const tokens = await signIn(world.url, person);
    await signInQuietly();
    const late = {
      base_url: world.url,
      kind: 'sign_in',
      client_id: 'gpuaas-cli',
      token_endpoint: `${world.url}/oidc/token`,
      revocation_endpoint: `${world.url}/oidc/token/revocation`,
      second_factor_acr: 'urn:gpuaas:acr:second-factor',
      access_token: 'spent',
      refresh_token: tokens.refresh_token,
      expires_at: new Date(0).toISOString(),
    };
    await writeFile(credentialsPath(), JSON.stringify({ credentials: { default: late } }));
    // One of them was killed while it held the lock.
    await writeFile(join(home, '.config', 'gpuaas', 'credentials.lock'), '4194303');
    const all = await Promise.all(Array.from({ length: 5 }, () => run(['whoami'])));
    expect(all.map(({ code, err }) => ({ code, err }))).toEqual(all.map(() => ({ code: 0, err: '' })));
    const kept = await readKept();
    expect(kept['refresh_token']).not.toBe(tokens.refresh_token);
    expect(kept['access_token']).not.toBe('spent');
    // Had two of them shown the same refresh token, the sign-in would be over by now.
    await writeFile(
      credentialsPath(),
      JSON.stringify({ credentials: { default: { ...kept, expires_at: new Date(0).toISOString() } } }),
    );
    expect((await run(['whoami'])).code).toBe(0);
  });

  it('is shown to the installation that it is for, and to no other', async () => {
    await signInQuietly();
    const other = await world.startAnother();
    const elsewhere = await run(['whoami', '--base-url', other.url]);
    expect(elsewhere).toMatchObject({ code: 4, out: '' });
    expect(elsewhere.err).toContain('You are not signed in here.');
    const open = await run(['whoami', '--base-url', 'http://gpu.example.com']);
    expect(open.code).toBe(2);
    expect(open.err).toContain('uses no encryption');
  });

  it('ends with gpuaas logout, on the server too', async () => {
    const login = start(['login', '--browser']);
    const browser = makeBrowser(world.url);
    const end = await walkThrough(browser, await browser.open(await login.printed(/^ {2}(http\S+)$/m)), person);
    await fetch(end.url);
    expect(await login.code).toBe(0);
    const { access_token = '', refresh_token = '' } = await readKept();
    expect((await ask(world.url, access_token)).status).toBe(200);
    expect(await run(['logout'])).toMatchObject({ code: 0, out: `Signed out of ${world.url}.\n` });
    await expect.poll(async () => (await ask(world.url, access_token)).status, { timeout: 30_000 }).toBe(401);
    const renewed = await fetch(`${world.url}/oidc/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'gpuaas-cli', refresh_token }),
    });
    expect(renewed.status).toBe(400);
    expect((await run(['whoami'])).code).toBe(4);
    expect((await run(['logout'])).out).toBe('You were not signed in.\n');
  });
});

describe('gpuaas api', () => {
  it('calls operations, and says by its exit code how they went', async () => {
    await signInQuietly();
    const body = JSON.stringify({ name: 'Lab', slug: `lab-${Date.now()}` });
    const made = await run(['api', 'post', '/api/v1/organizations', '--body', '-'], body);
    expect(made).toMatchObject({ code: 0, err: '' });
    const organization = JSON.parse(made.out) as { id: string };
    const got = await run(['api', 'GET', `/api/v1/organizations/${organization.id}`]);
    expect(JSON.parse(got.out)).toMatchObject({ name: 'Lab' });

    const taken = await run(['api', 'POST', '/api/v1/organizations', '--body', body]);
    expect(taken.code).toBe(6);
    const absent = await run(['api', 'GET', '/api/v1/organizations/01a1dea2-0000-7000-8000-000000000000']);
    expect(absent.code).toBe(3);
    expect(absent.err).toMatch(/^Error: .+\nCorrelation id: \S+\n/);
    expect((await run(['api', 'GET', '/api/v1/admin/dlq/messages'])).code).toBe(5);
    expect((await run(['api', 'POST', '/api/v1/organizations', '--body', '{"slug": 1}'])).code).toBe(2);
    expect((await run(['api', 'POST', '/api/v1/organizations', '--body', '{'])).code).toBe(2);
    expect((await run(['api', 'GET', '/api/v1/me'], undefined, { GPUAAS_TOKEN: 'wrong' })).code).toBe(4);
    const away = await run(['whoami', '--base-url', 'http://127.0.0.1:9'], undefined, { GPUAAS_TOKEN: 'any' });
    expect(away.code).toBe(10);
    expect(away.err).toContain('cannot be reached');
  });

  it('sends its token nowhere else, whatever the path looks like', async () => {
    for (const path of ['@evil.example/', '.evil.example/', '//evil.example/', 'https://evil.example/']) {
      const reply = await run(['api', 'GET', path], undefined, { GPUAAS_TOKEN: 'precious' });
      expect([2, 3], path).toContain(reply.code);
    }
  });
});

describe('gpuaas', () => {
  it('explains itself, and what was typed wrong', async () => {
    for (const args of [['--help'], ['help', 'login'], ['login', '--help'], ['api', '-h']]) {
      const help = await run(args);
      expect(help, args.join(' ')).toMatchObject({ code: 0, err: '' });
      expect(help.out).toContain('Examples:');
    }
    expect(await run(['lgoin'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no command "lgoin".'),
    });
    expect((await run(['whoami', '--nope'])).err).toContain("Unknown option '--nope'");
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
