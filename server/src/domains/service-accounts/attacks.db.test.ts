import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { openWorld, publicUrl, type Reply, type Tenant, type World } from '../../testing/world.ts';

/** A service account as it works, and everything that somebody else may try with it. */
const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);
const endpoint = `${publicUrl}/api/v1/auth/service-accounts/token`;

interface Robot {
  readonly id: string;
  readonly keyId: string;
  readonly privateKey: JWK;
}
let world: World;
let home: Tenant;
let foreign: Tenant;
let siblingProject: string;
beforeAll(async () => {
  world = await openWorld({ clock });
  home = await world.found('home');
  foreign = await world.found('foreign');
  const made = await write('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
    name: 'Second',
    slug: 'second',
  });
  siblingProject = made.body.id;
});
afterAll(() => world.close());

const write = (method: string, path: string, body?: unknown, as = home.token): Promise<Reply> =>
  world.call(method, path, { as, key: systemIds.next(), ...(body !== undefined && { body }) });
const slug = () => `robot-${systemIds.next().slice(-12)}`;
const project = (id: string, as: string) => world.call('GET', `/api/v1/projects/${id}`, { as });

async function keyFor(id: string): Promise<Robot> {
  const key = await write('POST', `/api/v1/service-accounts/${id}/keys`, { name: 'k', expires_in_days: 30 });
  expect(key.status, key.text).toBe(201);
  return { id, keyId: key.body.id, privateKey: key.body.private_key };
}
async function robot(scopes = ['projects:read']): Promise<Robot> {
  const made = await write('POST', `/api/v1/projects/${home.projectId}/service-accounts`, {
    name: 'Robot',
    slug: slug(),
    scopes,
  });
  expect(made.status, made.text).toBe(201);
  return keyFor(made.body.id);
}
const claimsOf = ({ id }: Robot, changed: JWTPayload = {}): JWTPayload => ({
  iss: id,
  sub: id,
  aud: endpoint,
  exp: nowSeconds() + 60,
  jti: systemIds.next(),
  ...changed,
});
const assert = async (by: Robot, changed: JWTPayload = {}, header: Record<string, unknown> = {}) =>
  new SignJWT(claimsOf(by, changed))
    .setProtectedHeader({ alg: 'ES256', kid: by.keyId, ...header })
    .sign(await importJWK(by.privateKey, 'ES256'));
const exchange = (assertion: string, scope?: string) =>
  world.call('POST', '/api/v1/auth/service-accounts/token', {
    key: systemIds.next(),
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
      ...(scope !== undefined && { scope }),
    },
  });
