import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Reply, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation } from '../allocations/testing.ts';

let world: World;
let acme: Tenant;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  acme = await world.found('acme');
  operator = await world.operator();
});
afterAll(() => world.close());

const idOf = async (subject: string): Promise<string> =>
  (await world.root.query('select id from users where oidc_subject = $1', [subject])).rows[0].id;
const read = (path: string, as = operator) => world.call('GET', `/api/v1/admin/${path}`, { as });
const act = (method: string, path: string, as = operator, reason = 'because of a test'): Promise<Reply> =>
  world.call(method, `/api/v1/admin/${path}`, { as, key: systemIds.next(), body: { reason } });
const withRole = async (subject: string, role: string): Promise<string> => {
  const token = await world.join(subject, acme, 'viewer');
  await act('PUT', `users/${await idOf(subject)}/roles/${role}`);
  return token;
};

describe('people, as operators see them', () => {
  it('are listed newest first, page by page, and found by subject, name and id', async () => {
    await world.join('ada-lovelace', acme, 'member');
    const id = await idOf('ada-lovelace');
    const first = await read('users?limit=1');
    const second = await read(`users?limit=1&cursor=${first.body.next_cursor}`);
    expect(first.body.data[0].id > second.body.data[0].id).toBe(true);
    for (const q of ['LOVELACE', id]) {
      expect((await read(`users?q=${q}`)).body.data.map((row: { id: string }) => row.id)).toEqual([id]);
    }
    expect((await read(`users/${id}`)).body).toMatchObject({
      subject: 'ada-lovelace',
      state: 'active',
      platform_roles: [],
      organization_list: [{ organization_id: acme.organizationId, role: 'member' }],
    });
    expect((await read(`users/${systemIds.next()}`)).body.code).toBe('user_not_found');
  });

  it('are found by a list of ids, in one call', async () => {
    for (const subject of ['ida', 'ivo', 'ira']) await world.join(subject, acme, 'viewer');
    const wanted = [await idOf('ida'), await idOf('ira')];
    const found = await read(`users?ids=${[...wanted, systemIds.next()].join(',')}`);
    expect(found.body.data.map((row: { id: string }) => row.id).sort()).toEqual([...wanted].sort());
    for (const wrong of ['ada', `${wanted[0]},`, Array(101).fill(wanted[0]).join(',')]) {
      expect((await read(`users?ids=${wrong}`)).body.code).toBe('validation_error');
    }
  });

  it('are nobody’s business but operators’', async () => {
    expect((await read('users', acme.token)).body.code).toBe('admin_required');
    const finance = await withRole('finance-person', 'platform_finance');
    expect((await read('users', finance)).body.code).toBe('insufficient_permissions');
  });
});

describe('a disabled person', () => {
  it('loses sessions and personal tokens at once, is not let in with a newer token, and comes back when enabled', async () => {
    const token = await world.join('grace', acme, 'admin');
    const id = await idOf('grace');
    const made = await world.call('POST', '/api/v1/me/tokens', {
      as: token,
      key: systemIds.next(),
      body: { name: 'mine', scopes: ['profile:read'], expires_in_days: 7 },
    });
    expect(made.status, made.text).toBe(201);
    const personal = made.body.token as string;
    const me = (as: string) => world.call('GET', '/api/v1/me', { as });
    expect([(await me(token)).status, (await me(personal)).status]).toEqual([200, 200]);

    expect((await act('POST', `users/${id}/disable`)).body).toMatchObject({ state: 'disabled' });
    const later = Math.floor(world.now().getTime() / 1_000) + 60;
    const newer = await world.token('grace', { iat: later, auth_time: later });
    for (const shown of [token, newer]) await expect.poll(async () => (await me(shown)).status).toBe(401);
    expect((await me(newer)).body.code).toBe('account_disabled');
    await expect.poll(async () => (await me(personal)).status, { timeout: 10_000 }).toBe(401);
    expect((await read(`users/${id}`)).body).toMatchObject({ sessions: 0, personal_tokens: 0 });

    expect((await act('POST', `users/${id}/enable`)).body).toMatchObject({ state: 'active', disabled_at: null });
    expect((await me(newer)).status).toBe(200);
    expect((await me(personal)).status).toBe(401);
  });

  it('cannot be somebody with a platform role, unless a superadmin says so', async () => {
    const ops = await withRole('ops-person', 'platform_ops');
    await withRole('support-person', 'platform_support');
    const id = await idOf('support-person');
    expect((await act('POST', `users/${id}/disable`, ops)).body.code).toBe('insufficient_permissions');
    expect((await act('PUT', `users/${id}/roles/platform_superadmin`, ops)).body.code).toBe('insufficient_permissions');
    expect((await act('POST', `users/${id}/disable`)).status).toBe(200);
  });
});

