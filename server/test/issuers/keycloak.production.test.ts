import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api } from '../../src/bin/api/process.ts';
import { runBootstrap } from '../../src/bin/bootstrap/run.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { type Running, startProcess } from '../../src/kernel/process/process.ts';
import { silentLog } from '../../src/kernel/telemetry/log.ts';
import { type Browser, makeBrowser, type Screen } from '../../src/ports/identity-provider/conformance-browser.ts';
import { post } from '../../src/ports/identity-provider/conformance-protocol.ts';
import { openPorts, storeSettings } from '../../src/ports/open.ts';
import { openTestSchema, type TestSchema } from '../../src/testing/schema.ts';
import { type Keycloak, startKeycloak } from '../../src/testing/servers/keycloak.ts';
import { freePort } from '../../src/testing/servers/start.ts';
import { consoleClient, consoleSecret, people, realmOf } from './keycloak-realm.ts';

/**
 * An installation whose people sign in at Keycloak, set up as docs/guides/signing-in.md says: with the command line, by a device
 * code and a proof key that Keycloak demands, and in a browser.
 */
const patience = 15 * 60_000;
const program = join(import.meta.dirname, '../../../cli/bin/gpuaas.cjs');
/** A command that waits for a person who does not come is ended. */
const typedWithinMs = 120_000;
const seenPath = '/api/v1/version';

let keycloak: Keycloak;
let issuer: string;
let schema: TestSchema;
let url: string;
let running: Running | undefined;
let folder: string | undefined;
const typing = new Set<ChildProcess>();

beforeAll(async () => {
  [keycloak, schema, folder] = [
    await startKeycloak(),
    await openTestSchema(),
    await mkdtemp(join(tmpdir(), 'gpuaas-keycloak-')),
  ];
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  issuer = await keycloak.addRealm(realmOf(url));
  const env = {
    GPUAAS_DATABASE_URL: schema.as('gpuaas_api'),
    ...storeSettings(['cache'], () => schema.url),
    GPUAAS_AUTHORITY_URL: schema.url,
    GPUAAS_DATABASE_POOL_SIZE: '4',
    GPUAAS_PORT: String(port),
    GPUAAS_NODE_PORT: '0',
    GPUAAS_PUBLIC_URL: url,
    GPUAAS_SECRETS_KEY: randomBytes(32).toString('base64'),
    GPUAAS_REQUESTS_PER_MINUTE: '100000',
    GPUAAS_OIDC_ISSUER: issuer,
    GPUAAS_OIDC_CONSOLE_CLIENT_ID: consoleClient,
    GPUAAS_OIDC_CONSOLE_CLIENT_SECRET: consoleSecret,
  };
  const parts = { clock: systemClock, ids: systemIds, log: silentLog, version: '0.0.0', openPorts: openPorts(env) };
  running = await startProcess(api, { env, ...parts });
}, patience);
afterAll(async () => {
  for (const child of typing) child.kill('SIGKILL');
  await running?.stop();
  await keycloak?.close();
  await schema?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
}, patience);

/** Types a command of the person's own home. */
function type(person: string, args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: join(folder ?? '', person), GPUAAS_BASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: typedWithinMs,
  });
  typing.add(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    child.emit('said');
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => {
      typing.delete(child);
      resolve({ code, out, err });
    }),
  );
  /** The addresses that it asks to open, in their order. */
  const address = (which: number) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = [...err.matchAll(/^ {2}(http\S+)$/gm)][which]?.[1];
        if (found !== undefined) resolve(found);
      };
      child.on('said', look);
      child.once('close', () => reject(new Error(`it ended without address ${which}: ${err}`)));
      look();
    });
  return { ended, address };
}

