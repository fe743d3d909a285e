import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { makeTestClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import { openWorld, type Reply, type Tenant, type World } from '../../../testing/world.ts';
import { makeInvitationExpiry } from './invitation-expiry.ts';

let world: World;
let home: Tenant;
const clock = makeTestClock(new Date());
const hourMs = 3_600_000;
beforeAll(async () => {
  world = await openWorld({ clock });
  home = await world.found('home');
});
afterAll(() => world.close());

const invite = async (email: string, role = 'member'): Promise<Reply> =>
  world.call('POST', `/api/v1/organizations/${home.organizationId}/invitations`, {
    as: await world.token(home.subject),
    key: systemIds.next(),
    body: { email, role },
  });
const accept = async (subject: string, token: string, correlationId = systemIds.next()): Promise<Reply> =>
  world.call('POST', '/api/v1/invitations/accept', {
    as: await world.token(subject),
    key: systemIds.next(),
    body: { token },
    headers: { 'x-request-id': correlationId },
  });
const statesOf = async (email: string) =>
  (await world.root.query('select state from invitations where email = $1 order by id', [email])).rows.map(
    ({ state }) => state,
  );

describe('an invitation', () => {
  it('is accepted once, by whoever holds the token, and told to the organization', async () => {
    const { body } = await invite('ada@example.test');
    const correlationId = systemIds.next();
    expect(await accept('ada', body.token, correlationId)).toMatchObject({
      status: 200,
      body: { organization_id: home.organizationId, role: 'member' },
    });
    expect(await accept('bob', body.token)).toMatchObject({ status: 404, body: { code: 'invitation_invalid' } });
    const { rows } = await world.root.query(
      `select a.organization_id, a.action, array_agg(e.subject order by e.position) as events
       from audit_logs a join outbox_events e on e.envelope ->> 'correlation_id' = a.correlation_id
         and e.organization_id = a.organization_id
       where a.correlation_id = $1 group by a.id, a.organization_id, a.action`,
      [correlationId],
    );
    expect(rows).toEqual([
      {
        organization_id: home.organizationId,
        action: 'invitation.accept',
        events: ['tenancy.invitation.accepted', 'tenancy.member.changed'],
      },
    ]);
  });

  it('lets in one of many who come at once', async () => {
    const { body } = await invite('crowd@example.test');
    const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => accept(`crowd-${n}`, body.token)));
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(404)]);
  });

  it('keeps its token nowhere, neither in tables nor in what a repetition answers', async () => {
    const { body } = await invite('secret@example.test');
    const { rows } = await world.root.query(
      `select (select json_agg(i)::text from invitations i) || (select json_agg(a)::text from audit_logs a)
         || (select json_agg(r)::text from idempotency_records r) || (select json_agg(e)::text from outbox_events e)
         as everything`,
    );
    expect(body.token).toMatch(/^gpuaas_invite_[0-9a-f]{64}$/);
    expect(rows[0].everything).toContain('secret@example.test');
    expect(rows[0].everything).not.toContain(body.token);
  });

  it('is answered in the same words when it is unknown, used, revoked or too old', async () => {
    const used = (await invite('used@example.test')).body;
    await accept('used', used.token);
    const revoked = (await invite('revoked@example.test')).body;
    const path = `/api/v1/organizations/${home.organizationId}/invitations/${revoked.id}`;
    const as = await world.token(home.subject);
    const taken = await world.call('DELETE', path, { as, key: systemIds.next() });
    expect(taken).toMatchObject({ status: 200, body: { state: 'revoked' } });
    expect(await world.call('DELETE', path, { as, key: systemIds.next() })).toMatchObject({ status: 409 });
    const old = (await invite('old@example.test')).body;
    await clock.advance(168 * hourMs + 1);
    const answers = await Promise.all(
      ['gpuaas_invite_guess', used.token, revoked.token, old.token].map((token) => accept('late', token, 'the-same')),
    );
    expect(answers[0]?.status).toBe(404);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('that is too old is shown as expired and makes room for a new one', async () => {
    await invite('again@example.test');
    expect(await invite('AGAIN@example.test')).toMatchObject({ status: 409, body: { code: 'invitation_pending' } });
    await clock.advance(168 * hourMs + 1);
    const listed = await world.call('GET', `/api/v1/organizations/${home.organizationId}/invitations`, {
      as: await world.token(home.subject),
    });
    const shown = listed.body.data.find(({ email }: { email: string }) => email === 'again@example.test');
    expect(shown).toMatchObject({ state: 'expired' });
    expect(shown).not.toHaveProperty('token');
    const inState = async (state: string) => {
      const path = `/api/v1/organizations/${home.organizationId}/invitations?state=${state}`;
      const { body } = await world.call('GET', path, { as: await world.token(home.subject) });
      return body.data.map(({ email }: { email: string }) => email);
    };
    expect(await inState('expired')).toContain('again@example.test');
    expect(await inState('pending')).not.toContain('again@example.test');
    expect((await invite('again@example.test')).status).toBe(201);
    expect(await statesOf('again@example.test')).toEqual(['expired', 'pending']);
  });

  it('is moved to expired by itself when its time is over, and not before', async () => {
    const { id } = (await invite('forgotten@example.test')).body;
    const worker = await openPostgres({
      ...{ url: world.schema.as('gpuaas_worker'), clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 2 },
    });
    try {
      const begin = actsOf('tenancy', systemIds);
      const expiry = makeInvitationExpiry({ db: worker.database, begin, ids: systemIds });
      await expiry.round(new AbortController().signal);
      expect(await statesOf('forgotten@example.test')).toEqual(['pending']);
      await clock.advance(168 * hourMs + 1);
      await expiry.round(new AbortController().signal);
      expect(await statesOf('forgotten@example.test')).toEqual(['expired']);
      const { rows } = await world.root.query(
        `select change from audit_logs where target_id = $1 and action = 'invitation.expire'`,
        [id],
      );
      expect(rows).toEqual([{ change: { state: ['pending', 'expired'], ended_by: 'tenancy.invitation_ttl_hours' } }]);
    } finally {
      await worker.close();
    }
  });

  it('is not for somebody who belongs already, and stays good for another', async () => {
    const { body } = await invite('twice@example.test', 'admin');
    expect(await accept(home.subject, body.token)).toMatchObject({ status: 409, body: { code: 'already_member' } });
    expect((await accept('another', body.token)).body.role).toBe('admin');
  });

  it('opens its own organization and no other', async () => {
    const { body } = await invite('narrow@example.test');
    const other = await world.found('other');
    await accept('narrow', body.token);
    const as = await world.token('narrow');
    expect((await world.call('GET', `/api/v1/organizations/${other.organizationId}`, { as })).status).toBe(404);
    const me = await world.call('GET', '/api/v1/me', { as });
    expect(me.body.organizations).toMatchObject([{ id: home.organizationId, role: 'member' }]);
  });
});

