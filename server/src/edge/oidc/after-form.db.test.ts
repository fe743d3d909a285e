import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBrowser, type Screen } from '../../ports/identity-provider/conformance-browser.ts';
import { type EmbeddedBench, openEmbeddedBench, person } from '../../ports/identity-provider/conformance-embedded.ts';
import { authorizeUrl, makeVerifier, post } from '../../ports/identity-provider/conformance-protocol.ts';
import { codeAt } from '../../ports/identity-provider/factors/testing.ts';
import type { Endpoints } from '../../ports/identity-provider/port.ts';
import { makeAfterForm } from './after-form.ts';

/** A page that answers a form directly cannot be gone back to: Chromium says ERR_CACHE_MISS. */
describe('the answer to a form of the issuer', () => {
  let bench: EmbeddedBench;
  let endpoints: Endpoints;
  beforeAll(async () => {
    bench = await openEmbeddedBench();
    endpoints = await bench.issuer().endpoints();
    await bench.issuer().accounts.create({ ...person, displayName: 'Anna Example' });
    await bench.issuer().accounts.create({ login: 'setter', displayName: 'Setter', password: person.password });
  });
  afterAll(() => bench?.close());

  const ask = (more: Record<string, string> = {}) =>
    authorizeUrl(endpoints, {
      clientId: 'gpuaas-cli',
      redirectUri: 'http://127.0.0.1:1/callback',
      verifier: makeVerifier(),
      ...more,
    });

  /** Sends a form, expects a redirect, follows it, and expects a page that can be fetched again. */
  function makeWitness() {
    const browser = makeBrowser(bench.publicUrl);
    const seen: string[] = [];
    return {
      seen,
      open: browser.open,
      async submit(screen: Screen, fields: Record<string, string> = {}, which = 0): Promise<Screen> {
        const form = screen.forms[which];
        const target = new URL(form?.action || screen.url.href, screen.url);
        const sent = [...browser.cookies.values()].filter(({ path }) => target.pathname.startsWith(path));
        const direct = await fetch(target, {
          method: 'POST',
          redirect: 'manual',
          // A form that is sent without its fields shows how refusals are answered, and changes nothing.
          body: new URLSearchParams({ nothing: 'here' }),
          headers: {
            origin: bench.publicUrl,
            accept: 'text/html',
            cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; '),
          },
        });
        seen.push(`${target.pathname.replace(/interaction\/[\w-]+/, 'interaction/:id')} ${direct.status}`);
        const next = await browser.submit(screen, fields, which);
        // Back, and forward again.
        if (next.status !== 0) expect((await browser.open(next.url)).html).toContain('<main>');
        return next;
      },
    };
  }

  it('is a redirect for a wrong password, a weak one and a wrong code of a device', async () => {
    const { submit, open, seen } = makeWitness();
    const login = await open(ask());
    const wrong = await submit(login, { login: 'anna', password: 'wrong password' });
    expect(wrong).toMatchObject({ status: 401, url: login.url });
    expect(wrong.html).toContain('Login or password is wrong');
    expect(wrong.forms[0]?.fields.get('login')).toBe('anna');
    expect((await open(login.url)).html).not.toContain('Login or password is wrong');

    const link = await bench
      .issuer()
      .accounts.makePasswordLink((await bench.issuer().accounts.find({ login: 'anna' }))?.id ?? '', 600_000);
    const choose = await open(link);
    const weak = await submit(choose, { password: 'short' });
    expect(weak).toMatchObject({ status: 422, url: choose.url });

    const device = await post(endpoints.device ?? '', { id: 'gpuaas-cli' }, { scope: 'openid' });
    const typed = await open(`${bench.publicUrl}/oidc/device`);
    const again = await submit(typed, { user_code: 'WRNG-WRNG' });
    expect(again.html).toMatch(/That is not a code we know|That did not work/);
    const fresh = await open(`${bench.publicUrl}/oidc/device`);
    const browser = makeBrowser(bench.publicUrl);
    const page = await browser.open(`${bench.publicUrl}/oidc/device`);
    const confirm = await browser.submit(page, { user_code: String(device['user_code']) });
    expect(confirm.url.pathname).toBe('/oidc/device/confirm');
    expect(confirm.html).toContain('Is this your device?');
    // The page is shown once; who comes back to it types the code again.
    expect((await browser.open(confirm.url)).url.pathname).toBe('/oidc/device');
    expect(fresh.status).toBe(200);
    expect(seen).toEqual(['/oidc/interaction/:id/login 303', '/oidc/password 303', '/oidc/device 303']);
  });

  it.each([
    ...['login', 'consent', 'refuse', 'factor', 'set-up', 'kept'].map((last) => `/oidc/interaction/gone/${last}`),
    '/oidc/password',
    '/oidc/device',
    '/oidc/session/end/confirm',
  ])('is a redirect for a form of %s that is sent late', async (path) => {
    const answer = await fetch(bench.publicUrl + path, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ nothing: 'here' }),
      headers: { origin: bench.publicUrl, accept: 'text/html' },
    });
    expect(answer.status).toBe(303);
    const next = await fetch(new URL(answer.headers.get('location') ?? '', bench.publicUrl), {
      headers: {
        cookie: answer.headers
          .getSetCookie()
          .map((line) => line.split(';')[0])
          .join('; '),
      },
    });
    expect(await next.text()).toContain('<main>');
  });

  it('shows recovery codes again until they are kept, and only to the browser that they belong to', async () => {
    const { secondFactorAcr } = bench.issuer();
    const browser = makeBrowser(bench.publicUrl);
    const login = await browser.open(ask({ acr_values: secondFactorAcr ?? '' }));
    const setUp = await browser.submit(login, { login: 'setter', password: person.password });
    expect(setUp.url.pathname).toMatch(/\/set-up$/);
    const secret = /<strong>([A-Z2-7 ]+)<\/strong>/.exec(setUp.html)?.[1]?.replaceAll(' ', '') ?? '';
    const codes = await browser.submit(setUp, { code: codeAt(secret, bench.clock.now().getTime()) });
    expect(codes.url.pathname).toMatch(/\/kept$/);
    const listed = [...codes.html.matchAll(/<li>([^<]+)<\/li>/g)].map(([, code]) => code);
    expect(listed.length).toBeGreaterThan(5);
    const reloaded = await browser.open(codes.url);
    expect([...reloaded.html.matchAll(/<li>([^<]+)<\/li>/g)].map(([, code]) => code)).toEqual(listed);
    // The Back button leads to the page before, which leads on to where the sign-in stands.
    expect((await browser.open(setUp.url)).url).toEqual(codes.url);
    expect((await makeBrowser(bench.publicUrl).open(codes.url)).status).toBe(400);
    expect((await browser.submit(codes)).html).toContain('Allow GPUaaS command line?');
    expect((await browser.open(codes.url)).status).toBe(400);
  });

  it('is believed only with our signature, on its own page and once', async () => {
    const { marks } = bench.issuer();
    const notes = makeAfterForm({ marks, issuer: new URL('https://gpuaas.test/oidc') });
    const line = notes.cookie('/oidc/password-link', { problem: 'x', status: 429 });
    expect(line).toMatch(/^__Host-gpuaas_sso_outcome=.*; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=120$/);
    const [pair = ''] = line.split(';');
    const read = (cookie: string, url: string) => {
      const set: string[] = [];
      const reply = { header: (_: string, value: string) => set.push(value) };
      return { found: notes.take({ headers: { cookie }, url } as never, reply as never), set };
    };
    expect(read(pair, '/oidc/password-link?x=1')).toEqual({
      found: { problem: 'x', status: 429 },
      set: [expect.stringContaining('Max-Age=0')],
    });
    expect(read(pair, '/oidc/password').found).toBeUndefined();
    expect(read(`${pair}x`, '/oidc/password-link').found).toBeUndefined();
    expect(read(pair.replace('=', '=A'), '/oidc/password-link').found).toBeUndefined();
  });
});