const browse = () => makeBrowser(new URL(issuer).origin);
/** Fills in what Keycloak asks, until it sends the browser away or shows a page without a question. Counts the passwords. */
async function answer(browser: Browser, from: Screen, person: keyof typeof people) {
  let [screen, passwords] = [from, 0];
  for (let page = 0; page < 8 && screen.forms.length > 0; page += 1) {
    const [form] = screen.forms;
    if (form?.hasPassword) passwords += 1;
    // A page of consent has two buttons, and a browser sends the one that is pressed.
    const fields = new Map([...(form?.fields ?? [])].filter(([name]) => name !== 'cancel'));
    const asked = { ...screen, forms: form ? [{ ...form, fields }] : [] };
    screen = await browser.submit(
      asked,
      form?.hasPassword ? { username: person, password: people[person].password } : {},
    );
  }
  return { screen, passwords };
}
const openAndAnswer = async (browser: Browser, address: string, person: keyof typeof people) =>
  answer(browser, await browser.open(address), person);

async function signIn(person: keyof typeof people, browser = browse(), flags: readonly string[] = []) {
  const login = type(person, ['login', '--device', ...flags]);
  const { passwords, screen } = await openAndAnswer(browser, await login.address(0), person);
  const { code, out, err } = await login.ended;
  expect({ code, err: code === 0 ? '' : `${err} ${screen.url} ${screen.html}` }).toEqual({ code: 0, err: '' });
  return { out, passwords };
}
/** Keeps the cookies of two sites, as one browser does. `signedOutThere` says whether the console ended its session at Keycloak first. */
async function signInToConsole(person: keyof typeof people, theirs: Browser) {
  const ours = makeBrowser(url);
  const begin = async () => (await ours.open(`${url}/auth/login?return_to=${seenPath}`)).url.href;
  let [signedOutThere, passwords] = [false, 0];
  for (let there = await begin(), steps = 0; there !== `${url}${seenPath}`; steps += 1) {
    expect(steps, there).toBeLessThan(5);
    if (there.startsWith(`${issuer}/protocol/openid-connect/logout?`)) {
      expect((await theirs.open(there)).url.href).toBe(`${url}/`);
      signedOutThere = true;
      there = await begin();
      continue;
    }
    expect(there.startsWith(`${issuer}/protocol/openid-connect/auth?`), there).toBe(true);
    const answered = await openAndAnswer(theirs, there, person);
    passwords += answered.passwords;
    expect(answered.screen.url.pathname).toBe('/auth/callback');
    there = (await ours.open(answered.screen.url)).url.href;
  }
  const cookie = [...ours.cookies.values()].map(({ name, value }) => `${name}=${value}`).join('; ');
  return { cookie, passwords, signedOutThere };
}
async function meWith(cookie: string) {
  const response = await fetch(`${url}/api/v1/me`, { headers: { cookie } });
  return { status: response.status, body: await response.json() };
}
const whoami = async (person: string) => {
  const { code, out, err } = await type(person, ['whoami', '-o', 'json']).ended;
  return { code, err, me: code === 0 ? (JSON.parse(out) as Record<string, unknown>) : undefined };
};