const tokenOf = async (by: Robot, scope?: string): Promise<string> => {
  const reply = await exchange(await assert(by), scope);
  expect(reply.status, reply.text).toBe(200);
  return reply.body.access_token;
};
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a service account', () => {
  it('exchanges an assertion for a token of some minutes, and reads its project with it', async () => {
    const ours = await robot();
    const reply = await exchange(await assert(ours));
    expect(reply.body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'projects:read' });
    expect((await project(home.projectId, reply.body.access_token)).status).toBe(200);
    await clock.advance(900_000);
    expect(await project(home.projectId, reply.body.access_token)).toMatchObject({
      status: 401,
      body: { code: 'token_expired' },
    });
    const { rows } = await world.root.query(
      `select organization_id as organization, target_id, change->>'key_id' as key from audit_logs
       where action = 'service_account.token.issue'`,
    );
    expect(rows).toContainEqual({ organization: home.organizationId, target_id: ours.id, key: ours.keyId });
  });

  it('brings a key of its own, Ed25519 or P-256, and the public half is all we ever see', async () => {
    for (const [alg, options] of [
      ['EdDSA', { crv: 'Ed25519', extractable: true }],
      ['ES256', { extractable: true }],
    ] as const) {
      const { id } = await robot();
      const pair = await generateKeyPair(alg, options);
      const { kty, crv, x, y } = await exportJWK(pair.publicKey);
      const path = `/api/v1/service-accounts/${id}/keys`;
      const body = { name: 'own', expires_in_days: 1, public_key: { kty, crv, x, ...(y && { y }) } };
      const key = await write('POST', path, body);
      expect(key.body).not.toHaveProperty('private_key');
      const assertion = await new SignJWT(claimsOf({ id, keyId: '', privateKey: {} as JWK }))
        .setProtectedHeader({ alg, kid: key.body.id })
        .sign(pair.privateKey);
      expect((await exchange(assertion)).status).toBe(200);
      const careless = { ...body, public_key: { ...body.public_key, d: 'A'.repeat(43) } };
      expect(await write('POST', path, careless)).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    }
    const { id } = await robot();
    const nonsense = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) };
    expect(
      await write('POST', `/api/v1/service-accounts/${id}/keys`, {
        name: 'off the curve',
        expires_in_days: 1,
        public_key: nonsense,
      }),
    ).toMatchObject({ status: 422, body: { code: 'service_account_key_invalid' } });
  });

  it('has several keys, so that one can be replaced without a pause, and says when each was used', async () => {
    const first = await robot();
    const second = await keyFor(first.id);
    await project(home.projectId, await tokenOf(second));
    expect((await write('DELETE', `/api/v1/service-accounts/${first.id}/keys/${first.keyId}`)).status).toBe(200);
    expect((await exchange(await assert(first))).body.code).toBe('assertion_invalid');
    expect((await exchange(await assert(second))).status).toBe(200);
    const { data } = (await world.call('GET', `/api/v1/service-accounts/${first.id}/keys`, { as: home.token })).body;
    expect(data.map((key: { last_used_at: string | null }) => key.last_used_at !== null)).toEqual([true, false]);
  });

  it('is signed for with a key whose private half is nowhere to be read', async () => {
    await tokenOf(await robot());
    const { keys } = (await world.call('GET', '/api/v1/auth/keys')).body;
    expect(keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256' });
    expect(keys[0]).not.toHaveProperty('d');
    const { rows } = await world.root.query(
      `select public_key::text || encode(sealed_private_key, 'escape') as all from token_signing_keys`,
    );
    for (const row of rows) expect(row.all).not.toContain('"d"');
  });

  it('serves several projects of its organization, and those only', async () => {
    const path = `/api/v1/organizations/${home.organizationId}/service-accounts`;
    const body = { name: 'Shared', slug: slug(), scopes: ['projects:read', 'organizations:read'] };
    const made = await write('POST', path, { ...body, project_ids: [home.projectId, siblingProject] });
    expect(made.body).toMatchObject({ scope: 'organization', project_ids: [home.projectId, siblingProject].sort() });
    const token = await tokenOf(await keyFor(made.body.id));
    for (const id of [home.projectId, siblingProject]) expect((await project(id, token)).status).toBe(200);
    const third = await write('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
      name: 'Third',
      slug: slug(),
    });
    expect((await project(third.body.id, token)).status).toBe(404);
    expect((await project(foreign.projectId, token)).status).toBe(404);
    const organization = (id: string) => world.call('GET', `/api/v1/organizations/${id}`, { as: token });
    expect((await organization(home.organizationId)).status).toBe(200);
    expect((await organization(foreign.organizationId)).status).toBe(404);
    expect(await write('POST', path, { ...body, slug: slug(), project_ids: [foreign.projectId] })).toMatchObject({
      status: 404,
    });
  });
});

describe('an assertion', () => {
  let ours: Robot;
  let other: Robot;
  beforeAll(async () => {
    ours = await robot();
    other = await robot();
  });

  it('counts once, also for two who come at the same time', async () => {
    const assertion = await assert(ours);
    const codes = (await Promise.all([1, 2, 3].map(() => exchange(assertion)))).map(({ body }) => body.code ?? 'token');
    expect(codes.toSorted((a, b) => a.localeCompare(b))).toEqual(['assertion_replayed', 'assertion_replayed', 'token']);
  });

  const wrong: readonly [string, () => Promise<string>][] = [
    ['has expired', () => assert(ours, { exp: nowSeconds() - 1 })],
    ['lives longer than five minutes', () => assert(ours, { exp: nowSeconds() + 301 })],
    ['is meant for somebody else', () => assert(ours, { aud: 'https://other.test/token' })],
    ['is meant for the api, not for its exchange', () => assert(ours, { aud: 'gpuaas' })],
    ['speaks for another account', () => assert(ours, { sub: other.id })],
    ['claims to be another account', () => assert(ours, { iss: other.id, sub: other.id })],
    ['names the key of another account', () => assert(ours, {}, { kid: other.keyId })],
    ['is signed with the key of another account', () => assert({ ...other, id: ours.id })],
    ['is signed by another account under our key', () => assert({ ...other, id: ours.id, keyId: ours.keyId })],
    ['has no id', () => assert(ours, { jti: undefined as unknown as string })],
    ['has no end', () => assert(ours, { exp: undefined as unknown as number })],
    ['is not valid yet', () => assert(ours, { nbf: nowSeconds() + 30 })],
    ['names no key', () => assert(ours, {}, { kid: undefined })],
    ['is not signed', async () => `${base64url({ alg: 'none', kid: ours.keyId })}.${base64url(claimsOf(ours))}.`],
    [
      'takes the public key for a shared secret',
      () =>
        new SignJWT(claimsOf(ours))
          .setProtectedHeader({ alg: 'HS256', kid: ours.keyId })
          .sign(Buffer.from(`${ours.privateKey.x}${ours.privateKey.y}`)),
    ],
    ['brings its own key', () => assert({ ...other, id: ours.id, keyId: ours.keyId }, {}, { jwk: other.privateKey })],
    ['is nonsense', async () => 'nonsense'],
  ];
  it.each(wrong)('that %s is refused, with the same words as every other', async (_, make) => {
    const [reply, plain] = [await exchange(await make()), await exchange('x.y.z')];
    expect(reply).toMatchObject({ status: 401, body: { code: 'assertion_invalid' } });
    expect(reply.body.message).toBe(plain.body.message);
  });

  it('cannot ask for more than the account has', async () => {
    expect(await exchange(await assert(ours), 'projects:read projects:write')).toMatchObject({
      status: 403,
      body: { code: 'insufficient_permissions', details: { beyond: ['projects:write'] } },
    });
    const able = await robot(['projects:read', 'policies:read']);
    const token = await tokenOf(able, 'policies:read');
    expect(await project(home.projectId, token)).toMatchObject({ status: 403 });
  });
});

