import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Browser, makeBrowser, type Screen, walkThrough } from './conformance-browser.ts';
import {
  askSilently,
  authorizeUrl,
  codeOf,
  exchange,
  makeVerifier,
  post,
  refresh,
  type TokenReply,
} from './conformance-protocol.ts';
import type { Endpoints, IdentityProvider, Proof } from './port.ts';

/** An issuer with a person, a program for terminals and a program that signs in as itself. */
export interface IdentityProviderWorld {
  readonly clock: TestClock;
  readonly person: { readonly login: string; readonly password: string };
  readonly native: string;
  readonly service: { readonly id: string; readonly secret: string };
  readonly accessTokenMs: number;
  open(): Promise<IdentityProvider>;
  /** Moves the clocks of both sides. */
  advance(ms: number): Promise<void>;
  rotateKeys(): Promise<void>;
  /** What the adapter gets its keys from is away until `recover`. */
  breakDown(): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}

export function identityProviderConformance(name: string, makeWorld: () => Promise<IdentityProviderWorld>): void {
  describe(`identity-provider: ${name}`, () => {
    let world: IdentityProviderWorld;
    let provider: IdentityProvider;
    let endpoints: Endpoints;
    const redirectUri = 'http://127.0.0.1:49152/callback';

    beforeAll(async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      world = await makeWorld();
      vi.setSystemTime(world.clock.now());
      provider = await world.open();
      endpoints = await provider.endpoints();
    });
    afterAll(async () => {
      await provider?.close();
      await world?.close();
      vi.useRealTimers();
    });

    const browse = () => makeBrowser(new URL(provider.issuer).origin);
    const ask = (verifier: string, more: Record<string, string> = {}) =>
      authorizeUrl(endpoints, {
        clientId: world.native,
        redirectUri,
        verifier,
        scope: 'openid projects:read',
        ...more,
      });
    const native = () => ({ id: world.native });

    async function signIn(browser: Browser = browse()): Promise<{ tokens: TokenReply; browser: Browser }> {
      const verifier = makeVerifier();
      const screen = await walkThrough(browser, await browser.open(ask(verifier)), world.person);
      const tokens = await exchange(endpoints, native(), codeOf(screen), redirectUri, verifier);
      return { tokens, browser };
    }
    async function prove(token: string | undefined): Promise<Proof> {
      const proof = await provider.verify(token ?? '');
      if (proof instanceof Fault) throw proof;
      return proof;
    }
    const codeFrom = async (token: string): Promise<unknown> => {
      const answer = await provider.verify(token);
      return answer instanceof Fault ? answer.code : 'valid';
    };
    const errorAt = (screen: Screen) => screen.url.searchParams.get('error');

    it('is found by its discovery document', async () => {
      const response = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
      const document = (await response.json()) as Record<string, unknown>;
      expect(document).toMatchObject({
        issuer: provider.issuer,
        authorization_endpoint: endpoints.authorize,
        token_endpoint: endpoints.token,
        device_authorization_endpoint: endpoints.device,
        end_session_endpoint: endpoints.logout,
        jwks_uri: endpoints.jwks,
        revocation_endpoint: endpoints.revocation,
        introspection_endpoint: endpoints.introspection,
        code_challenge_methods_supported: ['S256'],
      });
      await expect(provider.check()).resolves.toBeUndefined();
    });

    it('signs somebody in to a program on a loopback port, and says who they are', async () => {
      const { tokens } = await signIn();
      expect(tokens).toMatchObject({ status: 200, expires_in: world.accessTokenMs / 1_000, scope: 'projects:read' });
      const proof = await prove(tokens.access_token);
      expect(proof).toMatchObject({ issuer: provider.issuer, kind: 'user', clientId: world.native });
      expect(proof.scopes).toEqual(new Set(['projects:read']));
      expect(proof.subject).not.toBe('');
      expect(proof.tokenId).toEqual(expect.any(String));
      expect(proof.expiresAt.getTime() - world.clock.now().getTime()).toBeLessThanOrEqual(world.accessTokenMs);
      const again = await signIn();
      const other = await prove(again.tokens.access_token);
      expect(other.subject).toBe(proof.subject);
      expect(other.tokenId).not.toBe(proof.tokenId);
    });

    it('keeps the state that it was given, and says who answers', async () => {
      const browser = browse();
      const screen = await walkThrough(browser, await browser.open(ask(makeVerifier())), world.person);
      expect(screen.url.href.startsWith(redirectUri)).toBe(true);
      expect(screen.url.searchParams.get('state')).toBe('the-state');
      expect(screen.url.searchParams.get('iss')).toBe(provider.issuer);
    });

    it('refuses a program that brings no proof key, or one that anybody could have read', async () => {
      const without = ask(makeVerifier());
      without.searchParams.delete('code_challenge');
      without.searchParams.delete('code_challenge_method');
      expect(errorAt(await browse().open(without))).toBe('invalid_request');
      const plain = ask(makeVerifier(), { code_challenge_method: 'plain' });
      expect(errorAt(await browse().open(plain))).toBe('invalid_request');
    });

    it('refuses a code with the wrong proof key, and a code that was used', async () => {
      const browser = browse();
      const verifier = makeVerifier();
      const first = await walkThrough(browser, await browser.open(ask(verifier)), world.person);
      const wrong = await exchange(endpoints, native(), codeOf(first), redirectUri, makeVerifier());
      expect(wrong).toMatchObject({ status: 400, error: 'invalid_grant' });
      const second = await walkThrough(browser, await browser.open(ask(verifier)), world.person);
      const good = await exchange(endpoints, native(), codeOf(second), redirectUri, verifier);
      expect(good.status).toBe(200);
      const replay = await exchange(endpoints, native(), codeOf(second), redirectUri, verifier);
      expect(replay).toMatchObject({ status: 400, error: 'invalid_grant' });
      // Whoever replays a code may be a thief, or have been robbed: what came of it ends.
      expect(await refresh(endpoints, native(), good.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    });

    it('refuses to send anybody elsewhere', async () => {
      for (const elsewhere of ['https://evil.test/callback', 'http://127.0.0.1:49152/other', 'javascript:alert(1)']) {
        const screen = await browse().open(ask(makeVerifier(), { redirect_uri: elsewhere }));
        expect(screen.status).toBe(400);
        expect(screen.url.origin).toBe(new URL(provider.issuer).origin);
      }
    });

    it('gives a new refresh token for each that is used, and ends all when one is used twice', async () => {
      const { tokens } = await signIn();
      const second = await refresh(endpoints, native(), tokens.refresh_token);
      expect(second.status).toBe(200);
      expect(second.refresh_token).not.toBe(tokens.refresh_token);
      const [before, after] = [await prove(tokens.access_token), await prove(second.access_token)];
      expect(after.subject).toBe(before.subject);
      expect(after.sessionId).toBe(before.sessionId);
      expect(await refresh(endpoints, native(), tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
      expect(await refresh(endpoints, native(), second.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    });

    it('signs a device in when somebody confirms its code elsewhere', async () => {
      const device = await post(endpoints.device ?? '', native(), { scope: 'openid projects:read' });
      expect(device).toMatchObject({ status: 200, user_code: expect.any(String), device_code: expect.any(String) });
      const poll = () =>
        post(endpoints.token, native(), {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: String(device['device_code']),
        });
      expect(await poll()).toMatchObject({ status: 400, error: 'authorization_pending' });
      const browser = browse();
      const asked = await browser.open(String(device['verification_uri']));
      const entered = await browser.submit(asked, { user_code: String(device['user_code']) });
      const done = await walkThrough(browser, entered, world.person);
      expect(done.status).toBe(200);
      const tokens = await poll();
      expect(tokens.status).toBe(200);
      expect(await prove(tokens.access_token)).toMatchObject({ kind: 'user', clientId: world.native });
      expect(await poll()).toMatchObject({ error: 'invalid_grant' });
    });

    it('tells a device when its code is too old', async () => {
      const device = await post(endpoints.device ?? '', native(), { scope: 'openid' });
      await world.advance(Number(device.expires_in) * 1_000 + 1_000);
      const late = await post(endpoints.token, native(), {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(device['device_code']),
      });
      expect(late).toMatchObject({ status: 400, error: 'expired_token' });
    });

    it('lets a program sign in as itself, by its secret', async () => {
      const form = { grant_type: 'client_credentials', scope: 'projects:read' };
      const tokens = await post(endpoints.token, world.service, form);
      expect(tokens.status).toBe(200);
      expect(tokens.refresh_token).toBeUndefined();
      expect(await prove(tokens.access_token)).toMatchObject({
        subject: world.service.id,
        clientId: world.service.id,
        scopes: new Set(['projects:read']),
      });
      const wrong = await post(endpoints.token, { id: world.service.id, secret: 'guessed' }, form);
      expect(wrong).toMatchObject({ status: 401, error: 'invalid_client' });
    });

    it('signs a browser out', async () => {
      const { tokens, browser } = await signIn();
      const whileIn = await askSilently(browser, ask(makeVerifier()));
      // A native program has to ask each time, so being signed in shows as another question than signing in.
      expect(errorAt(whileIn)).toBe('interaction_required');
      const asked = await browser.open(`${endpoints.logout}?id_token_hint=${tokens.id_token}`);
      const out = await browser.submit(asked, { logout: 'yes' });
      expect(out.status).toBe(200);
      expect(errorAt(await askSilently(browser, ask(makeVerifier())))).toBe('login_required');
    });

    it('says of a refresh token whether it is good, and not after it was revoked', async () => {
      const { tokens } = await signIn();
      const form = { token: tokens.refresh_token ?? '' };
      expect(await post(endpoints.introspection ?? '', native(), form)).toMatchObject({ active: true });
      expect((await post(endpoints.revocation ?? '', native(), form)).status).toBe(200);
      expect(await post(endpoints.introspection ?? '', native(), form)).toEqual({ active: false, status: 200 });
      expect(await refresh(endpoints, native(), tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    });

    it('refuses what others signed, changed or made for somebody else', async () => {
      const { tokens } = await signIn();
      const good = tokens.access_token ?? '';
      const [head = '', body = '', signature = ''] = good.split('.');
      const stranger = await generateKeyPair('ES256', { extractable: true });
      const claims = { iss: provider.issuer, aud: 'gpuaas', sub: 'me', exp: world.clock.now().getTime() / 1_000 + 60 };
      const sign = (header: object) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'ES256', ...header }).sign(stranger.privateKey);
      const known = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
      const forgeries = [
        await sign({ kid: 'made-up' }),
        await sign({ kid: known.kid }),
        await sign({ kid: known.kid, jwk: await exportJWK(stranger.publicKey) }),
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
        `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url')}.${signature}`,
        tokens.id_token ?? '',
        tokens.refresh_token ?? '',
        `${good}${'x'.repeat(9_000)}`,
        'not a token',
        '',
      ];
      for (const forgery of forgeries) expect(await codeFrom(forgery)).toBe('token_invalid');
      expect(await codeFrom(good)).toBe('valid');
    });

    it('refuses a token when its time is over', async () => {
      const { tokens } = await signIn();
      await world.advance(world.accessTokenMs - 2_000);
      expect(await codeFrom(tokens.access_token ?? '')).toBe('valid');
      await world.advance(3_000);
      expect(await codeFrom(tokens.access_token ?? '')).toBe('token_expired');
    });

    it('knows new keys at once, and believes what old ones signed until it expires', async () => {
      const before = await signIn();
      await world.advance(11_000);
      await world.rotateKeys();
      const after = await signIn(before.browser);
      const kidOf = (token = '') =>
        (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
      expect(kidOf(after.tokens.access_token)).not.toBe(kidOf(before.tokens.access_token));
      expect(await codeFrom(after.tokens.access_token ?? '')).toBe('valid');
      expect(await codeFrom(before.tokens.access_token ?? '')).toBe('valid');
      expect((await refresh(endpoints, native(), before.tokens.refresh_token)).status).toBe(200);
    });

    it('verifies good tokens while the issuer is away, for an hour and longer', async () => {
      const { tokens } = await signIn();
      await world.breakDown();
      try {
        expect(await codeFrom(tokens.access_token ?? '')).toBe('valid');
        await world.advance(60 * 60_000);
        // This one is too old by now; that it is known to be, and not unknown, shows that the keys are still there.
        expect(await codeFrom(tokens.access_token ?? '')).toBe('token_expired');
      } finally {
        await world.recover();
      }
      await vi.waitFor(async () => expect((await signIn()).tokens.status).toBe(200), { timeout: 15_000 });
    });

    it('is given up by close', async () => {
      const another = await world.open();
      await another.check();
      await another.close();
      await another.close();
      await expect(another.check()).rejects.toThrow(/closed/);
    });
  });
}
