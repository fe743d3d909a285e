import { isWrite, type Route, refusesPersonalTokens, routes, type Scope, stepUpOf } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf, sentWith, urlOf } from '../../../test/routes/examples.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, auditedChange, openWorld, type Tenant, type World } from '../../testing/world.ts';

const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);
const dayMs = 86_400_000;

let world: World;
let home: Tenant;
beforeAll(async () => {
  world = await openWorld({ clock });
  home = await world.found('home');
});
afterAll(() => world.close());

const organizations = (as: string, on = world) => on.call('GET', '/api/v1/organizations', { as });
const sessions = async (as: string) => (await world.call('GET', '/api/v1/me/sessions', { as })).body.data;
const write = (method: string, path: string, as: string, body?: unknown) =>
  world.call(method, path, { as, key: systemIds.next(), ...(body !== undefined && { body }) });
const personId = async (subject: string) =>
  (await world.root.query('select id from users where oidc_subject = $1', [subject])).rows[0].id as string;
const refused = (token: string) =>
  expect.poll(async () => (await organizations(token)).body.code, { timeout: 30_000 }).toBe('token_invalid');

describe('a session', () => {
  it('is there from the first request that its token made, with what is known of the device', async () => {
    const token = await world.token('ada', { sid: 's-1', auth_time: nowSeconds() - 60 });
    await world.call('GET', '/api/v1/organizations', {
      as: token,
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0' },
    });
    const [mine, ...rest] = await sessions(token);
    expect(rest).toEqual([]);
    expect(mine).toMatchObject({
      current: true,
      provider: 'oidc',
      device_label: 'Firefox on Linux',
      ip_address: '127.0.0.1',
      signed_in_at: new Date((nowSeconds() - 60) * 1_000).toISOString(),
      last_seen_at: clock.now().toISOString(),
    });
  });

  it('stays one while its tokens are refreshed, and is another where the issuer names none', async () => {
    const first = await world.token('bob', { sid: 'phone' });
    await organizations(first);
    await organizations(await world.token('bob', { sid: 'phone' }));
    const bare = await world.token('bob');
    const shown = await sessions(bare);
    expect(shown).toHaveLength(2);
    expect(shown.filter((session: { current: boolean }) => session.current)).toHaveLength(1);
  });

  it('is touched at most once a minute, however often it is seen', async () => {
    const token = await world.token('cleo', { sid: 'desk' });
    const seen = async () => (await sessions(token))[0].last_seen_at;
    const first = await seen();
    await clock.advance(30_000);
    expect(await seen()).toBe(first);
    await clock.advance(31_000);
    expect(await seen()).toBe(clock.now().toISOString());
  });

  it('of somebody else does not exist', async () => {
    const theirs = await world.token('dan', { sid: 'x' });
    const [session] = await sessions(theirs);
    const reply = await write('DELETE', `/api/v1/me/sessions/${session.id}`, home.token);
    expect(reply).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
    expect((await organizations(theirs)).status).toBe(200);
  });
});

