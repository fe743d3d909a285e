import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { openWorld, publicUrl, type Tenant, type World } from '../../testing/world.ts';

const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** More than the other tests need. */
const attempts = 100;
const endpoint = `${publicUrl}/oauth/token`;

describe('the token endpoint for OAuth libraries', () => {
  let world: World;
  let home: Tenant;
  let robot: { readonly id: string; readonly keyId: string; readonly privateKey: JWK };
  beforeAll(async () => {
    world = await openWorld({ policies: { 'rate_limit.credential_attempts_per_minute': attempts } });
    home = await world.found('home');
    const write = (path: string, body: object) =>
      world.call('POST', path, { as: home.token, key: systemIds.next(), body });
    const made = await write(`/api/v1/projects/${home.projectId}/service-accounts`, {
      ...{ name: 'Robot', slug: 'robot', scopes: ['projects:read', 'allocations:read'] },
    });
    const key = await write(`/api/v1/service-accounts/${made.body.id}/keys`, { name: 'k', expires_in_days: 30 });
    robot = { id: made.body.id, keyId: key.body.id, privateKey: key.body.private_key };
  });
  afterAll(() => world.close());

  const assertion = async (changed: JWTPayload = {}) =>
    new SignJWT({
      ...{ iss: robot.id, sub: robot.id, aud: endpoint, jti: systemIds.next() },
      exp: Math.floor(world.now().getTime() / 1_000) + 60,
      ...changed,
    })
      .setProtectedHeader({ alg: 'ES256', kid: robot.keyId })
      .sign(await importJWK(robot.privateKey, 'ES256'));
  const post = (form: Record<string, string> | string, headers: Record<string, string> = {}) =>
    world.call('POST', '/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });

  it('takes a form without an idempotency key, and answers with a token that works', async () => {
    const reply = await post({ grant_type: grant, assertion: await assertion(), scope: 'projects:read' });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'projects:read' });
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const path = `/api/v1/projects/${home.projectId}`;
    expect((await world.call('GET', path, { as: reply.body.access_token })).status).toBe(200);
    const { rows } = await world.root.query(
      `select organization_id as organization, change->>'key_id' as key from audit_logs
       where action = 'service_account.token.issue' and target_id = $1`,
      [robot.id],
    );
    expect(rows).toEqual([{ organization: home.organizationId, key: robot.keyId }]);
  });

  it('takes an assertion once, also when the same form comes many times at once', async () => {
    const form = { grant_type: grant, assertion: await assertion() };
    const replies = await Promise.all(Array.from({ length: 8 }, () => post(form)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of replies.filter((each) => each.status !== 200)) {
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    }
  });

  it.each<[string, JWTPayload]>([
    ['for another endpoint', { aud: 'https://elsewhere.test/oauth/token' }],
    ['that is too old', { exp: 1 }],
    ['that lives too long', { exp: Math.floor(Date.now() / 1_000) + 86_400 * 365 }],
    ['of another account', { iss: '01900000-0000-7000-8000-0000000000ff' }],
    ['without a name of its own', { jti: '' }],
  ])('refuses an assertion %s as invalid_grant', async (_, changed) => {
    const reply = await post({ grant_type: grant, assertion: await assertion(changed) });
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_grant']);
    expect(reply.body.error_description).toContain('The assertion is not accepted.');
  });

  it('answers what is wrong with a form in the words of OAuth', async () => {
    const good = { grant_type: grant, assertion: await assertion() };
    for (const [form, error] of [
      [{ ...good, scope: 'projects:write' }, 'invalid_scope'],
      [{ ...good, grant_type: 'client_credentials' }, 'unsupported_grant_type'],
      [{ assertion: good.assertion }, 'invalid_request'],
      [{ grant_type: grant }, 'invalid_request'],
      [{ grant_type: grant, assertion: 'x'.repeat(5_000) }, 'invalid_request'],
      [`grant_type=${grant}&assertion=a&assertion=b`, 'invalid_request'],
      ['', 'invalid_request'],
    ] as const) {
      const reply = await post(form);
      expect([reply.status, reply.body.error], JSON.stringify(form)).toEqual([400, error]);
      expect(reply.body.error_description).toEqual(expect.any(String));
    }
    const json = await post(JSON.stringify(good), { 'content-type': 'application/json' });
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request']);
    const large = await post({ ...good, extra: 'x'.repeat(20_000) });
    expect([large.status, large.body.error]).toEqual([400, 'invalid_request']);
  });

  it('asks an address that comes too often to wait', async () => {
    let reply = await post({ grant_type: 'none' });
    for (let count = 0; count < 10 * attempts && reply.status !== 429; count += 1)
      reply = await post({ grant_type: 'none' });
    expect([reply.status, reply.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(reply.headers['retry-after']).toMatch(/^\d+$/);
  });
});
