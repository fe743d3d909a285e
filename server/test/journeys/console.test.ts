import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { type Browser, makeBrowser, walkThrough } from '../../src/ports/identity-provider/conformance-browser.ts';
import { ask, authorize, openSignInWorld, type Person, type SignInWorld, signIn } from './support/sign-in.ts';

/** A browser that signs in to the console: what it holds, what it may do with it, and what others cannot do with it. */
let world: SignInWorld;
let person: Person;
beforeEach(async () => {
  person = await world.newPerson();
});
beforeAll(async () => {
  world = await openSignInWorld();
});
afterAll(() => world.close());

const landing = '/api/v1/version';
const cookieOf = (browser: Browser) =>
  [...browser.cookies.values()].find(({ name }) => name === 'gpuaas_session')?.value ?? '';
/** Signs a browser in and answers its cookie. */
async function signInBrowser(browser = makeBrowser(world.url), query = ''): Promise<string> {
  const screen = await browser.open(`${world.url}/auth/login?return_to=${landing}${query}`);
  const end = await walkThrough(browser, screen, person);
  expect(end.url.href).toBe(`${world.url}${landing}`);
  return cookieOf(browser);
}
async function withCookie(cookie: string, path = '/api/v1/me', init: RequestInit = {}, url = world.url) {
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: {
      cookie: `gpuaas_session=${cookie}`,
      ...(init.method && { 'idempotency-key': systemIds.next(), 'content-type': 'application/json' }),
      ...(init.headers as Record<string, string> | undefined),
    },
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  return { status: response.status, body: (await response.json()) as any };
}
const found = (slug: string, headers: Record<string, string>) => ({
  method: 'POST',
  headers,
  body: JSON.stringify({ name: slug, slug }),
});
const rowOf = async (cookie: string) => {
  const { rows } = await world.root.query(
    `select id, generation, ended_at, end_reason, sealed_tokens from console_sessions
     where cookie_digest = sha256(convert_to($1, 'UTF8'))`,
    [cookie],
  );
  return rows[0] as {
    id: string;
    generation: string;
    ended_at: Date | null;
    end_reason: string | null;
    sealed_tokens: Buffer;
  };
};

describe('a browser that signs in', () => {
  it('holds one opaque cookie that scripts and other sites cannot use, and is somebody with it', async () => {
    const browser = makeBrowser(world.url);
    const cookie = await signInBrowser(browser);
    const { line } = [...browser.cookies.values()].find(({ name }) => name === 'gpuaas_session') ?? { line: '' };
    expect(line.split('; ').slice(1)).toEqual(
      expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax', expect.stringMatching(/^Max-Age=\d+$/)]),
    );
    // Nothing that a browser holds is a token.
    for (const { value } of browser.cookies.values()) expect(value).not.toContain('eyJ');
    const me = await withCookie(cookie);
    expect(me).toMatchObject({ status: 200, body: { platform_roles: [] } });
    const sessions = await withCookie(cookie, '/api/v1/me/sessions');
    expect(sessions.body.data.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const home = await browser.open(`${world.url}/`);
    expect(home.html).toContain(`Signed in as <strong>${person.login}</strong>`);
    const { rows } = await world.root.query(
      `select actor_id from audit_logs where action = 'console_session.begin' and target_id = $1`,
      [(await rowOf(cookie)).id],
    );
    expect(rows).toEqual([{ actor_id: me.body.id }]);
  });

  it('writes only from pages of ours, whatever else the request says', async () => {
    const cookie = await signInBrowser();
    const attempts: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${world.url}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of attempts) {
      const reply = await withCookie(cookie, '/api/v1/organizations', found('stolen', headers));
      expect(reply, JSON.stringify(headers)).toMatchObject({ status: 403, body: { code: 'origin_refused' } });
    }
    const own = await withCookie(cookie, '/api/v1/organizations', found('from-our-page', { origin: world.url }));
    expect(own.status).toBe(201);
    // A program sends a header that no page can make a browser send, and is asked for no origin.
    const { access_token } = await signIn(world.url, person);
    const program = await ask(world.url, access_token, '/api/v1/organizations', {
      ...found('from-a-program', { 'content-type': 'application/json', 'idempotency-key': systemIds.next() }),
    });
    expect(program.status).toBe(201);
  });

  it('is sent nowhere but to a path of ours', async () => {
    const elsewhere = [
      '//evil.example/',
      '/\\evil.example',
      'https://evil.example/',
      '/\t/evil.example',
      '/auth/login',
    ];
    for (const address of elsewhere) {
      const browser = makeBrowser(world.url);
      const asked = await browser.open(`${world.url}/auth/login?return_to=${encodeURIComponent(address)}`);
      const end = await browser.submit(asked, { ...person });
      expect(end.url.href, address).toBe(`${world.url}/`);
      expect(end.html).toContain('Signed in as');
    }
  });
});