describe('invitations that wait', () => {
  it('are limited for each organization, and one that was revoked makes room', async () => {
    const narrow = await openWorld({ policies: { 'tenancy.max_pending_invitations': 2 } });
    try {
      const tenant = await narrow.found('narrow');
      const path = `/api/v1/organizations/${tenant.organizationId}/invitations`;
      const ask = (name: string) =>
        narrow.call('POST', path, {
          as: tenant.token,
          key: systemIds.next(),
          body: { email: `${name}@example.test`, role: 'member' },
        });
      const first = await ask('one');
      expect([first.status, (await ask('two')).status]).toEqual([201, 201]);
      expect(await ask('three')).toMatchObject({ status: 409, body: { code: 'invitation_limit_reached' } });
      const revoked = await narrow.call('DELETE', `${path}/${first.body.id}`, {
        as: tenant.token,
        key: systemIds.next(),
      });
      expect(revoked.status, revoked.text).toBe(200);
      expect((await ask('three')).status).toBe(201);
    } finally {
      await narrow.close();
    }
  });
});

describe('an invitation whose inviter', () => {
  const inviteAs = async (subject: string, email: string, role: string): Promise<string> => {
    const made = await world.call('POST', `/api/v1/organizations/${home.organizationId}/invitations`, {
      as: await world.token(subject),
      key: systemIds.next(),
      body: { email, role },
    });
    expect(made.status, made.text).toBe(201);
    return made.body.token;
  };
  const idOf = async (subject: string): Promise<string> =>
    (await world.root.query('select id from users where oidc_subject = $1', [subject])).rows[0].id;
  const asOwner = async (method: string, path: string, body?: object) =>
    world.call(method, `/api/v1/organizations/${home.organizationId}/${path}`, {
      as: await world.token(home.subject),
      key: systemIds.next(),
      ...(body && { body }),
    });

  it('was removed lets nobody in: not the inviter again, and not another account of theirs', async () => {
    await world.join('leaving-admin', home, 'admin');
    const own = await inviteAs('leaving-admin', 'back-door@example.test', 'admin');
    const other = await inviteAs('leaving-admin', 'other-address@example.test', 'member');
    expect((await asOwner('DELETE', `members/${await idOf('leaving-admin')}`)).status).toBe(200);
    expect((await accept('leaving-admin', own)).body.code).toBe('invitation_invalid');
    expect((await accept('alter-ego', other)).body.code).toBe('invitation_invalid');
  });

  it('was demoted, or disabled by an operator, lets nobody in', async () => {
    await world.join('demoted-admin', home, 'admin');
    const token = await inviteAs('demoted-admin', 'friend@example.test', 'member');
    expect((await asOwner('PATCH', `members/${await idOf('demoted-admin')}`, { role: 'viewer' })).status).toBe(200);
    expect((await accept('friend', token)).body.code).toBe('invitation_invalid');

    await world.join('disabled-admin', home, 'admin');
    const second = await inviteAs('disabled-admin', 'friend-two@example.test', 'member');
    const operator = await world.operator();
    const disabled = await world.call('POST', `/api/v1/admin/users/${await idOf('disabled-admin')}/disable`, {
      as: operator,
      key: systemIds.next(),
      body: { reason: 'a test' },
    });
    expect(disabled.status, disabled.text).toBe(200);
    expect((await accept('friend-two', second)).body.code).toBe('invitation_invalid');
  });
});
