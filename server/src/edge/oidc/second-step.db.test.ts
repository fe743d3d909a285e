import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeBrowser, type Screen } from '../../ports/identity-provider/conformance-browser.ts';
import { type EmbeddedBench, openEmbeddedBench } from '../../ports/identity-provider/conformance-embedded.ts';
import {
  askSilently,
  authorizeUrl,
  codeOf,
  exchange,
  makeVerifier,
  refresh,
} from '../../ports/identity-provider/conformance-protocol.ts';
import { secondFactorAcr } from '../../ports/identity-provider/factors/port.ts';
import { codeAt, wrongCodeFor } from '../../ports/identity-provider/factors/testing.ts';
import type { Endpoints } from '../../ports/identity-provider/port.ts';

const stepMs = 30_000;
const redirectUri = 'https://console.test/auth/callback';
const password = 'a good long passphrase';

describe('a sign-in with a second factor', () => {
  let bench: EmbeddedBench;
  let endpoints: Endpoints;
  const changes: [string, string][] = [];

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    bench = await openEmbeddedBench({
      factorChanged: async (accountId, change) => void changes.push([accountId, change]),
    });
    vi.setSystemTime(bench.clock.now());
    endpoints = await bench.issuer().endpoints();
  });
  // Codes work once: each test has moments of its own.
  afterEach(() => advance(2 * stepMs));
  afterAll(async () => {
    await bench?.close();
    vi.useRealTimers();
  });

  async function advance(ms: number): Promise<void> {
    await bench.clock.advance(ms);
    vi.setSystemTime(bench.clock.now());
  }
  const nowMs = () => bench.clock.now().getTime();
  async function person(login: string): Promise<string> {
    const made = await bench.issuer().accounts.create({ login, displayName: login, password });
    if ('refused' in made) throw new Error(made.refused);
    return made.id;
  }
  async function enrol(accountId: string) {
    const { factors } = bench.issuer();
    const begun = await factors.beginTotp(accountId, 'Phone');
    if ('refused' in begun) throw new Error(begun.refused);
    const done = await factors.confirmTotp(accountId, begun.id, codeAt(begun.secret, nowMs()));
    if ('refused' in done) throw new Error(done.refused);
    await advance(stepMs);
    return { ...begun, codes: done.recoveryCodes ?? [] };
  }
  const ask = (verifier = makeVerifier(), more: Record<string, string> = {}) =>
    authorizeUrl(endpoints, {
      clientId: 'gpuaas-console',
      redirectUri,
      verifier,
      scope: 'openid',
      ...more,
    });
  const client = () => ({ id: 'gpuaas-console', secret: bench.issuer().consoleSecret });
  async function begin(login: string, more: Record<string, string> = {}) {
    const browser = makeBrowser(bench.publicUrl);
    const verifier = makeVerifier();
    const screen = await browser.submit(await browser.open(ask(verifier, more)), { login, password });
    const tokensOf = async (end: Screen) => {
      const tokens = await exchange(endpoints, client(), codeOf(end), redirectUri, verifier);
      const read = (token = '') => decodeJwt(token) as { amr?: string[]; acr?: string };
      return { ...tokens, access: read(tokens.access_token), id: read(tokens.id_token as string) };
    };
    return { browser, screen, tokensOf };
  }

  it('is asked for the factor by whoever has one, and its tokens say so', async () => {
    const { secret } = await enrol(await person('bea'));
    const { browser, screen, tokensOf } = await begin('bea');
    expect(screen.status).toBe(200);
    expect(screen.html).toContain('Second factor');
    const wrong = await browser.submit(screen, { code: wrongCodeFor(secret, nowMs()) });
    expect(wrong).toMatchObject({ status: 401 });
    expect(wrong.html).toContain('That code is wrong');
    const code = codeAt(secret, nowMs());
    const { access, id, refresh_token } = await tokensOf(await browser.submit(wrong, { code }));
    for (const token of [access, id]) {
      expect(token).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: secondFactorAcr });
    }
    const renewed = await refresh(endpoints, client(), refresh_token);
    expect(decodeJwt(renewed.access_token ?? '')).toMatchObject({
      amr: ['pwd', 'otp', 'mfa'],
      acr: secondFactorAcr,
    });
    // The same browser is signed in, and not asked again.
    expect(codeOf(await askSilently(browser, ask()))).toEqual(expect.any(String));
    // The same code does not work for another browser.
    const other = await begin('bea');
    expect(await other.browser.submit(other.screen, { code })).toMatchObject({ status: 401 });
  });

  it('counts from the moment of its password, however long the factor takes', async () => {
    const { secret } = await enrol(await person('carl'));
    const { browser, screen, tokensOf } = await begin('carl');
    const askedAt = Math.floor(nowMs() / 1_000);
    await advance(5 * 60_000);
    const { access_token } = await tokensOf(await browser.submit(screen, { code: codeAt(secret, nowMs()) }));
    expect(decodeJwt(access_token ?? '')['auth_time']).toBe(askedAt);
  });

  it('is a sign-in by password for whoever has none', async () => {
    await person('cleo');
    const { screen, tokensOf } = await begin('cleo');
    const { access } = await tokensOf(screen);
    expect(access.amr).toEqual(['pwd']);
    expect(access.acr).toBeUndefined();
  });

  it('cannot be finished without the factor by going on elsewhere', async () => {
    const { secret } = await enrol(await person('dina'));
    const { browser, screen } = await begin('dina');
    const question = screen.forms[0]?.action.replace(/\/factor$/, '') ?? '';
    expect(question).toContain('/interaction/');
    for (const last of ['/kept', '/set-up', '/consent']) {
      const form = { ...screen, forms: [{ action: `${question}${last}`, fields: new Map(), hasPassword: false }] };
      expect(await browser.submit(form, { code: codeAt(secret, nowMs()) }), last).toMatchObject({ status: 400 });
    }
    const id = question.split('/').at(-1) ?? '';
    const resumed = await browser.open(`${endpoints.authorize}/${id}`);
    expect(resumed.forms[0]?.hasPassword).toBe(true);
    expect((await askSilently(browser, ask())).url.searchParams.get('error')).toBe('login_required');
    // Another browser that knows the address of the question has no question.
    const stranger = makeBrowser(bench.publicUrl);
    expect(await stranger.submit(screen, { code: codeAt(secret, nowMs()) })).toMatchObject({ status: 400 });
  });

  it('takes a recovery code once, and its person hears of it', async () => {
    const accountId = await person('elsa');
    const { codes } = await enrol(accountId);
    const [code = ''] = codes;
    const { browser, screen, tokensOf } = await begin('elsa');
    const { access } = await tokensOf(await browser.submit(screen, { code }));
    expect(access).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: secondFactorAcr });
    expect(changes).toContainEqual([accountId, 'recovery_code_used']);
    const again = await begin('elsa');
    expect(await again.browser.submit(again.screen, { code })).toMatchObject({ status: 401 });
  });

  it('is limited to ten tries, whatever browser they come from', async () => {
    const { secret } = await enrol(await person('fred'));
    let { browser, screen } = await begin('fred');
    for (let index = 0; index < 10; index += 1) {
      const wrong = await browser.submit(screen, { code: wrongCodeFor(secret, nowMs()) });
      expect(wrong.status).toBe(401);
      if (index === 5) ({ browser, screen } = await begin('fred'));
    }
    const limited = await browser.submit(screen, { code: codeAt(secret, nowMs()) });
    expect(limited).toMatchObject({ status: 429 });
    expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(limited.html).toContain('Too many tries. Wait 15 minutes');
  });

  it('sets a factor up on the way when the program asks for one, and shows recovery codes once', async () => {
    const accountId = await person('gina');
    const { browser, screen, tokensOf } = await begin('gina', { acr_values: secondFactorAcr });
    expect(screen.html).toContain('Set up a second factor');
    expect(screen.html).toContain('<svg');
    const secret = /<strong>([A-Z2-7 ]+)<\/strong>/.exec(screen.html)?.[1]?.replaceAll(' ', '') ?? '';
    const wrong = await browser.submit(screen, { code: wrongCodeFor(secret, nowMs()) });
    expect(wrong.status).toBe(401);
    expect(wrong.html).toContain(secret.slice(0, 4));
    expect(await bench.issuer().factors.has(accountId)).toBe(false);
    const kept = await browser.submit(wrong, { code: codeAt(secret, nowMs()) });
    const codes = [...kept.html.matchAll(/<li>([a-z2-7-]{19})<\/li>/g)].map(([, code]) => code);
    expect(codes).toHaveLength(10);
    expect(kept.headers.get('cache-control')).toBe('no-store');
    const { access } = await tokensOf(await browser.submit(kept));
    expect(access).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: secondFactorAcr });
    expect(changes).toContainEqual([accountId, 'factor_added']);
    expect(await bench.issuer().factors.list(accountId)).toMatchObject({ recoveryCodesLeft: 10 });
  });

  it('is asked anew of a browser that is signed in by password, once a factor is there or asked for', async () => {
    const accountId = await person('hugo');
    const { browser, screen } = await begin('hugo');
    expect(codeOf(screen)).toEqual(expect.any(String));
    expect(codeOf(await askSilently(browser, ask()))).toEqual(expect.any(String));
    const wanted = await askSilently(browser, ask(makeVerifier(), { acr_values: secondFactorAcr }));
    expect(wanted.url.searchParams.get('error')).toBe('login_required');
    const { secret } = await enrol(accountId);
    expect((await askSilently(browser, ask())).url.searchParams.get('error')).toBe('login_required');
    const step = await browser.submit(await browser.open(ask()), { login: 'hugo', password });
    expect(codeOf(await browser.submit(step, { code: codeAt(secret, nowMs()) }))).toEqual(expect.any(String));
    expect(codeOf(await askSilently(browser, ask(makeVerifier(), { acr_values: secondFactorAcr })))).toEqual(
      expect.any(String),
    );
  });

  it('is over when it takes too long, or when the password is changed meanwhile', async () => {
    const accountId = await person('ines');
    const { secret } = await enrol(accountId);
    const slow = await begin('ines');
    await advance(10 * 60_000);
    expect(await slow.browser.submit(slow.screen, { code: codeAt(secret, nowMs()) })).toMatchObject({ status: 400 });
    const { browser, screen } = await begin('ines');
    await bench.issuer().accounts.setPassword(accountId, 'another good passphrase');
    expect(await browser.submit(screen, { code: codeAt(secret, nowMs()) })).toMatchObject({ status: 400 });
  });
});