describe('a callback', () => {
  /** Walks until the issuer sends the browser back, and stops there. */
  async function walkToCallback(browser: Browser): Promise<URL> {
    const asked = await browser.open(`${world.url}/auth/login?return_to=${landing}`);
    const form = asked.forms[0];
    let address = new URL(form?.action ?? '', asked.url);
    let init: RequestInit = {
      method: 'POST',
      body: new URLSearchParams({ ...person }),
      headers: { origin: world.url },
    };
    for (let hop = 0; hop < 5; hop += 1) {
      const cookie = [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`).join('; ');
      const headers = { ...(init.headers as Record<string, string> | undefined), cookie };
      const reply = await fetch(address, { ...init, redirect: 'manual', headers });
      address = new URL(reply.headers.get('location') ?? '', address);
      if (address.pathname === '/auth/callback') return address;
      init = {};
    }
    throw new Error(`no callback after ${address}`);
  }

  it('is refused in a browser that did not ask for it, and without the state that was asked with', async () => {
    const attacker = makeBrowser(world.url);
    const address = await walkToCallback(attacker);
    // The attacker lures somebody else to the end of the attacker's own sign-in.
    const victim = makeBrowser(world.url);
    const lured = await victim.open(address);
    expect(lured).toMatchObject({ status: 400 });
    expect(cookieOf(victim)).toBe('');
    // Also when that somebody was about to sign in.
    await victim.open(`${world.url}/auth/login`);
    expect((await victim.open(address)).status).toBe(400);
    expect(cookieOf(victim)).toBe('');

    const wrong = new URL(address);
    wrong.searchParams.set('state', 'a'.repeat(64));
    expect((await attacker.open(wrong)).status).toBe(400);
    expect(cookieOf(attacker)).toBe('');
  });

  it('works once: who comes again with the same address gets nothing, and ends nothing', async () => {
    const browser = makeBrowser(world.url);
    const address = await walkToCallback(browser);
    expect((await browser.open(address)).url.pathname).toBe(landing);
    const cookie = cookieOf(browser);
    expect((await browser.open(address)).status).toBe(400);
    expect((await withCookie(cookie)).status).toBe(200);
  });

  it('names the issuer that it comes from, or is refused', async () => {
    const browser = makeBrowser(world.url);
    const address = await walkToCallback(browser);
    address.searchParams.set('iss', 'https://other.example');
    expect((await browser.open(address)).status).toBe(400);
    expect(cookieOf(browser)).toBe('');
  });

  it('gives a new cookie each time, and ends the session that the browser brought along', async () => {
    const browser = makeBrowser(world.url);
    const first = await signInBrowser(browser);
    const second = await signInBrowser(browser);
    expect(second).not.toBe(first);
    expect(await rowOf(first)).toMatchObject({ end_reason: 'replaced by a new sign-in' });
    await expect.poll(async () => (await withCookie(first)).status, { timeout: 30_000 }).toBe(401);
    expect((await withCookie(second)).status).toBe(200);

    // A cookie that somebody planted is not what the browser is signed in with.
    const planted = 'a'.repeat(64);
    const reply = await fetch(`${world.url}/auth/login`, {
      redirect: 'manual',
      headers: { cookie: `gpuaas_session=${planted}` },
    });
    expect(reply.status).toBe(303);
    expect((await withCookie(planted)).status).toBe(401);
  });
});

describe('the session of a browser', () => {
  it('is refused by every api once it was revoked', async () => {
    const other = await world.startAnother();
    const browser = makeBrowser(world.url);
    const cookie = await signInBrowser(browser);
    for (const url of [world.url, other.url]) {
      expect((await withCookie(cookie, '/api/v1/me', {}, url)).status).toBe(200);
    }
    const { access_token } = await signIn(world.url, person);
    const { data } = (await withCookie(cookie, '/api/v1/me/sessions')).body;
    const { id } = data.find(({ current }: { current: boolean }) => current);
    const revoked = await ask(world.url, access_token, `/api/v1/me/sessions/${id}`, {
      method: 'DELETE',
      headers: { 'idempotency-key': systemIds.next() },
    });
    expect(revoked.status).toBe(200);
    for (const url of [world.url, other.url]) {
      await expect
        .poll(async () => (await withCookie(cookie, '/api/v1/me', {}, url)).status, { timeout: 30_000 })
        .toBe(401);
    }
    // The issuer knows nothing of it, and is not asked to let the same sign-in back in: the person is.
    const asked = await browser.open(`${world.url}/auth/login?return_to=${landing}`);
    expect(asked.forms[0]?.hasPassword).toBe(true);
    expect((await walkThrough(browser, asked, person)).url.pathname).toBe(landing);
    expect((await withCookie(cookieOf(browser))).status).toBe(200);
  });

  it('is renewed once, however many requests find that its token has ended', async () => {
    const other = await world.startAnother();
    const cookie = await signInBrowser();
    const row = await rowOf(cookie);
    const place = `console session ${row.id}`;
    const tokens = JSON.parse(world.consoleSeal.open(row.sealed_tokens, place)) as { accessToken: string };
    const late = { ...tokens, accessToken: 'spent', accessExpiresAt: new Date(0).toISOString() };
    await world.root.query('update console_sessions set sealed_tokens = $2 where id = $1', [
      row.id,
      world.consoleSeal.close(JSON.stringify(late), place),
    ]);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => withCookie(cookie, '/api/v1/me', {}, n % 2 ? other.url : world.url)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await rowOf(cookie)).toMatchObject({ generation: '1', ended_at: null });
  });

  it('ends when the issuer does not renew it any more', async () => {
    const cookie = await signInBrowser();
    const row = await rowOf(cookie);
    const place = `console session ${row.id}`;
    const tokens = JSON.parse(world.consoleSeal.open(row.sealed_tokens, place)) as object;
    const spent = { ...tokens, refreshToken: 'unknown', accessExpiresAt: new Date(0).toISOString() };
    await world.root.query('update console_sessions set sealed_tokens = $2 where id = $1', [
      row.id,
      world.consoleSeal.close(JSON.stringify(spent), place),
    ]);
    expect(await withCookie(cookie)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
    expect((await rowOf(cookie)).end_reason).toBe('the issuer no longer renews it');
    expect(await withCookie(cookie)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });

  it('ends with a sign-out, here and at the issuer; a terminal of the same browser stays signed in', async () => {
    const browser = makeBrowser(world.url);
    const cookie = await signInBrowser(browser);
    const terminal = await (await authorize(world.url, person, browser)).exchange();
    expect(terminal.status).toBe(200);
    const foreign = await fetch(`${world.url}/auth/logout`, {
      method: 'POST',
      headers: { cookie: `gpuaas_session=${cookie}`, origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect((await withCookie(cookie)).status).toBe(200);

    const home = await browser.open(`${world.url}/`);
    const question = await browser.submit(home);
    expect(question.html).toContain('Sign out?');
    // The console showed whose sign-out it is, so the page presses its own button; this browser runs no scripts.
    expect(question.html).toContain("<script>document.querySelector('button[name=logout]').click();</script>");
    expect((await withCookie(cookie)).status).toBe(401);
    const end = await browser.submit(question);
    expect(end.url.href).toBe(`${world.url}/`);
    expect(end.html).not.toContain('Signed in as');
    const again = await browser.open(`${world.url}/auth/login`);
    expect(again.forms[0]?.hasPassword).toBe(true);
    expect((await ask(world.url, terminal.body.access_token)).status).toBe(200);
  });
});

describe('a sensitive act', () => {
  const makeToken = (headers: Record<string, string> = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': systemIds.next(), ...headers },
    body: JSON.stringify({ name: 'ci', scopes: ['organizations:read'], expires_in_days: 1 }),
  });

  it('asks for a recent sign-in, and passes after one even though the browser was signed in', async () => {
    const account = await world.issuer.accounts.find({ login: person.login });
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
    const old = await world.sign({ sub: account?.id ?? '', sid: 'old', auth_time: hourAgo });
    expect((await ask(world.url, old)).status).toBe(200);
    expect(await ask(world.url, old, '/api/v1/me/tokens', makeToken())).toMatchObject({
      status: 403,
      body: { code: 'step_up_required', details: { authorization_parameters: { prompt: 'login' } } },
    });

    const browser = makeBrowser(world.url);
    await signInBrowser(browser);
    const asked = await browser.open(`${world.url}/auth/login?step_up=1&return_to=${landing}`);
    expect(asked.forms[0]?.hasPassword).toBe(true);
    const end = await walkThrough(browser, asked, person);
    expect(end.url.href).toBe(`${world.url}${landing}`);
    const made = await withCookie(cookieOf(browser), '/api/v1/me/tokens', makeToken({ origin: world.url }));
    expect(made.status).toBe(201);
  });
});
