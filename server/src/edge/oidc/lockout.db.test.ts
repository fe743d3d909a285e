import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, makeBrowser } from '../../ports/identity-provider/conformance-browser.ts';
import { type EmbeddedBench, openEmbeddedBench, person } from '../../ports/identity-provider/conformance-embedded.ts';
import { authorizeUrl, codeOf, makeVerifier } from '../../ports/identity-provider/conformance-protocol.ts';

/** Small, so that few tries show what many would. Everybody comes from one address here, which is the worst case. */
const limits = { windowMs: 15 * 60_000, perLoginAndAddress: 3, perAddress: 8, perLogin: 5 };
const known = 'gpuaas_sso_known /oidc';

describe('strangers who guess the password of somebody', () => {
  let bench: EmbeddedBench;
  let owners: Browser;
  beforeAll(async () => {
    bench = await openEmbeddedBench({ attempts: limits });
    owners = makeBrowser(bench.publicUrl);
    expect(codeOf(await enter(owners, person.password))).toEqual(expect.any(String));
  });
  afterAll(() => bench?.close());

  async function enter(browser: Browser, password: string, login = person.login) {
    const url = authorizeUrl(await bench.issuer().endpoints(), {
      ...{ clientId: 'gpuaas-console', redirectUri: 'https://console.test/auth/callback' },
      ...{ verifier: makeVerifier(), scope: 'openid', prompt: 'login' },
    });
    return browser.submit(await browser.open(url), { login, password });
  }
  const statusOf = async (browser: Browser, password: string, login?: string) =>
    (await enter(browser, password, login)).status;
  /** A browser that holds a copy of the cookie, with another value if one is given. */
  function copyOf(value = owners.cookies.get(known)?.value ?? '') {
    const browser = makeBrowser(bench.publicUrl);
    const cookie = { name: 'gpuaas_sso_known', value, path: '/oidc', line: '' };
    (browser.cookies as Map<string, typeof cookie>).set(known, cookie);
    return browser;
  }

  it('use up their own tries, and lock nobody out of a browser that signed in before', async () => {
    const statuses: number[] = [];
    for (let tries = 0; tries < 10; tries += 1) statuses.push(await statusOf(makeBrowser(bench.publicUrl), 'a guess'));
    expect(statuses.at(-1)).toBe(429);
    // A browser that is not known is locked out with them, also with the right password.
    expect(await statusOf(makeBrowser(bench.publicUrl), person.password)).toBe(429);
    expect(codeOf(await enter(owners, person.password))).toEqual(expect.any(String));
  });

  it('gain nothing by a cookie of their own making, or by the cookie of somebody else', async () => {
    const value = owners.cookies.get(known)?.value ?? '';
    const forged = `${'0'.repeat(32)}${value.slice(32)}`;
    expect(await statusOf(copyOf(forged), person.password)).toBe(429);
    // The owner's browser is known for the owner alone.
    expect(await statusOf(copyOf(), person.password, 'another-login')).toBe(429);
  });

  it('who stole the cookie have the few tries of that browser', async () => {
    const thief = copyOf();
    const statuses: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) statuses.push(await statusOf(thief, 'a guess'));
    expect(statuses.at(-1)).toBe(429);
    expect(statuses).toContain(401);
  });
});