describe('the sessions of somebody with a platform role', () => {
  it('are ended by a superadmin and by themselves, and by no other operator', async () => {
    const ops = await withRole('ops-of-sessions', 'platform_ops');
    const support = await withRole('support-with-sessions', 'platform_support');
    const plain = await world.join('without-role', acme, 'viewer');
    const of = async (subject: string) => `users/${await idOf(subject)}/sessions`;
    const oneOf = async (subject: string) => (await read(await of(subject))).body.data[0].id as string;
    for (const as of [ops, support, plain]) expect((await world.call('GET', '/api/v1/me', { as })).status).toBe(200);

    const theirs = await of('support-with-sessions');
    const one = `${theirs}/${await oneOf('support-with-sessions')}`;
    expect((await act('DELETE', one, ops)).body.code).toBe('insufficient_permissions');
    expect((await act('POST', `${theirs}/revoke-all`, ops)).body.code).toBe('insufficient_permissions');
    expect((await world.call('GET', '/api/v1/me', { as: support })).status).toBe(200);

    expect((await act('DELETE', one)).status).toBe(200);
    expect((await act('POST', `${theirs}/revoke-all`)).status).toBe(200);
    expect((await act('POST', `${await of('without-role')}/revoke-all`, ops)).status).toBe(200);
    expect((await act('POST', `users/${systemIds.next()}/sessions/revoke-all`, ops)).body.code).toBe('user_not_found');
    expect((await act('POST', `${await of('ops-of-sessions')}/revoke-all`, ops)).status).toBe(200);
  });
});

describe('an erased person', () => {
  it('leaves no name, key, session or membership behind, and audit chains still verify', async () => {
    await world.join('to-be-erased', acme, 'member');
    const token = await world.token('to-be-erased');
    const id = await idOf('to-be-erased');
    await world.call('PATCH', '/api/v1/me', { as: token, key: systemIds.next(), body: { display_name: 'Erase Me' } });
    await read('users');
    const gone = await act('DELETE', `users/${id}`);
    expect(gone.body, gone.text).toMatchObject({ state: 'erased', display_name: null, subject: `erased:${id}` });
    expect(gone.body.username).toMatch(/^u\d+$/);
    const left = await world.root.query(
      `select (select count(*)::int from user_names where user_id = $1) as names,
         (select count(*)::int from account_sessions where user_id = $1) as sessions,
         (select count(*)::int from console_sessions where user_id = $1) as browsers,
         (select count(*)::int from personal_tokens where user_id = $1) as tokens,
         (select count(*)::int from ssh_keys where user_id = $1) as keys`,
      [id],
    );
    expect(left.rows).toEqual([{ names: 0, sessions: 0, browsers: 0, tokens: 0, keys: 0 }]);
    const { rows } = await world.root.query(
      `select 1 from tenant_memberships where user_id = $1 and deleted_at is null`,
      [id],
    );
    expect(rows).toEqual([]);
    expect((await act('POST', `users/${id}/enable`)).body.code).toBe('user_erased');
    const verified = await world.call('GET', '/api/v1/admin/audit-logs/verify', { as: operator });
    expect(verified.body, verified.text).toMatchObject({ intact: true });
    // Whoever signs in with the same name afterwards is somebody new.
    const again = await world.call('GET', '/api/v1/me', { as: await world.token('to-be-erased') });
    expect(again.body.id).not.toBe(id);
  });

  it('is not somebody whose organization would lose its only owner, or whose machines still run', async () => {
    const owner = await idOf(acme.subject);
    expect((await act('DELETE', `users/${owner}`)).body).toMatchObject({
      code: 'last_owner',
      details: { organization_ids: [acme.organizationId] },
    });
    const alone = await world.found('alone');
    const id = await idOf(alone.subject);
    const allocation = await putAllocation(world.root, alone, 'active');
    expect((await act('DELETE', `users/${id}`)).body).toMatchObject({
      code: 'user_has_allocations',
      details: { allocation_ids: [allocation] },
    });
  });
});

