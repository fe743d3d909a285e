import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../../kernel/clock.ts';
import { Fault, Outage } from '../../../kernel/fault.ts';
import { callerAddress } from '../../gate/caller-address.ts';
import { keysFrom, makeAuthenticate } from './authentication.ts';

const issuer = 'https://issuer.test';
const audience = 'gpuaas';
let pair: Awaited<ReturnType<typeof generateKeyPair>>;
let jwks: { keys: Record<string, unknown>[] };

beforeAll(async () => {
  pair = await generateKeyPair('ES256', { extractable: true });
  jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }] };
});

const here = callerAddress('127.0.0.1');
const setUp = (keys: { keys: Record<string, unknown>[] } = jwks) => {
  const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
  const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);
  const people = { issuer, audience, keys: { kind: 'keys', keys: keys as never } } as const;
  const check = makeAuthenticate({ people, clock });
  const authenticate = (authorization: string | undefined) => check(authorization, here);
  const token = (claims: JWTPayload = {}) =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'somebody', jti: 'j', exp: nowSeconds() + 3_600, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(pair.privateKey);
  return { clock, authenticate, token };
};

describe('authentication', () => {
  it('answers who a good token speaks for', async () => {
    const { authenticate, token } = setUp();
    expect(
      await authenticate(`Bearer ${await token({ scope: 'a:read  b:write', sid: 's', auth_time: 1e9, amr: ['pwd'] })}`),
    ).toEqual({
      issuer,
      subject: 'somebody',
      kind: 'user',
      credential: { kind: 'oidc', tokenId: 'j', sessionId: 's', scopes: new Set(['a:read', 'b:write']) },
      issuedAt: undefined,
      expiresAt: new Date('2026-06-01T13:00:00Z'),
      signedInAt: new Date(1e12),
      methods: ['pwd'],
      keyId: undefined,
    });
    expect(await authenticate(`bearer ${await token({ principal_type: 'service_account' })}`)).toMatchObject({
      kind: 'service_account',
      credential: { scopes: undefined },
    });
  });

  it.each([
    [{ name: 'Ada Lovelace', preferred_username: 'ada' }, 'Ada Lovelace'],
    [{ preferred_username: 'ada' }, 'ada'],
    [{ name: ' \n ', preferred_username: 'ada' }, 'ada'],
    [{ name: `Ada\u202e\nLovelace` }, 'Ada Lovelace'],
    [{ name: 'x'.repeat(500) }, 'x'.repeat(200)],
    [{ name: { first: 'Ada' } }, undefined],
    [{ name: 'A program', principal_type: 'service_account' }, undefined],
  ])('knows what the issuer calls a person: %j', async (claims, name) => {
    const { authenticate, token } = setUp();
    const identity = await authenticate(`Bearer ${await token(claims)}`);
    expect((identity as { name?: string }).name).toBe(name);
  });

  it('does not take the public key for a shared secret', async () => {
    const { authenticate } = setUp();
    for (const secret of [
      await exportSPKI(pair.publicKey),
      JSON.stringify(jwks.keys[0]),
      String(jwks.keys[0]?.['x']),
    ]) {
      const forged = await new SignJWT({ iss: issuer, aud: audience, sub: 'operator', exp: 4e9 })
        .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
        .sign(new TextEncoder().encode(secret.padEnd(32, ' ')));
      expect(await authenticate(`Bearer ${forged}`)).toMatchObject({ code: 'token_invalid' });
    }
  });

  it('says the same about every token that is not valid, so that nobody learns why', async () => {
    const { authenticate, token } = setUp();
    const faults = [];
    for (const claims of [{ aud: 'x' }, { iss: 'x' }, { sub: '' }, { nbf: 4e9 }, { jti: 7 as never }]) {
      faults.push(await authenticate(`Bearer ${await token(claims)}`));
    }
    expect(new Set(faults.map((fault) => (fault as Fault).message)).size).toBe(1);
  });

  it('verifies a token once, checks its date every time, and verifies again after five minutes', async () => {
    const keys = { keys: [...jwks.keys] };
    const { clock, authenticate, token } = setUp(keys);
    const bearer = `Bearer ${await token()}`;
    const first = await authenticate(bearer);
    expect(first).not.toBeInstanceOf(Fault);
    expect(await authenticate(bearer)).toBe(first);
    await clock.advance(5 * 60_000);
    const later = await authenticate(bearer);
    expect(later).toEqual(first);
    expect(later).not.toBe(first);
    await clock.advance(3_600_000);
    expect(await authenticate(bearer)).toMatchObject({ code: 'token_expired' });
  });

  it('refuses a token whose key is ambiguous', async () => {
    const [key = {}] = jwks.keys;
    const { authenticate } = setUp({
      keys: [
        { ...key, kid: 'a' },
        { ...key, kid: 'b' },
      ],
    });
    const token = await new SignJWT({ iss: issuer, aud: audience, sub: 's', exp: 4e9 })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(pair.privateKey);
    expect(await authenticate(`Bearer ${token}`)).toMatchObject({ code: 'token_invalid' });
  });
});

describe('keys by address', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-keys-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('are read once from a file', async () => {
    const path = join(folder, 'keys.json');
    await writeFile(path, JSON.stringify(jwks));
    expect(await keysFrom(pathToFileURL(path))).toEqual({ kind: 'keys', keys: jwks });
    await expect(keysFrom(pathToFileURL(join(folder, 'nothing.json')))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('are asked of their issuer, and its outage is not the fault of the caller', async () => {
    let answer: { status: number; body: string } = { status: 500, body: 'broken' };
    const server = createServer((_, response) => response.writeHead(answer.status).end(answer.body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`);
    const { clock, token } = setUp();
    const source = await keysFrom(url);
    expect(source).toEqual({ kind: 'url', url });
    const ask = async () =>
      makeAuthenticate({ people: { issuer, audience, keys: source }, clock })(`Bearer ${await token()}`, here);
    await expect(ask()).rejects.toThrow(Outage);
    answer = { status: 200, body: 'not json' };
    await expect(ask()).rejects.toThrow(Outage);
    answer = { status: 200, body: '{"keys":"no list"}' };
    await expect(ask()).rejects.toThrow(Outage);
    answer = { status: 200, body: JSON.stringify(jwks) };
    expect(await ask()).toMatchObject({ subject: 'somebody' });
    answer = { status: 200, body: '{"keys":[]}' };
    expect(await ask()).toMatchObject({ code: 'token_invalid' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(ask()).rejects.toThrow('the keys of the issuer cannot be used');
  });
});

describe('the address of keys', () => {
  it('is one by https, or on this machine', async () => {
    for (const url of [
      'https://issuer.example/keys',
      'http://127.0.0.1:9/keys',
      'http://localhost/keys',
      'http://[::1]/',
    ]) {
      expect((await keysFrom(new URL(url))).kind, url).toBe('url');
    }
    for (const url of ['http://issuer.example/keys', 'http://10.0.0.1/keys', 'http://127.0.0.1.example/keys']) {
      await expect(keysFrom(new URL(url)), url).rejects.toThrow('must come by https');
    }
  });
});
