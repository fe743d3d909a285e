import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock, type TestClock } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Browser, makeBrowser, walkThrough } from '../../src/ports/identity-provider/conformance-browser.ts';
import {
  authorizeUrl,
  codeOf,
  exchange,
  makeVerifier,
  post,
  refresh,
} from '../../src/ports/identity-provider/conformance-protocol.ts';
import { openIdentityProvider } from '../../src/ports/identity-provider/open.ts';
import type { Endpoints, IdentityProvider } from '../../src/ports/identity-provider/port.ts';
import { freePort } from '../../src/testing/servers/start.ts';
import { makePython } from '../journeys/support/python-environment.ts';

/**
 * Our adapter against an OpenID provider that shares no code with ours: Django OAuth Toolkit, with its own pages, database and
 * keys (issuer.py). The suite of the port asks more of an issuer than a token needs, such as ending all tokens when a code is
 * used twice; what an api relies on is here.
 */
const redirectUri = 'http://127.0.0.1:49152/callback';
const person = { login: 'anna', username: 'anna', password: 'a sentence that nobody guesses' };
const native = { id: 'terminal' };
const robot = { id: 'robot', secret: 'a-secret-of-the-other-issuer' };
const patience = 60_000;

let folder: string;
let python: string;
let port: number;
let child: ChildProcess | undefined;
let clock: TestClock;
let provider: IdentityProvider;
let endpoints: Endpoints;
const keys: string[] = [];

/** A key that signs from the next start on; the ones before are still shown. */
async function addKey(): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const path = join(folder, `key-${keys.length}.pem`);
  await writeFile(path, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  keys.unshift(path);
}
async function start(): Promise<void> {
  const started = spawn(python, [join(import.meta.dirname, 'issuer.py'), folder, String(port), ...keys], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let said = '';
  started.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const ended = once(started, 'exit').then(() => {
    throw new Error(`the issuer ended: ${said}`);
  });
  ended.catch(() => undefined);
  await Promise.race([once(started.stdout, 'data'), ended]);
}
async function stop(): Promise<void> {
  const dying = child;
  child = undefined;
  if (!dying || dying.exitCode !== null) return;
  const gone = once(dying, 'exit');
  dying.kill('SIGKILL');
  await gone;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-issuer-'));
  [python, port] = [await makePython(join(import.meta.dirname, 'requirements.txt')), await freePort()];
  await addKey();
  await start();
  clock = makeTestClock(new Date());
  const issuerUrl = `http://127.0.0.1:${port}/o`;
  provider = await openIdentityProvider({ kind: 'external', issuerUrl, audience: 'gpuaas' }, { clock });
  endpoints = await provider.endpoints();
});
afterAll(async () => {
  await provider?.close();
  await stop();
  await rm(folder, { recursive: true, force: true });
});

const browse = () => makeBrowser(new URL(provider.issuer).origin);
const ask = (verifier: string, more: Record<string, string> = {}) =>
  authorizeUrl(endpoints, {
    ...{ clientId: native.id, redirectUri, verifier, scope: 'openid projects:read', ...more },
  });
async function codeFor(verifier: string, browser: Browser = browse()): Promise<string> {
  return codeOf(await walkThrough(browser, await browser.open(ask(verifier)), person));
}
async function signIn(browser: Browser = browse()) {
  const verifier = makeVerifier();
  return exchange(endpoints, native, await codeFor(verifier, browser), redirectUri, verifier);
}
const judge = async (token = '') => {
  const proof = await provider.verify(token);
  return proof instanceof Fault ? proof.code : 'valid';
};