describe('Keycloak as the issuer', { timeout: patience }, () => {
  it('signs a person in with the command line by a device code, and demands the proof key that it sends', async () => {
    const found = (await (await fetch(`${url}/api/v1/sign-in`)).json()) as Record<string, string>;
    expect(found).toMatchObject({ issuer, client_id: 'gpuaas-cli' });
    const device = found['device_authorization_endpoint'] ?? '';
    const bare = await post(device, { id: 'gpuaas-cli' }, { scope: 'openid' });
    expect(bare).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(String(bare['error_description'])).toMatch(/code_challenge/);
    const { out, passwords } = await signIn('anna');
    expect(out).toMatch(/^Signed in to /m);
    expect(passwords).toBe(1);
    const { me } = await whoami('anna');
    expect(me).toMatchObject({ display_name: 'Anna Ahrens', platform_roles: [] });
  });

  it('signs a person in to the console, whose browser holds no token', async () => {
    const { cookie, passwords } = await signInToConsole('anna', browse());
    expect(passwords).toBe(1);
    expect(cookie).not.toContain('eyJ');
    expect(await meWith(cookie)).toMatchObject({
      status: 200,
      body: { display_name: 'Anna Ahrens', platform_roles: [] },
    });
  });

  it('makes no operator by a role of its own; the platform does, by issuer and subject', async () => {
    await signIn('olga');
    const refused = await type('olga', ['ops', 'user', 'list', '-o', 'json']).ended;
    expect(refused.code).not.toBe(0);
    expect(refused.err).toMatch(/operator|platform|role/i);
    const [olga] = (await keycloak.administer('GET', '/realms/gpuaas/users?username=olga&exact=true')) as {
      id: string;
    }[];
    const env = { GPUAAS_DATABASE_URL: schema.as('gpuaas_api') };
    const print = () => undefined;
    const args = ['--issuer', issuer, '--subject', olga?.id ?? ''];
    expect(await runBootstrap(args, env, { say: print, complain: print })).toBe(0);
    expect((await whoami('olga')).me).toMatchObject({ platform_roles: ['platform_superadmin'] });
  });

  it('lets a browser that it still knows back in only with the password after all sign-ins of a person were revoked', async () => {
    const browser = browse();
    const { cookie } = await signInToConsole('bela', browser);
    // Without a revocation it is enough that Keycloak knows the browser.
    expect((await signIn('bela', browser)).passwords).toBe(0);
    const id = String((await whoami('bela')).me?.['id']);
    await signIn('olga', browse(), ['--step-up']);
    const revoked = await type('olga', ['ops', 'user', 'revoke-all', id, '--reason', 'a lost laptop', '--yes']).ended;
    expect({ code: revoked.code, err: revoked.err }).toMatchObject({ code: 0 });
    await expect.poll(async () => (await whoami('bela')).code, { timeout: 60_000 }).not.toBe(0);
    expect(await meWith(cookie)).toMatchObject({ status: 401 });
    // A device code cannot make Keycloak ask for the password: the command line says so and keeps nothing.
    const login = type('bela', ['login', '--device']);
    expect((await openAndAnswer(browser, await login.address(0), 'bela')).passwords).toBe(0);
    expect((await openAndAnswer(browser, await login.address(1), 'bela')).passwords).toBe(0);
    const refused = await login.ended;
    expect(refused.code).not.toBe(0);
    expect(refused.err).toMatch(/did not ask for your password again\.\nNext: Sign out at .* private window/);
    expect((await whoami('bela')).code).not.toBe(0);
    // The console signs the browser out there, so that the next attempt asks for the password; another browser is asked anyway.
    const again = await signInToConsole('bela', browser);
    expect(again.signedOutThere).toBe(true);
    expect(again.passwords).toBeGreaterThan(0);
    expect(await meWith(again.cookie)).toMatchObject({ status: 200, body: { id } });
    expect((await signIn('bela')).passwords).toBe(1);
    expect((await whoami('bela')).me).toMatchObject({ id });
  });

  it('sends tokens of which only the access token of our audience opens anything', async () => {
    const token = (client: string) =>
      post(
        `${issuer}/protocol/openid-connect/token`,
        { id: client },
        {
          ...{ grant_type: 'password', username: 'anna', password: people.anna.password, scope: 'openid' },
        },
      );
    const status = async (bearer: string | undefined) =>
      (await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    const ours = await token('of-our-audience');
    expect(decodeJwt(ours.access_token ?? '')).toMatchObject({ sub: expect.any(String), jti: expect.any(String) });
    expect(await status(ours.access_token)).toBe(200);
    expect(await status(ours.id_token)).toBe(401);
    expect(await status(ours.refresh_token)).toBe(401);
    const foreign = await token('of-another-audience');
    expect(foreign.status).toBe(200);
    expect(await status(foreign.access_token)).toBe(401);
  });

  it('is missed by nobody who is signed in while it is away', async () => {
    const before = await whoami('anna');
    expect(before.code, before.err).toBe(0);
    await keycloak.kill();
    expect(await whoami('anna')).toMatchObject({ code: 0, me: { display_name: 'Anna Ahrens' } });
    const { code, err } = await type('bela', ['login', '--device']).ended;
    expect(code).not.toBe(0);
    expect(err).not.toMatch(/ at .*\.ts:/);
  });
});
