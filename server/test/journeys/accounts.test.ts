import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { makeBrowser, walkThrough } from '../../src/ports/identity-provider/conformance-browser.ts';
import type { DevInbox } from '../../src/ports/mail/inbox.ts';
import { ask, authorize, openSignInWorld, postForm, type SignInWorld, signIn } from './support/sign-in.ts';

/** How people get an account of our own provider, and a new password: by a link that only their mailbox has. */
let world: SignInWorld;
let inbox: DevInbox;
let token: string;
beforeAll(async () => {
  world = await openSignInWorld();
  inbox = await world.startMail();
  token = (await signIn(world.url, world.person)).access_token;
});
afterAll(() => world?.close());

const password = 'a sentence that nobody guesses';
const patient = { timeout: 20_000, interval: 100 };
const lettersTo = async (to: string, subject: RegExp) =>
  (await inbox.letters({ limit: 200 })).filter((letter) => letter.to === to && subject.test(letter.subject));
const [aboutPassword, aboutInvitation] = [/password/, /invited/];
const arrived = async (to: string, subject: RegExp, atLeast = 1) => {
  await expect.poll(async () => (await lettersTo(to, subject)).length, patient).toBeGreaterThanOrEqual(atLeast);
  return (await lettersTo(to, subject))[0]?.text ?? '';
};
const linksIn = (text: string) => [...text.matchAll(/^ {2}(http\S+)$/gm)].map(([, link]) => link ?? '');
const nothingUnderWay = () =>
  expect.poll(async () => (await world.root.query('select from password_letters')).rowCount, patient).toBe(0);

