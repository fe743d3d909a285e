import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runResetFactors } from '../../src/bin/reset-factors/run.ts';
import { systemIds } from '../../src/kernel/id.ts';
import type { Screen } from '../../src/ports/identity-provider/conformance-browser.ts';
import { codeAt, wrongCodeFor } from '../../src/ports/identity-provider/factors/testing.ts';
import type { DevInbox } from '../../src/ports/mail/inbox.ts';
import { asSystem } from '../../src/testing/world.ts';
import { ask, authorize, openSignInWorld, type SignInWorld } from './support/sign-in.ts';

/** A second factor, from setting it up to losing it, through the endpoints that people and programs use. */
let world: SignInWorld;
let inbox: DevInbox;
beforeAll(async () => {
  world = await openSignInWorld();
  inbox = await world.startMail();
});
afterAll(() => world?.close());

const patient = { timeout: 30_000, interval: 100 };
const acr = 'urn:gpuaas:acr:second-factor';
const policy = '/api/v1/admin/policies/auth.step_up_mfa_required';
const turnOn = { level: 'global', value: true, reason: 'everybody has one by now' };
const write = (as: string, method: string, path: string, body?: object) =>
  ask(world.url, as, path, {
    method,
    headers: { 'idempotency-key': systemIds.next(), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const told = (to: string, text: string) =>
  expect
    .poll(async () => {
      const letters = await inbox.letters({ limit: 200 });
      return letters.some((letter) => letter.to === to && letter.text.includes(text));
    }, patient)
    .toBe(true);

async function somebody() {
  const login = `p-${systemIds.secret(6)}`;
  const [password, email] = ['a sentence that nobody guesses', `${login}@example.com`];
  const made = await world.issuer.accounts.create({ login, displayName: login, email, password });
  if ('refused' in made) throw new Error(made.refused);
  return { login, password, email, accountId: made.id };
}
type Somebody = Awaited<ReturnType<typeof somebody>>;
async function enter(who: Somebody, code?: (screen: Screen) => string, extra: Record<string, string> = {}) {
  const { exchange } = await authorize(world.url, { ...who, ...(code && { code }) }, undefined, extra);
  const { status, body } = await exchange();
  expect(status, JSON.stringify(body)).toBe(200);
  return body.access_token as string;
}
/** Before the first sign-in: who somebody is, is remembered for a while. */
async function makeOperator({ accountId }: Somebody): Promise<string> {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `with made as (insert into users (id, oidc_issuer, oidc_subject) values ($1, 'urn:gpuaas:own-issuer', $2))
     insert into platform_role_bindings (user_id, role) values ($1, 'platform_superadmin')`,
    [id, accountId],
  );
  return id;
}
/** Adds an app in the API, as the console and the command line do, and answers the recovery codes. */
async function enrol(token: string) {
  const begun = await write(token, 'POST', '/api/v1/me/factors', { name: 'Phone' });
  expect(begun.status, JSON.stringify(begun.body)).toBe(201);
  const { id, secret } = begun.body as { id: string; secret: string };
  const confirm = (code: string) => write(token, 'POST', `/api/v1/me/factors/${id}/confirm`, { code });
  expect(await confirm(wrongCodeFor(secret, Date.now()))).toMatchObject({
    status: 422,
    body: { code: 'factor_code_wrong' },
  });
  const confirmed = await confirm(codeAt(secret, Date.now()));
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
  return { id, secret, codes: (confirmed.body.recovery_codes as string).split(' ') };
}
const actions = async (accountOrUser: string) => {
  const { rows } = await world.root.query<{ action: string }>(
    `select action from audit_logs where target_id = $1 order by created_at`,
    [accountOrUser],
  );
  return rows.map(({ action }) => action);
};

describe('a policy that asks for a second factor', () => {
  it('is turned on by somebody who signed in with one, and lets in whoever has one or sets one up', async () => {
    const olga = await somebody();
    const olgaId = await makeOperator(olga);
    const byPassword = await enter(olga);
    const early = await write(byPassword, 'PUT', policy, turnOn);
    expect(early).toMatchObject({ status: 409, body: { code: 'second_factor_missing' } });
    const { id, codes } = await enrol(byPassword);
    expect(codes).toHaveLength(10);
    await told(olga.email, 'A second factor was added');
    // The sign-in from before shows that its person had the password, and nothing more.
    expect(await write(byPassword, 'PUT', policy, turnOn)).toMatchObject({ status: 409 });
    for (const [method, path] of [
      ['DELETE', `/api/v1/me/factors/${id}`],
      ['POST', '/api/v1/me/recovery-codes'],
    ] as const) {
      expect(await write(byPassword, method, path, method === 'POST' ? {} : undefined), path).toMatchObject({
        status: 403,
        body: { code: 'step_up_required', details: { second_factor: true } },
      });
    }
    const strong = await enter(olga, () => codes[0] ?? '');
    await told(olga.email, 'A recovery code was used to sign in');
    expect(await write(strong, 'PUT', policy, turnOn)).toMatchObject({ status: 200, body: { value: true } });

    const paul = await somebody();
    const paulId = await makeOperator(paul);
    const weak = await enter(paul);
    const reset = `/api/v1/admin/users/${paulId}/factors/reset`;
    await expect
      .poll(async () => (await write(weak, 'POST', reset, { reason: 'a try' })).body.code, patient)
      .toBe('step_up_required');
    const refused = await write(weak, 'POST', reset, { reason: 'a try' });
    expect(refused.body.details).toMatchObject({ second_factor: true, authorization_parameters: { acr_values: acr } });
    const setUp = (screen: Screen) => {
      const secret = /<strong>([A-Z2-7 ]+)<\/strong>/.exec(screen.html)?.[1]?.replaceAll(' ', '') ?? '';
      return codeAt(secret, Date.now());
    };
    const paulsToken = await enter(paul, setUp, { acr_values: acr, prompt: 'login consent' });
    const mine = (await ask(world.url, paulsToken, '/api/v1/me/factors')).body;
    expect(mine).toMatchObject({ managed: true, required: true, recovery_codes_left: 10 });
    await told(paul.email, 'A second factor was added');
    const last = await write(paulsToken, 'DELETE', `/api/v1/me/factors/${mine.factors[0].id}`);
    expect(last).toMatchObject({ status: 409, body: { code: 'last_factor' } });

    // Paul loses his phone and his codes: another superadmin helps.
    const done = await write(strong, 'POST', reset, { reason: 'phone was lost, seen in person' });
    expect(done).toMatchObject({ status: 200, body: { removed: 1 } });
    await told(paul.email, 'An operator removed all its second factors');
    await expect.poll(async () => (await ask(world.url, paulsToken)).status, patient).toBe(401);
    expect(await world.issuer.factors.has(paul.accountId)).toBe(false);
    expect(await actions(paulId)).toContain('user.factors_reset');

    const off = await write(strong, 'DELETE', policy, { level: 'global', reason: 'the test is over' });
    expect(off.status).toBe(200);
    await expect
      .poll(async () => (await ask(world.url, strong, '/api/v1/me/factors')).body.required, patient)
      .toBe(false);
    expect(await write(strong, 'DELETE', `/api/v1/me/factors/${id}`)).toMatchObject({ status: 200, body: { id } });
    await told(olga.email, 'A second factor was removed');
    expect(await actions(olgaId)).toEqual(expect.arrayContaining(['factor.begin', 'factor.add', 'factor.remove']));
    expect(await actions(olga.accountId)).toContain('factor.use_code');
    const { rowCount } = await world.root.query('select from security_letters');
    expect(rowCount).toBe(0);
  });
});

describe('recovery codes', () => {
  it('are made anew, are not shown again to a repeated request, and the old ones stop working', async () => {
    const rita = await somebody();
    const { codes } = await enrol(await enter(rita));
    const strong = await enter(rita, () => codes[0] ?? '');
    const key = systemIds.next();
    const renew = () =>
      ask(world.url, strong, '/api/v1/me/recovery-codes', {
        method: 'POST',
        headers: { 'idempotency-key': key, 'content-type': 'application/json' },
        body: '{}',
      });
    const made = (await renew()).body.recovery_codes.split(' ') as string[];
    expect(made).toHaveLength(10);
    expect((await renew()).body.recovery_codes).not.toContain(made[0]);
    await told(rita.email, 'New recovery codes were made');
    const late = await authorize(world.url, { ...rita, code: () => codes[1] ?? '' });
    expect(late.screen.status).toBe(401);
    await enter(rita, () => made[0] ?? '');
  });
});

describe('the last superadmin who lost every factor', () => {
  it('is let in again by whoever holds the databases and the key, with an audit row and a letter', async () => {
    const sam = await somebody();
    const before = await enter(sam);
    await enrol(before);
    const said: string[] = [];
    const run = (args: string[]) =>
      runResetFactors(args, world.env, { say: (text) => said.push(text), complain: (text) => said.push(text) });
    expect(await run(['--login', sam.login])).toBe(1);
    expect(await run(['--login', 'nobody-here', '--reason', 'a try'])).toBe(1);
    expect(said.join('')).toContain('There is no account nobody-here.');
    expect(await run(['--login', sam.login, '--reason', 'lost everything'])).toBe(0);
    expect(said.at(-1)).toContain('1 second factors');
    await expect.poll(async () => (await ask(world.url, before)).status, patient).toBe(401);
    await enter(sam);
    await told(sam.email, 'An operator removed all its second factors');
    expect(await actions(sam.accountId)).toContain('user.factors_reset');
  });
});
