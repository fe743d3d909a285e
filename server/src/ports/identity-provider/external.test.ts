import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { Fault, Outage } from '../../kernel/fault.ts';
import { endsByItself } from '../../testing/servers/ends-by-itself.ts';
import { openExternalIssuer, WrongIssuer } from './external.ts';
import type { IdentityProvider } from './port.ts';

const minuteMs = 60_000;

describe('an external issuer', () => {
  let server: Server;
  let url: string;
  let document: Record<string, unknown>;
  let keys: JWK[];
  let status: number;
  let asked: number;
  let signer: CryptoKey;
  let clock: ReturnType<typeof makeTestClock>;
  const opened: IdentityProvider[] = [];
  const warn = vi.fn();

  beforeEach(async () => {
    clock = makeTestClock();
    status = 200;
    asked = 0;
    warn.mockClear();
    server = createServer((request, response) => {
      const isKeys = request.url?.endsWith('/jwks');
      if (isKeys) asked += 1;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? (isKeys ? { keys } : document) : { error: 'away' }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/acme`;
    document = {
      issuer: url,
      authorization_endpoint: `${url}/auth`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
    };
    keys = [];
    await addKey('k1');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((issuer) => issuer.close()));
    server.closeAllConnections();
    server.close();
  });

  async function addKey(kid: string): Promise<void> {
    const pair = await generateKeyPair('RS256', { extractable: true });
    signer = pair.privateKey;
    keys.push({ ...(await exportJWK(pair.publicKey)), kid, use: 'sig', alg: 'RS256' });
  }
  const sign = (kid: string, claims: object = {}, minutes = 60 * 48) =>
    new SignJWT({
      iss: url,
      aud: ['account', 'gpuaas'],
      sub: 'f3b1',
      exp: clock.now().getTime() / 1_000 + minutes * 60,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(signer);
  async function open(issuerUrl = url): Promise<IdentityProvider> {
    const issuer = await openExternalIssuer({ issuerUrl, audience: 'gpuaas', clock, log: { warn } });
    opened.push(issuer);
    return issuer;
  }
  const codeOf = (answer: unknown) => (answer instanceof Fault ? answer.code : 'valid');

  it('may call people what it likes: its roles are hints', async () => {
    const issuer = await open(`${url}/.well-known/openid-configuration`);
    const proof = await issuer.verify(
      await sign('k1', { realm_access: { roles: ['platform_superadmin', 7] }, azp: 'console', scope: 'openid email' }),
    );
    expect(proof).toMatchObject({
      issuer: url,
      subject: 'f3b1',
      kind: 'user',
      clientId: 'console',
      claimedRoles: ['platform_superadmin'],
      scopes: new Set(['openid', 'email']),
    });
    expect(Object.keys(proof)).not.toContain('platformRoles');
    expect(await issuer.endpoints()).toMatchObject({ authorize: `${url}/auth`, device: undefined, logout: undefined });
  });

  it('is asked for its keys every five minutes, and never by a request', async () => {
    const issuer = await open();
    expect(asked).toBe(1);
    const token = await sign('k1');
    for (let index = 0; index < 5; index += 1) expect(codeOf(await issuer.verify(token))).toBe('valid');
    expect(asked).toBe(1);
    await clock.advance(5 * minuteMs);
    await vi.waitFor(() => expect(asked).toBe(2), { timeout: 30_000 });
    keys.shift();
    await addKey('k2');
    await clock.advance(5 * minuteMs);
    await vi.waitFor(() => expect(asked).toBe(3), { timeout: 30_000 });
    // A key that the issuer withdrew is not believed any longer than that.
    await vi.waitFor(async () => expect(codeOf(await issuer.verify(token))).toBe('token_invalid'), { timeout: 30_000 });
  });

  it('is asked at once about a key that is new, and not again for each that is made up', async () => {
    const issuer = await open();
    await clock.advance(11_000);
    await addKey('k2');
    expect(codeOf(await issuer.verify(await sign('k2')))).toBe('valid');
    expect(asked).toBe(2);
    for (let index = 0; index < 20; index += 1) {
      expect(codeOf(await issuer.verify(await sign(`made-up-${index}`)))).toBe('token_invalid');
    }
    expect(asked).toBe(2);
    await clock.advance(11_000);
    await Promise.all(Array.from({ length: 10 }, async () => issuer.verify(await sign('made-up'))));
    expect(asked).toBe(3);
  });

  it('may be away for a day before its keys are given up', async () => {
    const issuer = await open();
    const token = await sign('k1');
    status = 503;
    await clock.advance(23 * 60 * minuteMs);
    expect(codeOf(await issuer.verify(token))).toBe('valid');
    await expect(issuer.check()).resolves.toBeUndefined();
    expect(warn).toHaveBeenCalled();
    await clock.advance(61 * minuteMs);
    await expect(issuer.verify(token)).rejects.toThrow(Outage);
    await expect(issuer.check()).rejects.toThrow(Outage);
    status = 200;
    await clock.advance(minuteMs);
    await vi.waitFor(async () => expect(codeOf(await issuer.verify(token))).toBe('valid'), { timeout: 30_000 });
  });

  it('may be away when we start, and is there when it is back', async () => {
    status = 503;
    const issuer = await open();
    const token = await sign('k1');
    await expect(issuer.check()).rejects.toThrow(Outage);
    await expect(issuer.verify(token)).rejects.toThrow(Outage);
    status = 200;
    await clock.advance(31_000);
    await vi.waitFor(async () => expect(codeOf(await issuer.verify(token))).toBe('valid'), { timeout: 30_000 });
  });

  it.each<[string, () => void]>([
    ['another name', () => Object.assign(document, { issuer: 'https://evil.test' })],
    ['no keys', () => Object.assign(document, { jwks_uri: undefined })],
    ['keys that travel in the open', () => Object.assign(document, { jwks_uri: 'http://keys.test/jwks' })],
    ['an address that is none', () => Object.assign(document, { token_endpoint: 'nowhere' })],
  ])('is refused at once when its document shows %s', async (_, spoil) => {
    spoil();
    await expect(open()).rejects.toThrow(WrongIssuer);
  });

  it('is refused when it is not on this machine and not encrypted', async () => {
    await expect(open('http://issuer.test')).rejects.toThrow(/https/);
  });

  it('cannot make a shared secret out of what it shows', async () => {
    const secret = Buffer.alloc(32, 9);
    keys.push({ kty: 'oct', k: secret.toString('base64url'), kid: 'shared', alg: 'HS256' });
    const issuer = await open();
    const forged = await new SignJWT({ iss: url, aud: 'gpuaas', sub: 'root', exp: 4_000_000_000 })
      .setProtectedHeader({ alg: 'HS256', kid: 'shared' })
      .sign(secret);
    expect(codeOf(await issuer.verify(forged))).toBe('token_invalid');
  });

  it('does not flood us', async () => {
    Object.assign(document, { padding: 'x'.repeat(2 * 1024 * 1024) });
    const issuer = await open();
    await expect(issuer.check()).rejects.toThrow(Outage);
    expect(String(warn.mock.calls[0]?.[0]?.err)).toContain('more than');
  });

  it('leaves nothing behind that would keep a process alive', async () => {
    const config = { kind: 'external', issuerUrl: url, audience: 'gpuaas' };
    await expect(
      endsByItself(import.meta.resolve('./open.ts'), 'openIdentityProvider', config),
    ).resolves.toBeUndefined();
  });
});