/** Asks for a link as a person does, on the page that the sign-in page links to. */
async function askForLink(address: string, page = `${world.url}/oidc/password-link`) {
  const browser = makeBrowser(world.url);
  return browser.submit(await browser.open(page), { email: address });
}
async function linkFor(address: string): Promise<string> {
  const before = (await lettersTo(address, aboutPassword)).length;
  expect((await askForLink(address)).status).toBe(200);
  return linksIn(await arrived(address, aboutPassword, before + 1))[0] ?? '';
}
async function choosePassword(link: string, chosen = password) {
  const browser = makeBrowser(world.url);
  return browser.submit(await browser.open(link), { password: chosen });
}
const write = (as: string, method: string, path: string, body: object) =>
  ask(world.url, as, path, {
    method,
    headers: { 'idempotency-key': systemIds.next(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
async function invite(email: string): Promise<string> {
  const { body } = await write(token, 'POST', '/api/v1/organizations', {
    name: 'Host',
    slug: `host-${systemIds
      .secret(4)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, 'x')}`,
  });
  const made = await write(token, 'POST', `/api/v1/organizations/${body.id}/invitations`, { email, role: 'member' });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return body.id;
}

describe('somebody without an account', () => {
  it('who was invited chooses a password by the link in a letter, signs in, accepts and is a member', async () => {
    const login = 'invited@example.com';
    const organization = await invite(login);
    const [accept = '', page = ''] = linksIn(await arrived(login, aboutInvitation));
    expect(page).toBe(`${world.url}/oidc/password-link`);
    expect((await askForLink(login, page)).status).toBe(200);
    const [link = ''] = linksIn(await arrived(login, aboutPassword));
    expect(link.startsWith(`${world.url}/oidc/password?token=`)).toBe(true);
    expect((await choosePassword(link)).html).toContain('Password set');
    const mine = (await signIn(world.url, { login, password })).access_token;
    const accepted = await write(mine, 'POST', '/api/v1/invitations/accept', { token: new URL(accept).hash.slice(1) });
    expect(accepted.status, JSON.stringify(accepted.body)).toBe(200);
    const me = (await ask(world.url, mine)).body;
    expect(me.display_name).toBe('invited');
    expect(me.organizations).toContainEqual(expect.objectContaining({ id: organization, role: 'member' }));
    // The link worked once, and the address of the letter is not kept.
    expect((await choosePassword(link, 'another long sentence')).status).toBe(400);
    await nothingUnderWay();
  });

  it('who was not invited gets the same answer, no letter and no account', async () => {
    await invite('known@example.com');
    const stranger = await askForLink('stranger@example.com');
    const known = await askForLink('known@example.com');
    expect({ status: stranger.status, html: stranger.html }).toEqual({ status: known.status, html: known.html });
    await arrived('known@example.com', aboutPassword);
    await nothingUnderWay();
    expect(await lettersTo('stranger@example.com', aboutPassword)).toEqual([]);
    expect(await world.issuer.accounts.find({ email: 'stranger@example.com' })).toBeUndefined();
  });
});

describe('somebody who forgot their password', () => {
  it('finds the way from the sign-in page, and the new password ends what the old one began', async () => {
    const [login, email, old] = ['forgetful', 'forgetful@example.com', 'the password that was forgotten'];
    const made = await world.issuer.accounts.create({ login, displayName: 'F', email, password: old });
    if ('refused' in made) throw new Error(made.refused);
    const before = await signIn(world.url, { login, password: old });
    expect((await ask(world.url, before.access_token)).status).toBe(200);
    const signInPage = await makeBrowser(world.url).open(`${world.url}/auth/login`);
    expect(signInPage.html).toContain('href="/oidc/password-link"');
    expect((await choosePassword(await linkFor(email))).html).toContain('Password set');
    const browser = makeBrowser(world.url);
    const wrong = await walkThrough(browser, await browser.open(`${world.url}/auth/login`), { login, password: old });
    expect(wrong.html).toContain('Login or password is wrong');
    const renewed = await postForm(`${world.url}/oidc/token`, {
      grant_type: 'refresh_token',
      client_id: 'gpuaas-cli',
      refresh_token: before.refresh_token,
    });
    expect(renewed.status).toBe(400);
    await expect.poll(async () => (await ask(world.url, before.access_token)).status, patient).toBe(401);
    const after = await signIn(world.url, { login, password });
    expect((await ask(world.url, after.access_token)).status).toBe(200);
    const { rows } = await world.root.query(
      `select change from audit_logs where action = 'password.reset' and target_id = $1`,
      [made.id],
    );
    expect(rows).toEqual([{ change: { ended: { sessions: 1 } } }]);
  });

  it('cannot use a link that is too old', async () => {
    const email = 'late@example.com';
    await world.issuer.accounts.create({ login: 'late', displayName: 'L', email });
    const link = await linkFor(email);
    await world.root.query(
      `update gpuaas_oidc.account set link_expires_at = now() - interval '1 s' where login = 'late'`,
    );
    expect((await choosePassword(link)).status).toBe(400);
    expect((await choosePassword(await linkFor(email))).status).toBe(200);
  });

  it('may ask a few times, whether or not the address is known', async () => {
    for (const address of ['often@example.com', 'forgetful@example.com']) {
      const statuses = new Set<number>();
      for (let n = 0; n < 6; n += 1) statuses.add((await askForLink(address)).status);
      expect([...statuses]).toEqual([200, 429]);
    }
  });
});

describe('an operator', () => {
  it('disables, enables and deletes the account of a person along with the person', async () => {
    const operator = await world.newPerson();
    const somebody = await world.newPerson();
    const idOf = async (person: typeof operator) => {
      const { access_token } = await signIn(world.url, person);
      return { access_token, id: (await ask(world.url, access_token)).body.id as string };
    };
    const boss = await idOf(operator);
    await world.root.query('alter table platform_role_bindings disable trigger user');
    await world.root.query(
      `insert into platform_role_bindings (user_id, role, granted_by) values ($1, 'platform_superadmin', 'test')`,
      [boss.id],
    );
    await world.root.query('alter table platform_role_bindings enable trigger user');
    const fresh = (await signIn(world.url, operator)).access_token;
    const { id } = await idOf(somebody);
    const account = async () => world.issuer.accounts.find({ login: somebody.login });
    const path = `/api/v1/admin/users/${id}`;
    const reason = { reason: 'because of a test' };
    expect(await write(fresh, 'POST', `${path}/disable`, reason)).toMatchObject({ status: 200 });
    expect((await account())?.disabledAt).toBeDefined();
    const refused = await authorize(world.url, somebody);
    expect(refused.screen.html).toContain('Login or password is wrong');
    expect(await write(fresh, 'POST', `${path}/enable`, reason)).toMatchObject({ status: 200 });
    expect((await account())?.disabledAt).toBeUndefined();
    expect(await write(fresh, 'DELETE', path, reason)).toMatchObject({ status: 200 });
    expect(await account()).toBeUndefined();
  });
});
