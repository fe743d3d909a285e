import { type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, audience, issuer, openWorld, type Tenant, type World } from '../../src/testing/world.ts';

/** Tokens that are wrong in one way each. The clock is turned by hand, so that "expired" does not mean "wait". */
const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);

let world: World;
let home: Tenant;
beforeAll(async () => {
  world = await openWorld({ clock });
  home = await world.found('home');
});
afterAll(() => world.close());

const list = (as: string) => world.call('GET', '/api/v1/organizations', { as });
const claims = (changed: JWTPayload = {}): JWTPayload => ({
  iss: issuer,
  aud: audience,
  sub: home.subject,
  iat: nowSeconds(),
  exp: nowSeconds() + 600,
  jti: systemIds.next(),
  ...changed,
});
const without = (name: string): JWTPayload => {
  const { [name]: _gone, ...rest } = claims();
  return rest;
};
const signed = (payload: JWTPayload, header: Record<string, unknown> = {}) =>
  world.sign({ kid: 'k1', ...header }, payload);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (header: object, payload: object, signature = '') =>
  `${base64url(header)}.${base64url(payload)}.${signature}`;

describe('a token', () => {
  it('opens what its owner may see', async () => {
    expect(await list(await signed(claims()))).toMatchObject({ status: 200 });
  });

  const wrong: readonly [string, () => Promise<string>, string?][] = [
    ['has expired', () => signed(claims({ exp: nowSeconds() - 1 })), 'token_expired'],
    ['expires at this very second', () => signed(claims({ exp: nowSeconds() })), 'token_expired'],
    ['is not valid yet', () => signed(claims({ nbf: nowSeconds() + 60 }))],
    ['is meant for somebody else', () => signed(claims({ aud: 'another-service' }))],
    ['is meant for nobody', () => signed(without('aud'))],
    ['comes from another issuer', () => signed(claims({ iss: 'https://issuer.test.example' }))],
    ['names no issuer', () => signed(without('iss'))],
    ['never expires', () => signed(without('exp'))],
    ['says when it expires in words', () => signed(claims({ exp: 'tomorrow' as unknown as number }))],
    ['speaks for nobody', () => signed(without('sub'))],
    ['speaks for an empty name', () => signed(claims({ sub: '' }))],
    ['speaks for a number', () => signed(claims({ sub: 7 as unknown as string }))],
    ['speaks for a name with a NUL', () => signed(claims({ sub: 'a\u0000b' }))],
    ['speaks for an endless name', () => signed(claims({ sub: 'a'.repeat(256) }))],
    ['has a number for an id, which no list could hold', () => signed(claims({ jti: 7 as unknown as string }))],
    ['narrows itself in a way that cannot be read', () => signed(claims({ scope: { all: true } }))],
    ['was signed with a key that nobody knows', () => signed(claims(), { kid: 'k2' })],
    ['was signed by a stranger', () => world.sign({ kid: 'k1' }, claims(), 'stranger')],
    [
      'brings the address of its own keys',
      () =>
        world.sign({ kid: 'k1', jku: 'https://evil.test/keys', x5u: 'https://evil.test/cert' }, claims(), 'stranger'),
    ],
    [
      'brings its own key',
      () => world.sign({ kid: 'k1', jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }, claims(), 'stranger'),
    ],
    ['is not signed at all', async () => unsigned({ alg: 'none', typ: 'JWT' }, claims())],
    ['says none in capitals', async () => unsigned({ alg: 'NONE', kid: 'k1' }, claims())],
    [
      'was signed with a shared secret',
      () => new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(Buffer.alloc(32)),
    ],
    [
      'was edited after it was signed',
      async () => {
        const [header, , signature] = (await signed(claims())).split('.');
        return `${header}.${base64url(claims({ sub: 'operator' }))}.${signature}`;
      },
    ],
    ['lost its signature', async () => (await signed(claims())).replace(/[^.]+$/, '')],
    [
      'is critical about something',
      async () => unsigned({ alg: 'ES256', kid: 'k1', crit: ['x'], x: 1 }, claims(), 'AAAA'),
    ],
    ['is not a token', async () => 'x'],
    ['has four parts', async () => `${await signed(claims())}.x`],
    ['is longer than any token', async () => 'a.'.repeat(5_000)],
  ];
  it.each(wrong)('that %s is refused', async (_, make, code = 'token_invalid') => {
    const reply = await list(await make());
    expect(reply).toMatchObject({ status: 401, body: { code }, headers: { 'www-authenticate': 'Bearer' } });
  });

  it('is not looked for in other kinds of Authorization', async () => {
    const token = await signed(claims());
    for (const authorization of [
      `Basic ${token}`,
      token,
      `Bearer  ${token}`,
      'Bearer',
      'Bearer a b',
      `Bearer ${token},`,
    ]) {
      const reply = await world.call('GET', '/api/v1/organizations', { headers: { authorization } });
      expect(reply, authorization).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    }
    expect(await world.call('GET', '/api/v1/organizations')).toMatchObject({
      status: 401,
      body: { code: 'token_missing' },
    });
  });

  it('that was accepted before is refused once it has expired', async () => {
    const token = await signed(claims({ exp: nowSeconds() + 30 }));
    expect((await list(token)).status).toBe(200);
    await clock.advance(30_000);
    expect(await list(token)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
  });
});

describe('a revoked token', () => {
  const deny = (tokenId: string) =>
    asSystem(world.root, 'insert into token_denials (token_id, expires_at, reason) values ($1, $2, $3)', [
      tokenId,
      new Date(clock.now().getTime() + 3_600_000),
      'a test',
    ]);

  it('is refused as soon as the list is told', async () => {
    const jti = systemIds.next();
    const token = await signed(claims({ jti }));
    expect((await list(token)).status).toBe(200);
    await deny(jti);
    await world.root.query(`select pg_notify('gpuaas_token_denied', '')`);
    await expect.poll(async () => (await list(token)).body.code, { timeout: 30_000 }).toBe('token_invalid');
  });

  it('is refused after the next look, if the word was lost', async () => {
    const jti = systemIds.next();
    const token = await signed(claims({ jti }));
    await deny(jti);
    expect((await list(token)).status).toBe(200);
    await clock.advance(5_000);
    await expect.poll(async () => (await list(token)).body.code, { timeout: 30_000 }).toBe('token_invalid');
  });
});

describe('a service account', () => {
  const service = () => signed(claims({ principal_type: 'service_account' }));

  it('may call what allows it, with the role that it has', async () => {
    const reply = await world.call('GET', `/api/v1/organizations/${home.organizationId}`, { as: await service() });
    expect(reply.status, reply.text).toBe(200);
  });

  it('is refused where only people may call, even when the same subject was just seen as a person', async () => {
    expect((await list(await signed(claims()))).status).toBe(200);
    expect(await list(await service())).toMatchObject({ status: 403, body: { code: 'service_account_refused' } });
  });

  it('is refused by routes for operators, whatever its roles', async () => {
    await world.operator(home.subject);
    const reply = await world.call('GET', '/api/v1/admin/dlq/messages', { as: await service() });
    expect(reply).toMatchObject({ status: 403, body: { code: 'service_account_refused' } });
  });
});

describe('the scopes of a token', () => {
  const rename = async (scope: unknown) =>
    world.call('PATCH', `/api/v1/organizations/${home.organizationId}`, {
      as: await signed(claims(scope === undefined ? {} : { scope })),
      key: systemIds.next(),
      body: { name: 'Another name' },
    });

  it.each([
    ['left out', undefined, 200],
    ['that include it', 'organizations:read organizations:write', 200],
    ['as a list that includes it', ['organizations:write'], 200],
    ['that do not include it', 'organizations:read', 403],
    ['as a list that does not include it', ['organizations:read'], 403],
    ['that only say who it is', 'openid profile email', 200],
    ['that say who it is and what it may', 'openid organizations:read', 403],
    ['that are empty', '', 403],
    ['that nobody knows', 'organizations:* *', 403],
  ])('%s decide what an owner may do with it', async (_, scope, status) => {
    const reply = await rename(scope);
    expect(reply.status, reply.text).toBe(status);
    if (status === 403) {
      expect(reply.body).toMatchObject({
        code: 'insufficient_permissions',
        details: { needed: 'organizations:write' },
      });
    }
  });

  it('never give what the role does not', async () => {
    await world.join('onlooker', home, 'viewer');
    const reply = await world.call('PATCH', `/api/v1/organizations/${home.organizationId}`, {
      as: await world.token('onlooker', { scope: 'organizations:write' }),
      key: systemIds.next(),
      body: { name: 'Mine now' },
    });
    expect(reply).toMatchObject({ status: 403, body: { code: 'insufficient_permissions' } });
  });

  it('narrow an operator too', async () => {
    await world.operator('narrow');
    const reply = await world.call('GET', '/api/v1/admin/dlq/messages', {
      as: await world.token('narrow', { scope: 'organizations:read' }),
    });
    expect(reply).toMatchObject({ status: 403, body: { code: 'insufficient_permissions' } });
  });
});

describe('X-Project-ID', () => {
  const activity = (headers: Record<string, string>) =>
    world.call('GET', '/api/v1/activity', { as: home.token, headers });

  it('is asked for where the project is not in the path', async () => {
    expect(await activity({})).toMatchObject({ status: 400, body: { code: 'project_required' } });
    expect((await activity({ 'x-project-id': home.projectId })).status).toBe(200);
  });

  it.each([
    ['', 'nonsense'],
    ['', ''],
    ['', '%00'],
    ['', `${'0'.repeat(8)}-0000`],
  ])('must be an id%s (%j)', async (_, value) => {
    const reply = await activity({ 'x-project-id': value });
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    expect(reply.body.details.fields).toEqual([{ in: 'header', field: 'X-Project-ID', message: 'is not an id' }]);
  });

  it('of somebody else looks like one that does not exist', async () => {
    const foreign = await world.found('foreign');
    const ask = (id: string) => activity({ 'x-project-id': id, 'x-request-id': 'same' });
    const [theirs, nobodys] = [await ask(foreign.projectId), await ask(systemIds.next())];
    expect(theirs).toMatchObject({ status: 404, body: { code: 'project_not_found' } });
    expect(theirs.text).toBe(nobodys.text);
  });

  it('may repeat the project of the path, but not contradict it', async () => {
    const get = (header: string) =>
      world.call('GET', `/api/v1/projects/${home.projectId}`, { as: home.token, headers: { 'x-project-id': header } });
    expect((await get(home.projectId)).status).toBe(200);
    expect(await get(systemIds.next())).toMatchObject({ status: 400, body: { code: 'project_mismatch' } });
    expect(await get('nonsense')).toMatchObject({ status: 400, body: { code: 'project_mismatch' } });
  });
});