describe('platform roles', () => {
  it('are granted, listed and revoked, with who granted them and an audit row each', async () => {
    await world.join('new-operator', acme, 'viewer');
    const id = await idOf('new-operator');
    expect((await act('PUT', `users/${id}/roles/platform_ops`)).body.platform_roles).toEqual(['platform_ops']);
    const listed = (await read('platform-roles')).body.data.find((row: { user_id: string }) => row.user_id === id);
    expect(listed.roles).toMatchObject([{ role: 'platform_ops', granted_by: await idOf('operator') }]);
    const token = await world.token('new-operator');
    expect((await read('nodes', token)).status).toBe(200);
    expect((await act('DELETE', `users/${id}/roles/platform_ops`)).body.platform_roles).toEqual([]);
    expect((await read('nodes', token)).body.code).toBe('admin_required');
    expect((await act('DELETE', `users/${id}/roles/platform_ops`)).body.code).toBe('platform_role_not_found');
    const { rows } = await world.root.query(
      `select action from audit_logs where target_id = $1 and result = 'success' and action like 'platform_role.%' order by id`,
      [id],
    );
    expect(rows.map(({ action }) => action)).toEqual(['platform_role.grant', 'platform_role.revoke']);
  });

  it('never lose their last superadmin: not by revoking, disabling or erasing', async () => {
    const id = await idOf('operator');
    const refused = await Promise.all([
      act('DELETE', `users/${id}/roles/platform_superadmin`),
      act('POST', `users/${id}/disable`),
      act('DELETE', `users/${id}`),
    ]);
    expect(refused.map(({ body }) => body.code)).toEqual(['last_operator', 'last_operator', 'last_operator']);
    await expect(
      asSystem(world.root, 'delete from platform_role_bindings where user_id = $1', [id]),
    ).rejects.toMatchObject({ code: 'GP006' });
    await world.root.query('rollback');
  });

  it('never lose their last superadmin when all of them remove each other at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const names = ['operator', `second-${round}`, `third-${round}`];
      const tokens = await Promise.all(names.map((name) => world.operator(name)));
      const ids = await Promise.all(names.map(idOf));
      // Each removes the next one, in three ways at once.
      const replies = await Promise.all([
        act('DELETE', `users/${ids[1]}/roles/platform_superadmin`, tokens[0]),
        act('POST', `users/${ids[2]}/disable`, tokens[1]),
        act('DELETE', `users/${ids[0]}/roles/platform_superadmin`, tokens[2]),
      ]);
      const codes = replies.map(({ body }) => body.code as string | undefined);
      expect(codes).toContain(undefined);
      expect(codes).not.toContain('internal_error');
      const { rows } = await world.root.query(
        `select count(*)::int as n from platform_role_bindings b join users u on u.id = b.user_id
         where b.role = 'platform_superadmin' and b.deleted_at is null and u.disabled_at is null`,
      );
      expect(rows[0].n, JSON.stringify(codes)).toBeGreaterThan(0);
      await asSystem(
        world.root,
        `insert into platform_role_bindings (user_id, role) values ($1, 'platform_superadmin')
         on conflict (user_id, role) do update set deleted_at = null`,
        [ids[0]],
      );
    }
  });
});