describe('nobody', () => {
  it('makes an account that may do more than they may themselves', async () => {
    await world.join('narrow-admin', home, 'admin');
    const narrow = await world.token('narrow-admin', { scope: 'service_accounts:write projects:read' });
    const make = (scopes: string[], as: string) =>
      write('POST', `/api/v1/projects/${home.projectId}/service-accounts`, { name: 'x', slug: slug(), scopes }, as);
    expect((await make(['projects:write'], narrow)).status).toBe(403);
    expect((await make(['policies:admin'], home.token)).status).toBe(403);
    expect((await make(['projects:read'], narrow)).status).toBe(201);
  });

  it('makes a key for an account that may do more than the token at hand', async () => {
    const { id } = await robot(['projects:write']);
    await world.join('narrow-key-admin', home, 'admin');
    const narrow = await world.token('narrow-key-admin', { scope: 'service_accounts:write projects:read' });
    const mint = (as: string) =>
      write('POST', `/api/v1/service-accounts/${id}/keys`, { name: 'wider', expires_in_days: 7 }, as);
    expect((await mint(narrow)).body).toMatchObject({
      code: 'insufficient_permissions',
      details: { beyond: ['projects:write'] },
    });
    expect((await mint(await world.token('narrow-key-admin'))).status).toBe(201);
  });

  it('reaches another project or organization with the token of a pinned account', async () => {
    const token = await tokenOf(await robot(['projects:read', 'organizations:read']));
    const ask = (path: string) => world.call('GET', path, { as: token, headers: { 'x-request-id': 'same' } });
    const absent = await ask(`/api/v1/projects/${systemIds.next()}`);
    for (const id of [siblingProject, foreign.projectId]) {
      expect((await ask(`/api/v1/projects/${id}`)).text).toBe(absent.text);
    }
    for (const id of [home.organizationId, foreign.organizationId]) {
      expect((await ask(`/api/v1/organizations/${id}`)).status).toBe(404);
      expect((await ask(`/api/v1/organizations/${id}/projects`)).status).toBe(404);
    }
  });

  it('manages accounts with the token of one, nor with a personal token', async () => {
    const token = await tokenOf(await robot(['projects:read', 'service_accounts:write', 'service_accounts:read']));
    const path = `/api/v1/projects/${home.projectId}/service-accounts`;
    const body = { name: 'x', slug: slug(), scopes: ['projects:read'] };
    expect((await write('POST', path, body, token)).body.code).toBe('service_account_refused');
    const pat = await write('POST', '/api/v1/me/tokens', {
      name: 'x',
      scopes: ['service_accounts:write'],
      expires_in_days: 1,
    });
    expect((await write('POST', path, body, pat.body.token)).body.code).toBe('personal_token_refused');
  });

  it.each([
    ['was disabled', 'POST', ({ id }: Robot) => `/api/v1/service-accounts/${id}/disable`],
    ['was deleted', 'DELETE', ({ id }: Robot) => `/api/v1/service-accounts/${id}`],
    ['lost the key', 'DELETE', ({ id, keyId }: Robot) => `/api/v1/service-accounts/${id}/keys/${keyId}`],
  ])(
    'uses the token of an account that %s: not here, not where the news arrives, elsewhere for five seconds',
    async (_, method, path) => {
      const informed = await openWorld({ clock, beside: world });
      const deaf = await openWorld({ clock, beside: world, deaf: true });
      try {
        const ours = await robot();
        const token = await tokenOf(ours);
        const at = async ({ call }: World) =>
          (await call('GET', `/api/v1/projects/${home.projectId}`, { as: token })).status;
        expect([await at(world), await at(informed), await at(deaf)]).toEqual([200, 200, 200]);
        const done = await write(method, path(ours), method === 'POST' ? {} : undefined);
        expect(done.status, done.text).toBe(200);
        expect(await project(home.projectId, token)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
        await expect.poll(() => at(informed), { timeout: 10_000 }).toBe(401);
        // No clock has moved so far: the deaf one answers from memory, and for five seconds only.
        expect(await at(deaf)).toBe(200);
        await clock.advance(5_000);
        expect(await at(deaf)).toBe(401);
        expect((await exchange(await assert(ours))).body.code).toBe('assertion_invalid');
      } finally {
        await informed.close();
        await deaf.close();
      }
    },
  );

  it('forges a token of ours: not by its issuer, not by its key id, not with the claims of a person', async () => {
    const ours = await robot();
    const token = await tokenOf(ours);
    const [head = '', body = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const header = JSON.parse(Buffer.from(head, 'base64url').toString());
    for (const forged of [
      await world.sign(header, claims),
      await world.sign({ ...header, kid: 'k1' }, claims),
      await world.sign({ kid: 'k1' }, { ...claims, iss: 'https://issuer.test' }, 'stranger'),
      `${head}.${base64url({ ...claims, scope: 'projects:write' })}.${token.split('.')[2]}`,
    ]) {
      expect(await project(home.projectId, forged)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    }
    // The issuer of people cannot name a service account of ours: to us that is a person without a role.
    const pretender = await world.token(ours.id, { principal_type: 'service_account', key_id: ours.keyId });
    expect((await project(home.projectId, pretender)).status).toBe(404);
  });

  it('acts for an account when its key has expired', async () => {
    const ours = await robot();
    await clock.advance(30 * 86_400_000 - 3_000);
    const token = await tokenOf(ours);
    expect((await project(home.projectId, token)).status).toBe(200);
    // Sooner than an answer about account and key is forgotten.
    await clock.advance(3_000);
    expect(await project(home.projectId, token)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });
});

describe('a person who leaves the organization', () => {
  it('leaves service accounts and keys behind, which an owner finds and ends', async () => {
    // Tests before this one move the clock.
    home = { ...home, token: await world.token(home.subject) };
    const subject = slug();
    const maker = await world.join(subject, home, 'admin');
    const made = await write(
      'POST',
      `/api/v1/projects/${home.projectId}/service-accounts`,
      { name: 'Left behind', slug: slug(), scopes: ['projects:read'] },
      maker,
    );
    const keys = `/api/v1/service-accounts/${made.body.id}/keys`;
    const key = await write('POST', keys, { name: 'theirs', expires_in_days: 30 }, maker);
    expect(key.status, key.text).toBe(201);
    const ours = { id: made.body.id, keyId: key.body.id, privateKey: key.body.private_key };
    const { rows } = await world.root.query('select id from users where oidc_subject = $1', [subject]);
    const gone = await write('DELETE', `/api/v1/organizations/${home.organizationId}/members/${rows[0].id}`);
    expect(gone.status, gone.text).toBe(200);

    // A pipeline does not stop because a colleague left. The person can no longer touch it; the log says who made the key.
    const token = await tokenOf(ours);
    expect((await project(home.projectId, token)).status).toBe(200);
    expect((await world.call('GET', keys, { as: maker })).status).toBe(404);
    const log = await world.root.query(
      `select actor_id from audit_logs where action = 'service_account.key.create' and target_id in ($1, $2)`,
      [ours.keyId, ours.id],
    );
    expect(log.rows).toEqual([{ actor_id: rows[0].id }]);
    const listed = await world.call('GET', keys, { as: home.token });
    expect(listed.body.data).toMatchObject([{ id: ours.keyId, name: 'theirs', revoked_at: null }]);
    expect((await write('DELETE', `${keys}/${ours.keyId}`)).status).toBe(200);
    expect((await project(home.projectId, token)).status).toBe(401);
    expect((await exchange(await assert(ours))).status).toBe(401);
  });
});

describe('our signing keys', () => {
  it('get a successor after 90 days, and what the old one signed stays good', async () => {
    const keyIds = async () =>
      (await world.call('GET', '/api/v1/auth/keys')).body.keys.map(({ kid }: { kid: string }) => kid);
    const pass = async (days: number) => {
      await clock.advance(days * 86_400_000);
      home = { ...home, token: await world.token(home.subject) };
    };
    // Nothing is left of what the other tests made.
    await pass(200);
    await tokenOf(await robot());
    const [before] = await keyIds();
    await pass(90);
    const ours = await robot();
    const token = await tokenOf(ours);
    const after = await keyIds();
    expect(after).toHaveLength(2);
    expect(after[1]).toBe(before);
    expect((await project(home.projectId, token)).status).toBe(200);
    await pass(2);
    expect(await keyIds()).toEqual([after[0]]);
  });
});