describe('what was revoked', () => {
  it('ends with its session, the tokens that it is refreshed with too', async () => {
    const keeps = await world.token('eve', { sid: 'keeps' });
    const ends = await world.token('eve', { sid: 'ends' });
    await organizations(ends);
    const other = (await sessions(keeps)).find((session: { current: boolean }) => !session.current);
    const reply = await write('DELETE', `/api/v1/me/sessions/${other.id}`, keeps);
    expect(reply.body.revoked_at).toBe(clock.now().toISOString());
    await refused(ends);
    await refused(await world.token('eve', { sid: 'ends' }));
    expect((await organizations(keeps)).status).toBe(200);
    expect(await sessions(keeps)).toHaveLength(1);
  });

  it('is the session that asks, when somebody signs out', async () => {
    const token = await world.token('fay', { sid: 'only' });
    const bare = await world.token('fay');
    expect((await write('DELETE', '/api/v1/me/sessions/current', token)).status).toBe(200);
    await refused(token);
    expect((await write('DELETE', '/api/v1/me/sessions/current', bare)).status).toBe(200);
    await refused(bare);
  });

  it('are all sessions but one, those that nobody has seen yet too', async () => {
    const [mine, unseen] = [await world.token('gus', { sid: 'mine' }), await world.token('gus', { sid: 'stolen' })];
    await clock.advance(1_000);
    expect(await write('POST', '/api/v1/me/sessions/revoke-others', mine, {})).toMatchObject({ status: 200 });
    await refused(unseen);
    expect((await organizations(mine)).status).toBe(200);
    await clock.advance(1_000);
    expect((await organizations(await world.token('gus', { sid: 'new', auth_time: nowSeconds() }))).status).toBe(200);
  });

  it('are all sessions of a person, when an operator says so, and it is in the audit log', async () => {
    const token = await world.token('hal', { sid: 'one' });
    await organizations(token);
    await clock.advance(1_000);
    const operator = await world.operator();
    const path = `/api/v1/admin/users/${await personId('hal')}/sessions`;
    const [shown] = (await world.call('GET', path, { as: operator })).body.data;
    expect(shown).toMatchObject({ current: false });
    const reply = await write('POST', `${path}/revoke-all`, operator, {
      reason: 'a lost laptop, gpuaas_pat_0123456789abcdef',
    });
    expect(reply).toMatchObject({ status: 200, body: { revoked: 1 } });
    await refused(token);
    const { rows } = await world.root.query(
      `select ${auditedChange} from audit_logs l where action = 'session.revoke_all' and target_id = $1`,
      [await personId('hal')],
    );
    expect(rows).toEqual([{ change: { revoked: 1, reason: 'a lost laptop, [REDACTED]' } }]);
  });

  it.each(['token', 'session'] as const)(
    'is refused after the next look of five seconds, if the word of a denied %s was lost',
    async (kind) => {
      const jti = systemIds.next();
      const subject = `lost-${kind}`;
      const token = await world.token(subject, { jti, sid: 'a' });
      expect((await organizations(token)).status).toBe(200);
      await clock.advance(1_000);
      const person = await personId(subject);
      await asSystem(
        world.root,
        `insert into token_denials (kind, token_id, reason, expires_at) values ($1, $2, 'a test', $3)`,
        [kind, { token: jti, session: `${person} a` }[kind], new Date(clock.now().getTime() + dayMs)],
      );
      expect((await organizations(token)).status).toBe(200);
      await clock.advance(5_000);
      await refused(token);
    },
  );

  it('is refused after five seconds, if the word of a person whose sign-ins were all revoked was lost', async () => {
    const token = await world.token('lost-person', { sid: 'a', auth_time: nowSeconds() });
    expect((await organizations(token)).status).toBe(200);
    await clock.advance(1_000);
    await asSystem(
      world.root,
      `insert into sign_in_floors (user_id, not_before, reason, updated_at) values ($1, $2, 'a test', $2)`,
      [await personId('lost-person'), clock.now()],
    );
    await clock.advance(5_000);
    await refused(token);
  });

  it('cannot be revoked by hand, without an act', async () => {
    await organizations(await world.token('ivy', { sid: 'x' }));
    await sessions(home.token);
    await expect(
      world.root.query(`update account_sessions set revoked_at = now(), revoked_by = 'me'`),
    ).rejects.toMatchObject({ code: 'GP001' });
  });
});

