import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { makeBrowser, walkThrough } from '../../src/ports/identity-provider/conformance-browser.ts';
import { openWorld, type World } from '../../src/testing/world.ts';
import { ask, authorize, openSignInWorld, type Person, postForm, type SignInWorld, signIn } from './support/sign-in.ts';

/** What a revocation ends stays ended: however long it was idle, whoever issued it, and however long ago it was. */
describe('with tokens of another issuer, a revocation', () => {
  const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
  const dayMs = 86_400_000;
  const seconds = () => Math.floor(clock.now().getTime() / 1_000);
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ clock });
  });
  afterAll(() => world.close());
  const status = async (as: string) => (await world.call('GET', '/api/v1/organizations', { as })).status;
  const idOf = async (subject: string) =>
    (await world.root.query('select id from users where oidc_subject = $1', [subject])).rows[0].id as string;
  const revokeAll = async (subject: string) =>
    world.call('POST', `/api/v1/admin/users/${await idOf(subject)}/sessions/revoke-all`, {
      as: await world.operator(),
      key: systemIds.next(),
      body: { reason: 'a lost laptop' },
    });
  const expectRefused = (as: string) => expect.poll(() => status(as), { timeout: 30_000 }).toBe(401);

  it('of all ends a sign-in whose access token had expired, and every token that it is renewed with', async () => {
    const signedInAt = seconds();
    const renewed = () => world.token('idle', { sid: 'idle', auth_time: signedInAt });
    expect(await status(await world.token('idle', { sid: 'idle', auth_time: signedInAt, exp: seconds() + 60 }))).toBe(
      200,
    );
    await clock.advance(600_000);
    expect(await revokeAll('idle')).toMatchObject({ status: 200, body: { revoked: 1 } });
    await clock.advance(1_000);
    await expectRefused(await renewed());
    // Longer than any record of a revoked token is kept.
    await clock.advance(400 * dayMs);
    expect(await status(await renewed())).toBe(401);
    expect(await status(await world.token('idle', { sid: 'idle' }))).toBe(401);
    expect(await status(await world.token('idle', { sid: 'idle-2', auth_time: seconds() }))).toBe(200);
  });

  it('that comes a second time ends what was signed in after the first', async () => {
    const again = () => world.token('twice', { sid: 'first', auth_time: seconds() });
    expect(await status(await again())).toBe(200);
    await revokeAll('twice');
    await clock.advance(60_000);
    const signedInAt = seconds();
    const second = () => world.token('twice', { sid: 'second', auth_time: signedInAt });
    expect(await status(await second())).toBe(200);
    await clock.advance(60_000);
    expect(await revokeAll('twice')).toMatchObject({ status: 200 });
    await clock.advance(1_000);
    await expectRefused(await second());
    // A sign-in from between the two that never came here: no session of it could be ended, only the floor knows.
    await expectRefused(await world.token('twice', { sid: 'unseen', auth_time: signedInAt }));
    await clock.advance(400 * dayMs);
    expect(await status(await second())).toBe(401);
    expect(await status(await world.token('twice', { sid: 'third', auth_time: seconds() }))).toBe(200);
  });

  it('refuses tokens that do not say when their owner signed in, of that person alone', async () => {
    expect(await status(await world.token('silent'))).toBe(200);
    expect(await status(await world.token('bystander'))).toBe(200);
    await revokeAll('silent');
    await clock.advance(1_000);
    const late = await world.token('silent');
    await expectRefused(late);
    const { body } = await world.call('GET', '/api/v1/organizations', { as: late });
    expect(body).toMatchObject({
      code: 'token_invalid',
      details: { authorization_parameters: { prompt: 'login', max_age: 0 } },
    });
    expect(await status(await world.token('bystander'))).toBe(200);
  });

  it('of the others spares the sign-in that asks, with every token that it is renewed with', async () => {
    const signedInAt = seconds();
    const mine = () => world.token('owner', { sid: 'mine', auth_time: signedInAt });
    const other = () => world.token('owner', { sid: 'other', auth_time: signedInAt });
    for (const token of [await mine(), await other()]) expect(await status(token)).toBe(200);
    await clock.advance(600_000);
    const path = '/api/v1/me/sessions/revoke-others';
    const done = await world.call('POST', path, { as: await mine(), key: systemIds.next(), body: {} });
    expect(done).toMatchObject({ status: 200, body: { revoked: 1 } });
    await expectRefused(await other());
    await clock.advance(400 * dayMs);
    expect(await status(await mine())).toBe(200);
    expect(await status(await other())).toBe(401);
    // An issuer that names no sessions: the moment of the sign-in names it.
    const bare = (at: number) => world.token('nameless', { auth_time: at });
    const mineAt = seconds();
    expect(await status(await bare(mineAt - 5))).toBe(200);
    await world.call('POST', path, { as: await bare(mineAt), key: systemIds.next(), body: {} });
    await clock.advance(10_000);
    expect(await status(await bare(mineAt))).toBe(200);
    await expectRefused(await bare(mineAt - 5));
  });

  it('of one session is for ever too', async () => {
    const token = () => world.token('single', { sid: 'one', auth_time: seconds() });
    expect(await status(await token())).toBe(200);
    const path = '/api/v1/me/sessions/current';
    expect((await world.call('DELETE', path, { as: await token(), key: systemIds.next() })).status).toBe(200);
    await expectRefused(await token());
    await clock.advance(400 * dayMs);
    expect(await status(await token())).toBe(401);
  });

  it('of one session is for ever too where the issuer names none: the moment of the sign-in names it', async () => {
    const [signedInAt, earlier] = [seconds(), seconds() - 60];
    const token = (at: number) => world.token('unnamed', { auth_time: at });
    for (const at of [signedInAt, earlier]) expect(await status(await token(at))).toBe(200);
    const path = '/api/v1/me/sessions/current';
    const ended = await world.call('DELETE', path, { as: await token(signedInAt), key: systemIds.next() });
    expect(ended.status, ended.text).toBe(200);
    await expectRefused(await token(signedInAt));
    // Another sign-in of the same person goes on.
    expect(await status(await token(earlier))).toBe(200);
    await clock.advance(400 * dayMs);
    expect(await status(await token(signedInAt))).toBe(401);
    expect(await status(await token(earlier))).toBe(200);
  });

  it('leaves personal access tokens and service accounts alone: they are no sign-ins', async () => {
    const as = await world.token('maker', { sid: 'm', auth_time: seconds() });
    const made = await world.call('POST', '/api/v1/me/tokens', {
      as,
      key: systemIds.next(),
      body: { name: 'ci', scopes: ['organizations:read'], expires_in_days: 7 },
    });
    await clock.advance(1_000);
    await revokeAll('maker');
    await expectRefused(as);
    await clock.advance(10_000);
    expect(await status(made.body.token)).toBe(200);
  });
});

