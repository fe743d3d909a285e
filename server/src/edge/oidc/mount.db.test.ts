import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Browser,
  makeBrowser,
  type Screen,
  walkThrough,
} from '../../ports/identity-provider/conformance-browser.ts';
import { type EmbeddedBench, openEmbeddedBench, person } from '../../ports/identity-provider/conformance-embedded.ts';
import {
  askSilently,
  authorizeUrl,
  codeOf,
  exchange,
  makeVerifier,
  post,
  refresh,
} from '../../ports/identity-provider/conformance-protocol.ts';
import type { Endpoints } from '../../ports/identity-provider/port.ts';
import { makeDatabaseOutage } from '../../testing/servers/outage.ts';

const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>`;
const attempts = { windowMs: 60_000, perLoginAndAddress: 4, perAddress: 40, perLogin: 100 };

describe('the pages of the embedded issuer', () => {
  let bench: EmbeddedBench;
  let endpoints: Endpoints;
  let consoleUri: string;
  const faults: object[] = [];
  const cliUri = 'http://127.0.0.1:49152/callback';

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    bench = await openEmbeddedBench({
      attempts,
      log: { error: (details) => faults.push(details), warn: () => undefined },
    });
    vi.setSystemTime(bench.clock.now());
    endpoints = await bench.issuer().endpoints();
    consoleUri = `https://console.test/auth/callback`;
  });
  // Tries are counted by the minute; each test begins a new one.
  afterEach(() => advance(attempts.windowMs + 1));
  afterAll(async () => {
    await bench?.close();
    vi.useRealTimers();
  });

  async function advance(ms: number): Promise<void> {
    await bench.clock.advance(ms);
    vi.setSystemTime(bench.clock.now());
  }
  const browse = () => makeBrowser(bench.publicUrl);
  const cliAsks = (more: Record<string, string> = {}, verifier = makeVerifier()) =>
    authorizeUrl(endpoints, { clientId: 'gpuaas-cli', redirectUri: cliUri, verifier, ...more });
  const consoleAsks = (verifier = makeVerifier(), more: Record<string, string> = {}) =>
    authorizeUrl(endpoints, {
      clientId: 'gpuaas-console',
      redirectUri: consoleUri,
      verifier,
      scope: 'openid profile email',
      ...more,
    });
  const consoleClient = () => ({ id: 'gpuaas-console', secret: bench.issuer().consoleSecret });

  async function signInToConsole(browser: Browser = browse()) {
    const verifier = makeVerifier();
    const screen = await walkThrough(browser, await browser.open(consoleAsks(verifier)), person);
    return {
      browser,
      screen,
      tokens: await exchange(endpoints, consoleClient(), codeOf(screen), consoleUri, verifier),
    };
  }

  function expectPlain(screen: Screen): void {
    const markup = screen.html.replaceAll(/"[^"]*"/g, '""');
    expect(markup).not.toMatch(/<script|<img|<[^>]*\s(?:on[a-z]+|style)=/i);
    expect(screen.html).not.toMatch(/(?:href|src|action)="javascript:/i);
    expect(screen.html).toMatch(/<html lang="en">[\s\S]*<title>[^<]+<\/title>[\s\S]*<h1>/);
    const policy = screen.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/);
    expect(policy).not.toMatch(/unsafe|script-src|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(screen.headers.get('x-content-type-options')).toBe('nosniff');
    expect(screen.headers.get('cache-control')).toMatch(/no-store/);
  }

  it('run no script and load nothing, each of them', async () => {
    const browser = browse();
    const login = await browser.open(cliAsks());
    const consent = await browser.submit(login, { ...person });
    expect(consent.html).toContain('Allow GPUaaS command line?');
    expect(consent.html).toContain('Everything that your roles allow');
    const device = await browser.open(`${bench.publicUrl}/oidc/device`);
    const given = await post(endpoints.device ?? '', { id: 'gpuaas-cli' }, { scope: 'openid' });
    const confirm = await browser.submit(device, { user_code: String(given['user_code']) });
    expect(confirm.html).toContain(String(given['user_code']));
    const out = await browser.open(endpoints.logout ?? '');
    const left = await browser.submit(out);
    const nowhere = await browser.open(`${bench.publicUrl}/oidc/auth?client_id=nobody`);
    expect(nowhere.status).toBe(400);
    const over = await browser.open(`${bench.publicUrl}/oidc/interaction/none`);
    expect(over.status).toBe(400);
    const link = await browser.open(`${bench.publicUrl}/oidc/password?token=x`);
    const spent = await browser.submit(link, { password: 'another long passphrase' });
    expect(spent.status).toBe(400);
    for (const screen of [login, consent, device, confirm, out, left, nowhere, over, link, spent]) expectPlain(screen);
  });

  it('let forms lead to the program that asked, and to no other', async () => {
    const policyOf = async (url: URL) => (await browse().open(url)).headers.get('content-security-policy');
    expect(await policyOf(cliAsks())).toContain("form-action 'self' http://127.0.0.1:49152;");
    expect(await policyOf(consoleAsks())).toContain("form-action 'self' https://console.test;");
    expect(await policyOf(cliAsks({ redirect_uri: 'http://[::1]:5000/callback' }))).toContain("'self' http:;");
  });

  it('show what strangers wrote as text', async () => {
    const browser = browse();
    const hinted = await browser.open(cliAsks({ login_hint: evil }));
    expect(hinted.html).toContain('&lt;script&gt;');
    const wrong = await browser.submit(hinted, { login: evil, password: 'wrong' });
    expect(wrong.status).toBe(401);
    const code = await browser.open(`${bench.publicUrl}/oidc/device?user_code=${encodeURIComponent(evil)}`);
    const unknown = await browser.submit(code, { user_code: evil });
    const pages = [hinted, wrong, code, unknown];
    for (const name of ['client_id', 'redirect_uri', 'response_type', 'scope', 'error', 'prompt', 'response_mode']) {
      const url = cliAsks();
      url.searchParams.set(name, evil);
      const screen = await browse().open(url);
      if (screen.url.origin === bench.publicUrl) pages.push(screen);
    }
    pages.push(await browse().open(`${bench.publicUrl}/oidc/password?token=${encodeURIComponent(evil)}`));
    pages.push(await browse().open(`${endpoints.logout}?id_token_hint=${encodeURIComponent(evil)}`));
    pages.push(await browse().open(`${bench.publicUrl}/oidc/nothing/${encodeURIComponent(evil)}`));
    expect(pages.length).toBeGreaterThan(8);
    for (const screen of pages.filter(({ headers }) => headers.get('content-type')?.includes('html')))
      expectPlain(screen);
    for (const { html } of pages) expect(html).not.toContain('<script');
  });

  it('take a form from themselves only', async () => {
    for (const headers of [{ origin: 'https://evil.test' }, { origin: 'null' }] as Record<string, string>[]) {
      const browser = browse();
      const login = await browser.open(cliAsks());
      const forged = await browser.submit(login, { ...person }, 0, headers);
      expect(forged.status).toBe(403);
      expect((await browser.submit(login, { ...person })).html).toContain('Allow GPUaaS command line?');
    }
  });

  it('ask the browser that began, and nobody who learnt the address', async () => {
    const mine = browse();
    const login = await mine.open(cliAsks());
    const theirs = browse();
    expect((await theirs.open(login.url)).status).toBe(400);
    expect((await theirs.submit(login, { ...person })).status).toBe(400);
    const consent = await mine.submit(login, { ...person });
    expect((await theirs.submit(consent)).status).toBe(400);
    expect((await mine.submit(consent)).url.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('let a person refuse to sign in, and refuse to consent', async () => {
    const browser = browse();
    const login = await browser.open(cliAsks());
    expect((await browser.submit(login, {}, 1)).url.searchParams.get('error')).toBe('access_denied');
    const consent = await browser.submit(await browser.open(cliAsks()), { ...person });
    expect((await browser.submit(consent, {}, 1)).url.searchParams.get('error')).toBe('access_denied');
  });

  it('answer a wrong password and an unknown login alike, and let nobody guess for long', async () => {
    const screens: Screen[] = [];
    for (const login of ['anna', 'nobody-of-this-name']) {
      const browser = browse();
      const asked = await browser.open(cliAsks());
      const action = asked.url.pathname;
      const wrong = await browser.submit(asked, { login, password: 'wrong password' });
      screens.push({ ...wrong, html: wrong.html.replaceAll(action, '').replaceAll(login, '') });
    }
    expect(screens[0]?.status).toBe(401);
    expect(screens[1]?.html).toBe(screens[0]?.html);
    expect(screens[0]?.html).toContain('Login or password is wrong');
    const browser = browse();
    const asked = await browser.open(cliAsks());
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      statuses.push((await browser.submit(asked, { login: 'anna', password: `wrong ${index}` })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const right = await browser.submit(asked, { ...person });
    expect(right.status).toBe(429);
    expect(right.html).toContain('Too many tries');
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0);
    await advance(attempts.windowMs + 1);
    expect((await browser.submit(asked, { ...person })).html).toContain('Allow GPUaaS command line?');
  });

  it('set cookies that no script reads and no other site sends', async () => {
    const { browser } = await signInToConsole();
    const lines = [...browser.cookies.values()].map(({ line }) => line);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      expect(line).toMatch(/;\s*httponly/i);
      expect(line).toMatch(/;\s*samesite=lax/i);
      expect(line).toMatch(/;\s*path=\/oidc/i);
      expect(line).not.toMatch(/;\s*secure/i);
    }
  });

  it('know the console as their own: no consent, who signed in, and silence while signed in', async () => {
    const { browser, tokens } = await signInToConsole();
    const claims = JSON.parse(Buffer.from(tokens.id_token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      iss: bench.issuer().issuer,
      aud: 'gpuaas-console',
      name: 'Anna Example',
      preferred_username: 'anna',
      email: 'anna@example.com',
    });
    const proof = await bench.issuer().verify(tokens.access_token ?? '');
    expect(proof).toMatchObject({ subject: claims.sub, methods: ['pwd'], kind: 'user', clientId: 'gpuaas-console' });
    expect(proof).toMatchObject({ sessionId: expect.any(String), authenticatedAt: expect.any(Date) });
    const silent = await askSilently(browser, consoleAsks());
    expect(silent.url.href.startsWith(consoleUri)).toBe(true);
    expect(codeOf(silent)).toEqual(expect.any(String));
    const stranger = await post(
      endpoints.token,
      { id: 'gpuaas-console', secret: 'guessed' },
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' },
    );
    expect(stranger).toMatchObject({ status: 401, error: 'invalid_client' });
  });

  it('sign the console out with the browser, and send it back where it asked', async () => {
    const { browser, tokens } = await signInToConsole();
    const out = new URL(endpoints.logout ?? '');
    out.searchParams.set('id_token_hint', tokens.id_token ?? '');
    out.searchParams.set('post_logout_redirect_uri', 'https://evil.test/bye');
    expect((await browser.open(out)).status).toBe(400);
    out.searchParams.set('post_logout_redirect_uri', 'https://console.test/bye');
    out.searchParams.set('state', 'back');
    const asked = await browser.open(out);
    expect(asked.headers.get('content-security-policy')).toContain("'self' https://console.test;");
    const left = await browser.submit(asked);
    expect(left.url.href).toBe('https://console.test/bye?state=back');
    expect(await refresh(endpoints, consoleClient(), tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    // Signing out once more has nobody to ask, and still ends where it should.
    const again = await browser.open(out);
    expectPlain(again);
    expect((await browser.submit(again)).url.href).toBe('https://console.test/bye?state=back');
  });

  it('let another person sign in over the one who is', async () => {
    await bench.issuer().accounts.create({ login: 'berta', displayName: 'Berta', password: 'another good passphrase' });
    const { browser } = await signInToConsole();
    const verifier = makeVerifier();
    const login = await browser.open(consoleAsks(verifier, { prompt: 'login' }));
    const step = await browser.submit(login, { login: 'berta', password: 'another good passphrase' });
    expectPlain(step);
    const done = await walkThrough(browser, step, person);
    const tokens = await exchange(endpoints, consoleClient(), codeOf(done), consoleUri, verifier);
    const proof = await bench.issuer().verify(tokens.access_token ?? '');
    expect(proof).toMatchObject({ subject: (await bench.issuer().accounts.find({ login: 'berta' }))?.id });
  });

  it('answer by a form without a script to those who ask for one', async () => {
    const browser = browse();
    const page = await walkThrough(
      browser,
      await browser.open(consoleAsks(makeVerifier(), { response_mode: 'form_post' })),
      person,
    );
    expect(page.url.href.startsWith('https://console.test/')).toBe(true);
    const once = await browser.open(consoleAsks(makeVerifier(), { response_mode: 'form_post' }));
    expectPlain(once);
    expect(once.forms[0]?.action).toBe(consoleUri);
    expect(once.forms[0]?.fields.get('code')).toEqual(expect.any(String));
    expect(once.headers.get('content-security-policy')).toContain("'self' https://console.test;");
  });

  it('fill in the code of a device, have it confirmed by hand, and can refuse it', async () => {
    const start = () => post(endpoints.device ?? '', { id: 'gpuaas-cli' }, { scope: 'openid' });
    const device = await start();
    const browser = browse();
    const filled = await browser.open(String(device['verification_uri_complete']));
    expectPlain(filled);
    expect(filled.html).toContain('Connect a device');
    expect(filled.forms[0]?.fields.get('user_code')).toBe(device['user_code']);
    const confirm = await browser.submit(filled);
    expect(confirm.html).toContain('Is this your device?');
    const refused = await browser.submit(confirm, { abort: 'yes' }, 1);
    expect(refused.html).toContain('Nothing was signed in');
    const poll = await post(
      endpoints.token,
      { id: 'gpuaas-cli' },
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: String(device['device_code']),
      },
    );
    expect(poll).toMatchObject({ status: 400, error: 'access_denied' });
    const forged = await browser.submit(await browser.open(`${bench.publicUrl}/oidc/device`), {
      user_code: String((await start())['user_code']),
      xsrf: 'guessed',
    });
    expect(forged.html).not.toContain('Is this your device?');
  });

  it('let nobody guess the codes of devices', async () => {
    const browser = browse();
    const statuses: number[] = [];
    for (let index = 0; index <= attempts.perAddress; index += 1) {
      const form = await browser.open(`${bench.publicUrl}/oidc/device`);
      statuses.push((await browser.submit(form, { user_code: `WRNG-${1_000 + index}` })).status);
    }
    expect(statuses.slice(0, -1)).not.toContain(429);
    expect(statuses.at(-1)).toBe(429);
  });

  it('go by their public name, whatever name they were called by', async () => {
    const ask = (path: string, headers: Record<string, string>) =>
      new Promise<{ status: number; location: string | undefined; text: string; cookies: string[] }>(
        (resolve, reject) => {
          const request = httpRequest(`${bench.publicUrl}${path}`, { headers }, (response) => {
            let text = '';
            response.on('data', (chunk: Buffer) => {
              text += chunk.toString();
            });
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                location: response.headers.location,
                text,
                cookies: response.headers['set-cookie'] ?? [],
              }),
            );
          });
          request.on('error', reject);
          request.end();
        },
      );
    const foreign = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' };
    const document = await ask('/oidc/.well-known/openid-configuration', foreign);
    expect(document.status).toBe(200);
    expect(document.text).not.toContain('evil.test');
    expect(JSON.parse(document.text)).toMatchObject({ token_endpoint: endpoints.token });
    const page = await ask('/oidc/auth?client_id=gpuaas-cli', { ...foreign, accept: 'text/html' });
    expect(page).toMatchObject({ status: 307, location: `${bench.publicUrl}/oidc/auth?client_id=gpuaas-cli` });
  });

  it('keep people signed in over a restart', async () => {
    const { browser, tokens } = await signInToConsole();
    const half = browse();
    const login = await half.open(cliAsks());
    await bench.restart();
    expect(codeOf(await askSilently(browser, consoleAsks()))).toEqual(expect.any(String));
    expect((await refresh(endpoints, consoleClient(), tokens.refresh_token)).status).toBe(200);
    expect(await bench.issuer().verify(tokens.access_token ?? '')).toMatchObject({ kind: 'user' });
    expect((await half.submit(login, { ...person })).html).toContain('Allow GPUaaS command line?');
  });

  it('say so when the database is away, and go on when it is back', async () => {
    const browser = browse();
    const login = await browser.open(cliAsks());
    const outage = makeDatabaseOutage(bench.databaseUrl);
    await outage.begin();
    try {
      const failed = await browser.submit(login, { ...person });
      expect(failed.status).toBe(503);
      expectPlain(failed);
      expect(failed.html).toContain('Try again in a minute');
      expect(faults).not.toHaveLength(0);
      const token = await refresh(endpoints, { id: 'gpuaas-cli' }, 'whatever');
      expect(token).toMatchObject({ status: 500, error: 'server_error' });
      expect((await fetch(endpoints.jwks)).status).toBe(200);
    } finally {
      await outage.end();
    }
    await vi.waitFor(async () => {
      expect((await browser.submit(login, { ...person })).html).toContain('Allow GPUaaS command line?');
    });
  });

  it('let a new person choose a password by a link, once', async () => {
    const { accounts } = bench.issuer();
    const made = await accounts.create({ login: 'carla', displayName: 'Carla' });
    if ('refused' in made) throw new Error(made.refused);
    const link = await accounts.makePasswordLink(made.id, 60_000);
    const browser = browse();
    const form = await browser.open(link);
    expect((await browser.submit(form, { password: 'short' })).status).toBe(422);
    const set = await browser.submit(form, { password: 'chosen by carla herself' });
    expect(set.html).toContain('You can now sign in as carla.');
    expect((await browser.submit(form, { password: 'chosen by somebody else' })).status).toBe(400);
    expect(await accounts.authenticate('Carla', 'chosen by carla herself')).toMatchObject({ id: made.id });
    const late = await accounts.makePasswordLink(made.id, 60_000);
    await advance(60_001);
    expect((await browser.submit(await browser.open(late), { password: 'chosen by carla later' })).status).toBe(400);
  });

  it('let a disabled account neither in nor on', async () => {
    const { accounts } = bench.issuer();
    const made = await accounts.create({ login: 'dora', displayName: 'Dora', password: 'a passphrase of dora' });
    if ('refused' in made) throw new Error(made.refused);
    const dora = { login: 'dora', password: 'a passphrase of dora' };
    const browser = browse();
    const verifier = makeVerifier();
    const screen = await walkThrough(browser, await browser.open(consoleAsks(verifier)), dora);
    const tokens = await exchange(endpoints, consoleClient(), codeOf(screen), consoleUri, verifier);
    await accounts.disable(made.id);
    expect(await refresh(endpoints, consoleClient(), tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
    const silent = await askSilently(browser, consoleAsks());
    expect(silent.url.searchParams.get('error')).toBe('login_required');
    const refused = await browser.submit(await browser.open(consoleAsks()), dora);
    expect(refused.status).toBe(401);
    await accounts.enable(made.id);
    expect((await walkThrough(browser, await browser.open(consoleAsks()), dora)).url.href).toContain(consoleUri);
  });
});

describe('the pages of an issuer behind https', () => {
  it('set cookies that never travel in the open, and name only https addresses', async () => {
    const bench = await openEmbeddedBench({ publicUrl: 'https://gpuaas.test' });
    try {
      const at = (path: string) => new URL(path, bench.localUrl);
      const url = authorizeUrl(await bench.issuer().endpoints(), {
        clientId: 'gpuaas-cli',
        redirectUri: 'http://127.0.0.1:1/callback',
        verifier: makeVerifier(),
      });
      const response = await fetch(at(url.pathname + url.search), { redirect: 'manual', headers: { accept: '*/*' } });
      expect(response.status).toBe(303);
      const lines = response.headers.getSetCookie();
      expect(lines.length).toBeGreaterThan(1);
      for (const line of lines) expect(line).toMatch(/;\s*secure/i);
      const document = await (await fetch(at('/oidc/.well-known/openid-configuration'))).text();
      expect(document).toContain('https://gpuaas.test/oidc/token');
      expect(document).not.toContain('http://');
    } finally {
      await bench.close();
    }
  });
});
