import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBrowser, walkThrough } from '../../src/ports/identity-provider/conformance-browser.ts';
import { ask, authorize, openSignInWorld, postForm, type SignInWorld, signIn } from './support/sign-in.ts';

/** Signing in to an api that is its own OpenID provider, as programs do it: over HTTP, with codes. */
let world: SignInWorld;
beforeAll(async () => {
  world = await openSignInWorld();
});
afterAll(() => world.close());

const facts = async () =>
  (await (await fetch(`${world.url}/api/v1/sign-in`)).json()) as Record<
    'client_id' | 'scope' | 'token_endpoint' | 'device_authorization_endpoint',
    string
  >;

describe('a sign-in with a code', () => {
  it('makes a person with an organization of their own and no role on the platform', async () => {
    const { access_token } = await signIn(world.url, world.person);
    const me = await ask(world.url, access_token);
    expect(me.status).toBe(200);
    expect(me.body.platform_roles).toEqual([]);
    expect(me.body.organizations).toMatchObject([{ name: 'Personal', role: 'owner' }]);
    const again = await ask(world.url, (await signIn(world.url, world.person)).access_token);
    expect(again.body).toEqual(me.body);
    const { rows } = await world.root.query(
      `select o.type, a.action from organizations o join audit_logs a on a.organization_id = o.id where o.id = $1`,
      [me.body.organizations[0].id],
    );
    expect(rows).toEqual([{ type: 'personal', action: 'user.create' }]);
  });

  it('gives its code away once: whoever comes second ends what the first one got', async () => {
    const { exchange } = await authorize(world.url, world.person);
    const first = await exchange();
    expect(first.status).toBe(200);
    const replayed = await exchange();
    expect(replayed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const { client_id, token_endpoint } = await facts();
    const refreshed = await postForm(token_endpoint, {
      grant_type: 'refresh_token',
      client_id,
      refresh_token: first.body.refresh_token,
    });
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('is told apart from a wrong password, and from an address that is not the program’s', async () => {
    const wrong = await authorize(world.url, { ...world.person, password: 'not the password' });
    expect(wrong.screen.status).toBe(401);
    expect(wrong.screen.html).toContain('Login or password is wrong');
    const elsewhere = await authorize(world.url, world.person, makeBrowser(world.url), {
      redirect_uri: 'https://evil.example/callback',
    });
    expect(elsewhere.screen.status).toBe(400);
    expect(elsewhere.screen.url.origin).toBe(world.url);
  });

  it('is renewed with a token that is used once; one that is used twice ends the sign-in', async () => {
    const { refresh_token } = await signIn(world.url, world.person);
    const { client_id, token_endpoint } = await facts();
    const renew = (token: string) =>
      postForm(token_endpoint, { grant_type: 'refresh_token', client_id, refresh_token: token });
    const second = await renew(refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(refresh_token);
    expect((await ask(world.url, second.body.access_token)).status).toBe(200);
    expect(await renew(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await renew(second.body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('a sign-in with a device code', () => {
  it('waits until somebody has confirmed the code in a browser', async () => {
    const { client_id, scope, token_endpoint, device_authorization_endpoint } = await facts();
    const begun = await postForm(device_authorization_endpoint, { client_id, scope });
    expect(begun.status).toBe(200);
    const poll = () =>
      postForm(token_endpoint, {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id,
        device_code: begun.body.device_code,
      });
    expect(await poll()).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });
    const browser = makeBrowser(world.url);
    const done = await walkThrough(browser, await browser.open(begun.body.verification_uri_complete), world.person);
    expect(done.html).toContain('Device connected');
    const got = await poll();
    expect(got.status).toBe(200);
    expect((await ask(world.url, got.body.access_token)).status).toBe(200);
    expect((await poll()).status).toBe(400);
  });
});

describe('a token of this provider', () => {
  it('is refused by every api once its session was revoked', async () => {
    const other = await world.startAnother();
    const stays = await signIn(world.url, world.person);
    const ends = await signIn(world.url, world.person);
    for (const { access_token } of [stays, ends]) {
      expect((await ask(world.url, access_token)).status).toBe(200);
      expect((await ask(other.url, access_token)).status).toBe(200);
    }
    const { sid } = JSON.parse(Buffer.from(ends.access_token.split('.')[1] ?? '', 'base64url').toString()) as {
      sid: string;
    };
    expect(sid).toEqual(expect.any(String));
    const revoked = await ask(world.url, ends.access_token, '/api/v1/me/sessions/current', {
      method: 'DELETE',
      headers: { 'idempotency-key': 'end-it' },
    });
    expect(revoked.status).toBe(200);
    for (const url of [world.url, other.url]) {
      await expect.poll(async () => (await ask(url, ends.access_token)).status, { timeout: 30_000 }).toBe(401);
      expect((await ask(url, stays.access_token)).status).toBe(200);
    }
  });

  it('is refused without a trace of why when it was signed for somebody else', async () => {
    const { id_token } = await signIn(world.url, world.person);
    expect(await ask(world.url, id_token)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });
});

describe('an installation that moves to another address', () => {
  it('knows its people, their organizations and their revocations there', async () => {
    const person = await world.newPerson();
    const before = await ask(world.url, (await signIn(world.url, person)).access_token);
    const { url } = await world.startAnother(undefined, { moved: true });
    const { access_token } = await signIn(url, person);
    const after = await ask(url, access_token);
    expect(after).toMatchObject({ status: 200, body: { id: before.body.id } });
    expect(after.body.organizations).toEqual(before.body.organizations);
    const { rows } = await world.root.query('select oidc_issuer from users where id = $1', [before.body.id]);
    expect(rows).toEqual([{ oidc_issuer: 'urn:gpuaas:own-issuer' }]);
  });
});

describe('an api that another provider signs for', () => {
  it('finds it by discovery, takes its tokens, and sends people there', async () => {
    const other = await openSignInWorld({
      GPUAAS_OIDC_ISSUER: `${world.url}/oidc`,
      GPUAAS_OIDC_CLI_CLIENT_ID: 'some-client',
    });
    try {
      const found = await ask(other.url, '', '/api/v1/sign-in');
      expect(found.body).toMatchObject({
        issuer: `${world.url}/oidc`,
        client_id: 'some-client',
        authorization_endpoint: `${world.url}/oidc/auth`,
      });
      const { access_token } = await signIn(world.url, await world.newPerson());
      expect(await ask(other.url, access_token)).toMatchObject({ status: 200, body: { platform_roles: [] } });
      // It is no provider itself, and without a secret at the other one the console cannot sign anybody in.
      expect((await fetch(`${other.url}/oidc/jwks`)).status).toBe(404);
      expect((await fetch(`${other.url}/auth/login`, { redirect: 'manual' })).status).toBe(503);
    } finally {
      await other.close();
    }
  });

  it('takes no role from its tokens: those of the platform come from a binding alone', async () => {
    const { login } = await world.newPerson();
    const account = await world.issuer.accounts.find({ login });
    const token = await world.sign({
      sub: account?.id ?? '',
      realm_access: { roles: ['platform_superadmin', 'platform_ops', 'admin'] },
      platform_roles: ['platform_superadmin'],
    });
    expect((await ask(world.url, token)).body.platform_roles).toEqual([]);
    expect((await ask(world.url, token, '/api/v1/admin/dlq/messages')).status).toBe(403);
  });
});
