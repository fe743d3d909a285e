import { hash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBrowser, passkeyOptionsIn, type Screen } from '../../ports/identity-provider/conformance-browser.ts';
import { type EmbeddedBench, openEmbeddedBench } from '../../ports/identity-provider/conformance-embedded.ts';
import {
  askSilently,
  authorizeUrl,
  codeOf,
  exchange,
  makeVerifier,
} from '../../ports/identity-provider/conformance-protocol.ts';
import { secondFactorAcr } from '../../ports/identity-provider/factors/port.ts';
import { makeAuthenticator } from '../../ports/identity-provider/factors/testing-passkey.ts';
import type { Endpoints } from '../../ports/identity-provider/port.ts';

const redirectUri = 'https://console.test/auth/callback';
const password = 'a good long passphrase';

describe('a sign-in with a passkey', () => {
  let bench: EmbeddedBench;
  let endpoints: Endpoints;
  const changes: [string, string][] = [];
  beforeAll(async () => {
    bench = await openEmbeddedBench({
      hostName: 'localhost',
      factorChanged: async (accountId, change) => void changes.push([accountId, change]),
    });
    endpoints = await bench.issuer().endpoints();
  });
  afterAll(() => bench?.close());

  const newDevice = () => makeAuthenticator({ origin: bench.publicUrl, rpId: 'localhost' });
  async function enrolled(login: string) {
    const made = await bench.issuer().accounts.create({ login, displayName: login, password });
    if ('refused' in made) throw new Error(made.refused);
    const { factors } = bench.issuer();
    const begun = await factors.beginPasskey(made.id, 'Laptop');
    if ('refused' in begun) throw new Error(begun.refused);
    const device = newDevice();
    const done = await factors.confirmPasskey(made.id, begun.id, device.create(begun.options));
    if ('refused' in done) throw new Error(done.refused);
    return { accountId: made.id, factorId: begun.id, device, codes: done.recoveryCodes ?? [] };
  }
  const ask = (verifier = makeVerifier(), more: Record<string, string> = {}) =>
    authorizeUrl(endpoints, { clientId: 'gpuaas-console', redirectUri, verifier, scope: 'openid', ...more });
  async function begin(login: string, more: Record<string, string> = {}) {
    const browser = makeBrowser(bench.publicUrl);
    const verifier = makeVerifier();
    const screen = await browser.submit(await browser.open(ask(verifier, more)), { login, password });
    const tokenOf = async (end: Screen) => {
      const client = { id: 'gpuaas-console', secret: bench.issuer().consoleSecret };
      const tokens = await exchange(endpoints, client, codeOf(end), redirectUri, verifier);
      return decodeJwt(tokens.access_token ?? '');
    };
    return { browser, screen, tokenOf };
  }
  const optionsIn = (screen: Screen): object => passkeyOptionsIn(screen) ?? {};

  it('asks for the passkey with a choice of a code, and its tokens say how it was proved', async () => {
    const { device } = await enrolled('bea');
    const { browser, screen, tokenOf } = await begin('bea');
    expect(screen.html).toContain('Use a passkey');
    expect(screen.html).toContain('If you lost your passkey, enter one of your recovery codes.');
    expect(optionsIn(screen)).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    const end = await browser.submit(screen, { passkey: JSON.stringify(device.get(optionsIn(screen))) });
    expect(await tokenOf(end)).toMatchObject({ amr: ['pwd', 'hwk', 'pop', 'mfa'], acr: secondFactorAcr });
    // A program that asks for a second factor is content with it.
    const again = await askSilently(browser, ask(makeVerifier(), { acr_values: secondFactorAcr }));
    expect(codeOf(again)).toEqual(expect.any(String));
  });

  it('runs one script on its page, which is named by its digest', async () => {
    await enrolled('cleo');
    const { screen } = await begin('cleo');
    const scripts = [...screen.html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text);
    expect(scripts).toHaveLength(1);
    const policy = screen.headers.get('content-security-policy');
    expect(policy).toContain(`script-src 'sha256-${hash('sha256', scripts[0] ?? '', 'base64')}';`);
    expect(policy).toContain("default-src 'none'");
  });

  it('takes a recovery code in its place', async () => {
    const { accountId, codes } = await enrolled('dina');
    const { browser, screen, tokenOf } = await begin('dina');
    const end = await browser.submit(screen, { code: codes[0] ?? '' }, 1);
    expect(await tokenOf(end)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'], acr: secondFactorAcr });
    expect(changes).toContainEqual([accountId, 'recovery_code_used']);
  });

  it('refuses a foreign origin, an answer that was used, and the answer to another page', async () => {
    const { device } = await enrolled('elsa');
    const { browser, screen } = await begin('elsa');
    const answerTo = (page: Screen, lies = {}) => ({ passkey: JSON.stringify(device.get(optionsIn(page), lies)) });
    const foreign = await browser.submit(screen, answerTo(screen, { origin: 'https://evil.test' }));
    expect(foreign.status).toBe(401);
    expect(foreign.html).toContain('That passkey was not accepted');
    // The page that follows has a challenge of its own; the one before is worth nothing any more.
    const late = await browser.submit(foreign, answerTo(screen));
    expect(late.status).toBe(401);
    for (const nonsense of ['{', '{}', 'null', '[]']) {
      expect((await browser.submit(late, { passkey: nonsense })).status, nonsense).toBe(401);
    }
    const fresh = await browser.submit(late, { code: 'no code' }, 1);
    const used = answerTo(fresh);
    expect(codeOf(await browser.submit(fresh, used))).toEqual(expect.any(String));
    const other = await begin('elsa');
    expect((await other.browser.submit(other.screen, used)).status).toBe(401);
  });

  it("refuses another person's challenge, and a passkey that was removed meanwhile", async () => {
    const [fred, gina] = [await enrolled('fred'), await enrolled('gina')];
    const [his, hers] = [await begin('fred'), await begin('gina')];
    const crossed = { passkey: JSON.stringify(fred.device.get(optionsIn(hers.screen))) };
    const refused = await his.browser.submit(his.screen, crossed);
    expect(refused.status).toBe(401);
    await bench.issuer().factors.remove(gina.accountId, gina.factorId, { keepLast: false });
    const removed = { passkey: JSON.stringify(gina.device.get(optionsIn(hers.screen))) };
    expect((await hers.browser.submit(hers.screen, removed)).status).toBe(401);
  });
});
