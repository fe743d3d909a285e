import { afterAll, beforeAll, expect, it } from 'vitest';
import { runResetFactors } from '../../src/bin/reset-factors/run.ts';
import { untilNextSecond } from '../../src/domains/identity/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { makeBrowser } from '../../src/ports/identity-provider/conformance-browser.ts';
import { asSystem } from '../../src/testing/world.ts';
import { holdSignIn } from './support/held-sign-in.ts';
import { ask, openSignInWorld, type SignInWorld, signIn } from './support/sign-in.ts';

/** A browser that has given the right password may wait with the last redirect. What was ended meanwhile stays ended. */
let world: SignInWorld;
beforeAll(async () => {
  world = await openSignInWorld();
});
afterAll(() => world?.close());

const patient = { timeout: 30_000, interval: 100 };
const reason = 'the password was stolen';

async function makePerson() {
  const person = { login: `p-${systemIds.secret(6)}`, password: 'the password that was stolen' };
  const made = await world.issuer.accounts.create({ ...person, displayName: person.login });
  if ('refused' in made) throw new Error(made.refused);
  return { ...person, accountId: made.id };
}
async function choosePassword(accountId: string, password: string): Promise<void> {
  const link = await world.issuer.accounts.makePasswordLink(accountId, 3_600_000);
  const browser = makeBrowser(world.url);
  const { html } = await browser.submit(await browser.open(link), { password });
  expect(html).toContain('Password set');
  expect(html).toContain('Personal tokens and service accounts still work');
}
const expectRefused = (token: string) =>
  expect.poll(async () => (await ask(world.url, token)).status, patient).toBe(401);

it('a sign-in that waits before its last redirect does not outlive a new password', async () => {
  const victim = await makePerson();
  const before = await signIn(world.url, victim);
  expect((await ask(world.url, before.access_token)).status).toBe(200);
  const held = await holdSignIn(world.url, victim);
  await choosePassword(victim.accountId, 'a new sentence that nobody guesses');
  await expectRefused(before.access_token);
  await untilNextSecond(systemClock);
  expect(await held.goOn()).toBeUndefined();
  // The new password lets its owner in.
  const after = await signIn(world.url, { ...victim, password: 'a new sentence that nobody guesses' });
  expect((await ask(world.url, after.access_token)).status).toBe(200);
});

it('a sign-in that waits does not outlive a reset of the second factors', async () => {
  const victim = await makePerson();
  const before = await signIn(world.url, victim);
  expect((await ask(world.url, before.access_token)).status).toBe(200);
  const held = await holdSignIn(world.url, victim);
  const quiet = { say: () => undefined, complain: () => undefined };
  expect(await runResetFactors(['--login', victim.login, '--reason', reason], world.env, quiet)).toBe(0);
  await expectRefused(before.access_token);
  await untilNextSecond(systemClock);
  expect(await held.goOn()).toBeUndefined();
});

it('a sign-in that waits does not outlive the end of all sign-ins of its person', async () => {
  const [victim, olga] = [await makePerson(), await makePerson()];
  await asSystem(
    world.root,
    `with made as (insert into users (id, oidc_issuer, oidc_subject) values ($1, 'urn:gpuaas:own-issuer', $2))
     insert into platform_role_bindings (user_id, role) values ($1, 'platform_superadmin')`,
    [systemIds.next(), olga.accountId],
  );
  const [before, operator] = [await signIn(world.url, victim), await signIn(world.url, olga)];
  const { id } = (await ask(world.url, before.access_token)).body;
  const held = await holdSignIn(world.url, victim);
  const ended = await ask(world.url, operator.access_token, `/api/v1/admin/users/${id}/sessions/revoke-all`, {
    method: 'POST',
    headers: { 'idempotency-key': systemIds.next(), 'content-type': 'application/json' },
    body: JSON.stringify({ reason }),
  });
  expect(ended.status, JSON.stringify(ended.body)).toBe(200);
  await expectRefused(before.access_token);
  await untilNextSecond(systemClock);
  expect(await held.goOn()).toBeUndefined();
});

it('a new password ends the tokens of an account that has never called the API', async () => {
  const victim = await makePerson();
  const unused = await signIn(world.url, victim);
  await choosePassword(victim.accountId, 'a new sentence that nobody guesses');
  expect((await ask(world.url, unused.access_token)).status).toBe(401);
  const after = await signIn(world.url, { ...victim, password: 'a new sentence that nobody guesses' });
  expect(await ask(world.url, after.access_token)).toMatchObject({
    status: 200,
    body: { display_name: victim.login },
  });
});