describe('with our own issuer, a revocation', () => {
  let world: SignInWorld;
  let person: Person;
  beforeAll(async () => {
    world = await openSignInWorld();
  });
  beforeEach(async () => {
    person = await world.newPerson();
  });
  afterAll(() => world.close());
  const renew = (refresh_token: string) =>
    postForm(`${world.url}/oidc/token`, { grant_type: 'refresh_token', client_id: 'gpuaas-cli', refresh_token });
  const write = (token: string, path: string, method = 'POST') =>
    ask(world.url, token, path, {
      method,
      headers: {
        'idempotency-key': systemIds.next(),
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(method === 'POST' && { body: '{}' }),
    });
  /** Sign-ins are told apart by the second; a test is faster than people are. */
  const nextSecond = async () => {
    const now = Math.floor(Date.now() / 1_000);
    await expect.poll(() => Math.floor(Date.now() / 1_000), { timeout: 30_000 }).toBeGreaterThan(now);
  };

  it('is asked for at the token endpoint: an idle sign-in is not renewed, the one that asked is', async () => {
    const idle = await signIn(world.url, person);
    const mine = await signIn(world.url, person);
    await nextSecond();
    expect((await write(mine.access_token, '/api/v1/me/sessions/revoke-others')).status).toBe(200);
    expect(await renew(idle.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const again = await renew(mine.refresh_token);
    expect(again.status).toBe(200);
    expect((await ask(world.url, again.body.access_token)).status).toBe(200);
    expect((await write(again.body.access_token, '/api/v1/me/sessions/current', 'DELETE')).status).toBe(200);
    expect((await renew(again.body.refresh_token)).status).toBe(400);
  });

  it('ends browsers that were idle, and the provider asks for the password before it lets one in again', async () => {
    const browser = makeBrowser(world.url);
    const landing = `${world.url}/api/v1/version`;
    const asked = await browser.open(`${world.url}/auth/login?return_to=/api/v1/version`);
    expect((await walkThrough(browser, asked, person)).url.href).toBe(landing);
    const cookie = [...browser.cookies.values()].find(({ name }) => name === 'gpuaas_session')?.value ?? '';
    const mine = await signIn(world.url, person);
    await nextSecond();
    expect((await write(mine.access_token, '/api/v1/me/sessions/revoke-others')).status).toBe(200);
    const { rows } = await world.root.query(
      `select ended_at is not null as ended from console_sessions where cookie_digest = sha256(convert_to($1, 'UTF8'))`,
      [cookie],
    );
    expect(rows).toEqual([{ ended: true }]);
    const me = () => fetch(`${world.url}/api/v1/me`, { headers: { cookie: `gpuaas_session=${cookie}` } });
    await expect.poll(async () => (await me()).status, { timeout: 30_000 }).toBe(401);
    // A terminal that uses this browser is asked for the password as well.
    const terminal = await authorize(world.url, { login: person.login, password: 'not the password' }, browser);
    expect(terminal.screen.status).toBe(401);
    const screen = await browser.open(`${world.url}/auth/login?return_to=/api/v1/version`);
    expect(screen.forms[0]?.hasPassword).toBe(true);
    await nextSecond();
    expect((await walkThrough(browser, screen, person)).url.href).toBe(landing);
  });
});