describe('a personal access token', () => {
  const make = async (as: string, scopes: Scope[], days = 7) =>
    write('POST', '/api/v1/me/tokens', as, { name: 'ci', scopes, expires_in_days: days });

  it('opens what its scopes and its owner may both open, is shown once and kept as a digest', async () => {
    const made = await make(home.token, ['organizations:read']);
    expect(made.status, made.text).toBe(201);
    const { token, prefix } = made.body;
    expect(token).toMatch(/^gpuaas_pat_[0-9a-f]{64}$/);
    expect(token.startsWith(prefix)).toBe(true);
    expect((await organizations(token)).body.data[0].id).toBe(home.organizationId);
    expect(await world.call('GET', `/api/v1/projects/${home.projectId}`, { as: token })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_permissions' },
    });
    const { rows } = await world.root.query(
      `select (select string_agg(t::text, '') from personal_tokens t) || (select string_agg(a::text, '') from audit_logs a)
         || (select string_agg(r::text, '') from idempotency_records r) as everything`,
    );
    expect(rows[0].everything).not.toContain(token.slice(prefix.length));
    const [listed] = (await world.call('GET', '/api/v1/me/tokens', { as: home.token })).body.data;
    expect(listed).toMatchObject({ id: made.body.id, last_used_at: clock.now().toISOString() });
    expect(listed).not.toHaveProperty('token');
  });

  it('cannot hold what its maker does not, nor what the token at hand was not given', async () => {
    await world.join('onlooker', home, 'viewer');
    expect(await make(await world.token('onlooker'), ['projects:write'])).toMatchObject({
      status: 403,
      body: { code: 'insufficient_permissions', details: { beyond: ['projects:write'] } },
    });
    const narrow = await world.token(home.subject, { scope: 'tokens:write organizations:read' });
    expect((await make(narrow, ['projects:read'])).status).toBe(403);
    expect((await make(narrow, ['organizations:read'])).status).toBe(201);
  });

  it('loses what its owner loses', async () => {
    const leaver = await world.join('leaver', home, 'admin');
    const { token } = (await make(leaver, ['projects:read'])).body;
    const get = () => world.call('GET', `/api/v1/projects/${home.projectId}`, { as: token });
    expect((await get()).status).toBe(200);
    await asSystem(world.root, 'update tenant_memberships set deleted_at = now() where user_id = $1', [
      await personId('leaver'),
    ]);
    await clock.advance(5_001);
    expect((await get()).status).toBe(404);
  });

  it('makes no other token and ends no session', async () => {
    const { token } = (await make(home.token, ['tokens:write', 'sessions:write'])).body;
    for (const [method, path, body] of [
      ['POST', '/api/v1/me/tokens', { name: 'x', scopes: ['tokens:write'], expires_in_days: 1 }],
      ['POST', '/api/v1/me/sessions/revoke-others', {}],
    ] as const) {
      expect(await write(method, path, token, body)).toMatchObject({
        status: 403,
        body: { code: 'personal_token_refused' },
      });
    }
  });

  it('is refused within five seconds of being revoked, without a word too', async () => {
    const { token, id } = (await make(home.token, ['organizations:read'])).body;
    expect((await organizations(token)).status).toBe(200);
    await asSystem(world.root, 'update personal_tokens set revoked_at = now() where id = $1', [id]);
    await clock.advance(5_000);
    expect(await organizations(token)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
  });

  it('is refused at once where it was revoked', async () => {
    const { token, id } = (await make(home.token, ['organizations:read'])).body;
    expect((await organizations(token)).status).toBe(200);
    expect((await write('DELETE', `/api/v1/me/tokens/${id}`, home.token)).body.revoked_at).toBeTruthy();
    await refused(token);
  });

  it('ends when it said it would, and lives no longer than the policy allows', async () => {
    expect(await make(home.token, ['organizations:read'], 91)).toMatchObject({
      status: 422,
      body: { code: 'personal_token_expiry_invalid', details: { max_days: 90 } },
    });
    const passing = await openWorld({ clock, beside: world });
    try {
      const { token } = (await make(home.token, ['organizations:read'], 1)).body;
      await clock.advance(dayMs - 1_000);
      expect((await organizations(token, passing)).status).toBe(200);
      await clock.advance(1_000);
      expect(await organizations(token, passing)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
    } finally {
      await passing.close();
    }
  });

  it('cannot be guessed at length: an address has so many tries a minute, and the right one is not locked out', async () => {
    const narrow = await openWorld({
      clock,
      beside: world,
      policies: { 'rate_limit.credential_attempts_per_minute': 3 },
    });
    try {
      // The tries of the tests before this one are forgotten with their minute.
      await clock.advance(60_001);
      const fresh = await world.token(home.subject);
      const { token } = (await make(fresh, ['organizations:read'])).body;
      expect((await organizations(token, narrow)).status).toBe(200);
      const guess = () => organizations(`gpuaas_pat_${systemIds.secret(32)}`, narrow);
      const codes = [];
      for (let tries = 0; tries < 4; tries += 1) codes.push((await guess()).body.code);
      expect(codes).toEqual(['token_invalid', 'token_invalid', 'rate_limit_exceeded', 'rate_limit_exceeded']);
      expect(Number((await guess()).headers['retry-after'])).toBeGreaterThan(0);
      await clock.advance(6_000);
      expect((await organizations(token, narrow)).status).toBe(200);
    } finally {
      await narrow.close();
    }
  });

  it('is counted when it is refused', async () => {
    await organizations('gpuaas_pat_nonsense');
    expect(await world.metrics.scrape()).toMatch(/gpuaas_auth_refusals_total\{.*code="token_invalid".*\} [1-9]/);
  });
});

describe('a sensitive operation', () => {
  let strict: World;
  let owner: Tenant;
  beforeAll(async () => {
    strict = await openWorld({ clock, policies: { 'auth.step_up_enabled': true } });
    owner = await strict.found('strict');
    await strict.operator(owner.subject);
    // Who somebody is may be remembered for five seconds.
    await clock.advance(5_001);
  });
  afterAll(() => strict.close());
  // What ends the other sign-ins of the caller comes last: after it, tokens that do not say when they began are refused.
  const isLast = (route: Route) => Number(route.id === 'session_revoke_others');
  const flagged = routes
    .filter(stepUpOf)
    .sort((a, b) => isLast(a) - isLast(b))
    .map((route) => [route.id, route] as const);

  it.each(flagged)('%s asks for a recent sign-in', async (_, route) => {
    const ask = async (claims: Record<string, unknown>) => {
      const as = await strict.token(owner.subject, claims);
      // What an example needs beforehand is made by somebody who has just signed in.
      const present = await strict.token(owner.subject, { auth_time: nowSeconds() });
      const example = await exampleOf(route, strict, { ...owner, token: present }, as);
      return strict.call(route.method, urlOf(route, example), { as, key: systemIds.next(), ...sentWith(example) });
    };
    const details = { max_age_seconds: 900, authorization_parameters: { prompt: 'login', max_age: 900 } };
    for (const claims of [{}, { auth_time: nowSeconds() - 901 }]) {
      expect(await ask(claims)).toMatchObject({ status: 403, body: { code: 'step_up_required', details } });
    }
    const fresh = await ask({ auth_time: nowSeconds() - 899 });
    expect(fresh.status, fresh.text).toBeLessThan(300);
    await clock.advance(2_000);
  });

  it('says so for everything that changes the fleet, and every write of operators says how recent or why not', () => {
    const fleetWide = [
      ...['agent_release_add', 'agent_release_withdraw', 'node_agent_update', 'node_enrolment_token', 'node_create'],
      ...['task_signer_rotate', 'task_signer_retire', 'task_signer_revoke', 'policy_set', 'platform_role_grant'],
      ...['member_update', 'project_member_set', 'invitation_create'],
    ];
    const asked = new Set(routes.filter(stepUpOf).map(({ id }) => id as string));
    expect(fleetWide.filter((id) => !asked.has(id))).toEqual([]);
    const silent = routes.filter((route) => isWrite(route) && route.auth.kind === 'admin' && !route.stepUp);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  const forPeople = routes.filter((route) => route.auth.kind === 'admin' && refusesPersonalTokens(route));
  it.each(forPeople.map((route) => [route.id, route] as const))('%s takes no personal token', async (_, route) => {
    const as = await strict.token(owner.subject, { auth_time: nowSeconds() });
    if (route.auth.kind !== 'admin') throw new Error('not an operation of operators');
    const made = await strict.call('POST', '/api/v1/me/tokens', {
      as,
      key: systemIds.next(),
      body: { name: 'all', scopes: [route.auth.scope], expires_in_days: 7 },
    });
    expect(made.status, made.text).toBe(201);
    const refused = await strict.call(route.method, route.path, {
      as: made.body.token,
      key: systemIds.next(),
      body: {},
    });
    expect(refused).toMatchObject({ status: 403, body: { code: 'personal_token_refused' } });
  });

  it('asks for a second factor where the installation wants one', async () => {
    const wary = await openWorld({
      clock,
      beside: strict,
      policies: { 'auth.step_up_enabled': true, 'auth.step_up_mfa_required': true },
    });
    try {
      const ask = async (amr: string[]) =>
        wary.call('POST', '/api/v1/me/sessions/revoke-others', {
          as: await wary.token('careful', { auth_time: nowSeconds(), amr }),
          key: systemIds.next(),
          body: {},
        });
      expect(await ask(['pwd'])).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
      expect((await ask(['pwd', 'otp'])).status).toBe(200);
    } finally {
      await wary.close();
    }
  });
});
