import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runResetFactors } from '../../src/bin/reset-factors/run.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { makeAuthenticator } from '../../src/ports/identity-provider/factors/testing-passkey.ts';
import { asSystem } from '../../src/testing/world.ts';
import { ask, authorize, openSignInWorld, type SignInWorld } from './support/sign-in.ts';

/** A passkey, from adding it to losing it, through the endpoints that people and programs use. */
let world: SignInWorld;
beforeAll(async () => {
  world = await openSignInWorld({}, 'localhost');
});
afterAll(() => world?.close());

const write = (as: string, method: string, path: string, body?: object) =>
  ask(world.url, as, path, {
    method,
    headers: { 'idempotency-key': systemIds.next(), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const newDevice = () => makeAuthenticator({ origin: world.url, rpId: 'localhost' });
type Device = ReturnType<typeof newDevice>;

async function makePerson() {
  const login = `p-${systemIds.secret(6)}`;
  const password = 'a sentence that nobody guesses';
  const made = await world.issuer.accounts.create({ login, displayName: login, password });
  if ('refused' in made) throw new Error(made.refused);
  const id = systemIds.next();
  await asSystem(
    world.root,
    `with made as (insert into users (id, oidc_issuer, oidc_subject) values ($1, 'urn:gpuaas:own-issuer', $2))
     insert into platform_role_bindings (user_id, role) values ($1, 'platform_superadmin')`,
    [id, made.id],
  );
  return { login, password, accountId: made.id, id };
}
async function enter({ login, password }: Awaited<ReturnType<typeof makePerson>>, device?: Device) {
  const passkey = device && { passkey: (options: object) => device.get(options) };
  const { exchange } = await authorize(world.url, { login, password, ...passkey });
  const { status, body } = await exchange();
  expect(status, JSON.stringify(body)).toBe(200);
  return body.access_token as string;
}
async function add(as: string, device: Device, name = 'Laptop') {
  const begun = await write(as, 'POST', '/api/v1/me/passkeys', { name });
  expect(begun.status, JSON.stringify(begun.body)).toBe(201);
  const credential = device.create(begun.body.options);
  return write(as, 'POST', `/api/v1/me/passkeys/${begun.body.id}/confirm`, { credential });
}
const actions = async (target: string) => {
  const { rows } = await world.root.query<{ action: string }>(
    'select action from audit_logs where target_id = $1 order by created_at',
    [target],
  );
  return rows.map(({ action }) => action);
};

describe('a passkey', () => {
  it('counts as the second factor that a policy asks for, and is forgotten by a reset', async () => {
    const olga = await makePerson();
    const weak = await enter(olga);
    const device = newDevice();
    const added = await add(weak, device);
    expect(added).toMatchObject({ status: 200, body: { factor: { kind: 'passkey', name: 'Laptop' } } });
    expect(added.body.recovery_codes.split(' ')).toHaveLength(10);
    expect((await ask(world.url, weak, '/api/v1/me/factors')).body).toMatchObject({
      ...{ managed: true, passkeys: true },
      factors: [{ kind: 'passkey', name: 'Laptop' }],
    });

    // The sign-in from before showed the password alone.
    const policy = '/api/v1/admin/policies/auth.step_up_mfa_required';
    const turnOn = { level: 'global', value: true, reason: 'everybody has one by now' };
    expect(await write(weak, 'PUT', policy, turnOn)).toMatchObject({ body: { code: 'second_factor_missing' } });
    const another = await write(weak, 'POST', '/api/v1/me/passkeys', { name: 'Phone' });
    expect(another).toMatchObject({
      status: 403,
      body: { code: 'step_up_required', details: { second_factor: true } },
    });
    const strong = await enter(olga, device);
    expect(await write(strong, 'PUT', policy, turnOn)).toMatchObject({ status: 200, body: { value: true } });
    const off = await write(strong, 'DELETE', policy, { level: 'global', reason: 'the test is over' });
    expect(off.status).toBe(200);
    expect(await actions(olga.id)).toEqual(expect.arrayContaining(['passkey.begin', 'passkey.add']));

    const said: string[] = [];
    const io = { say: (text: string) => said.push(text), complain: (text: string) => said.push(text) };
    expect(await runResetFactors(['--login', olga.login, '--reason', 'lost everything'], world.env, io)).toBe(0);
    expect(said.at(-1)).toContain('1 second factors');
    expect(await world.issuer.factors.list(olga.accountId)).toEqual({ factors: [], recoveryCodesLeft: 0 });
    // The password is enough again, and the device can be added anew.
    expect(await add(await enter(olga), device, 'Laptop again')).toMatchObject({ status: 200 });
  });

  it('is not added with the answer of another origin, or to the challenge of another person', async () => {
    const [ada, eve] = [await makePerson(), await makePerson()];
    const [adas, eves] = [await enter(ada), await enter(eve)];
    const [forAda, forEve] = [
      await write(adas, 'POST', '/api/v1/me/passkeys', { name: 'Laptop' }),
      await write(eves, 'POST', '/api/v1/me/passkeys', { name: 'Laptop' }),
    ];
    const confirm = (as: string, id: string, credential: object) =>
      write(as, 'POST', `/api/v1/me/passkeys/${id}/confirm`, { credential });
    const device = newDevice();
    expect(await confirm(eves, forAda.body.id, device.create(forAda.body.options))).toMatchObject({
      ...{ status: 404, body: { code: 'factor_not_found' } },
    });
    for (const credential of [
      device.create(forEve.body.options, { origin: 'https://evil.test' }),
      device.create(forAda.body.options),
    ]) {
      expect(await confirm(eves, forEve.body.id, credential)).toMatchObject({
        ...{ status: 422, body: { code: 'passkey_wrong' } },
      });
    }
  });
});