describe('an OpenID provider of another make', { timeout: patience }, () => {
  it('is found by its discovery document, with the ways that it names and no others', async () => {
    expect(endpoints).toEqual({
      authorize: `${provider.issuer}/authorize/`,
      token: `${provider.issuer}/token/`,
      jwks: `${provider.issuer}/.well-known/jwks.json`,
      logout: `${provider.issuer}/logout/`,
      ...{ device: undefined, revocation: undefined, introspection: undefined },
    });
    await expect(provider.check()).resolves.toBeUndefined();
  });

  it('signs a person in on its own pages, and its token says who that is', async () => {
    const tokens = await signIn();
    expect(tokens).toMatchObject({ status: 200, scope: 'openid projects:read', expires_in: 300 });
    const proof = await provider.verify(tokens.access_token ?? '');
    expect(proof).toMatchObject({ issuer: provider.issuer, kind: 'user', clientId: 'terminal' });
    expect(proof).toMatchObject({ subject: '1', tokenId: expect.any(String), authenticatedAt: expect.any(Date) });
    expect(proof).toMatchObject({ scopes: new Set(['openid', 'projects:read']) });
  });

  it('asks for a proof key, and takes a code once and with the right one', async () => {
    const without = ask(makeVerifier());
    without.searchParams.delete('code_challenge');
    without.searchParams.delete('code_challenge_method');
    const browser = browse();
    const refused = await walkThrough(browser, await browser.open(without), person);
    expect(refused.url.searchParams.get('error') ?? refused.html).toMatch(/invalid_request|challenge/i);
    const verifier = makeVerifier();
    const code = await codeFor(verifier, browser);
    expect((await exchange(endpoints, native, code, redirectUri, makeVerifier())).status).toBeGreaterThanOrEqual(400);
    const second = await codeFor(verifier, browser);
    expect((await exchange(endpoints, native, second, redirectUri, verifier)).status).toBe(200);
    expect(await exchange(endpoints, native, second, redirectUri, verifier)).toMatchObject({ error: 'invalid_grant' });
  });

  it('renews a token, and a refresh token that is used twice is refused', async () => {
    const tokens = await signIn();
    const next = await refresh(endpoints, native, tokens.refresh_token);
    expect(next.status).toBe(200);
    expect(await judge(next.access_token)).toBe('valid');
    expect(await refresh(endpoints, native, tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  });

  it('lets a program sign in as itself', async () => {
    const tokens = await post(endpoints.token, robot, { grant_type: 'client_credentials', scope: 'projects:read' });
    expect(await provider.verify(tokens.access_token ?? '')).toMatchObject({ subject: 'robot', clientId: 'robot' });
    const guessed = { ...robot, secret: 'guessed' };
    expect((await post(endpoints.token, guessed, { grant_type: 'client_credentials' })).status).toBe(401);
  });

  it('makes tokens that nobody else can make, and ID tokens that open nothing', async () => {
    const tokens = await signIn();
    const good = tokens.access_token ?? '';
    const [head = '', body = '', signature = ''] = good.split('.');
    const { kid = '' } = decodeProtectedHeader(good);
    const stranger = await generateKeyPair('RS256', { extractable: true });
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const sign = (header: object) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', ...header }).sign(stranger.privateKey);
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
    const forgeries = [
      await sign({ kid }),
      await sign({ kid: 'made-up' }),
      await sign({ kid, jwk: await exportJWK(stranger.publicKey) }),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
      `${head}.${changed}.${signature}`,
      tokens.id_token ?? '',
      tokens.refresh_token ?? '',
    ];
    for (const forgery of forgeries) expect(await judge(forgery)).toBe('token_invalid');
    expect(await judge(good)).toBe('valid');
  });

  it('is believed after it took a new key, while it is away, and no longer than a token lives', async () => {
    const before = await signIn();
    await addKey();
    await stop();
    expect(await judge(before.access_token)).toBe('valid');
    await start();
    // A key that is not known is looked up at once, but not twice within ten seconds.
    await clock.advance(11_000);
    const after = await signIn();
    expect(decodeProtectedHeader(after.access_token ?? '').kid).not.toBe(
      decodeProtectedHeader(before.access_token ?? '').kid,
    );
    expect(await judge(after.access_token)).toBe('valid');
    expect(await judge(before.access_token)).toBe('valid');
    // The clock of the api stood still while the issuer's went on, so this is later than any token lives.
    await clock.advance(3_600_000);
    expect(await judge(before.access_token)).toBe('token_expired');
  });
});
