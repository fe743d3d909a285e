import { policies } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Reply, type Tenant, type World } from '../../testing/world.ts';

let world: World;
let home: Tenant;
const clock = makeTestClock(new Date());
/** Time stands still in this world: however long somebody waits, only the announcement can change the answer. */
const patience = { timeout: 10_000 };
beforeAll(async () => {
  world = await openWorld({ clock });
  home = await world.found('home');
});
afterAll(() => world.close());

const send = (as: string, method: string, path: string, body?: object): Promise<Reply> =>
  world.call(method, `/api/v1/${path}`, { as, key: systemIds.next(), ...(body && { body }) });
const idOf = async (token: string): Promise<string> => (await world.call('GET', '/api/v1/me', { as: token })).body.id;
const somebody = async (name: string, tenant: Tenant, role: string) => {
  const token = await world.join(name, tenant, role);
  return { token, id: await idOf(token) };
};
const members = (tenant: Tenant, id?: string) =>
  `organizations/${tenant.organizationId}/members${id === undefined ? '' : `/${id}`}`;
const freshTenant = () => world.found(`t-${systemIds.next().slice(-12)}`);

describe('members of an organization', () => {
  it('are listed page by page, with the role of each', async () => {
    const tenant = await freshTenant();
    await somebody('list-admin', tenant, 'admin');
    await somebody('list-viewer', tenant, 'viewer');
    const seen: { role: string; username: string }[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: Reply = await world.call(
        'GET',
        `/api/v1/${members(tenant)}?limit=2${cursor && `&cursor=${cursor}`}`,
        { as: tenant.token },
      );
      seen.push(...body.data);
      cursor = body.next_cursor;
    }
    expect(seen.map(({ role }) => role).sort()).toEqual(['admin', 'owner', 'viewer']);
    expect(seen.find(({ role }) => role === 'admin')?.username).toMatch(/^u\d+$/);
  });

  it('lose and gain rights with the next request, also in a process that only hears of it', async () => {
    const tenant = await freshTenant();
    const { token, id } = await somebody('riser', tenant, 'viewer');
    const rename = (as: string) => send(as, 'PATCH', `organizations/${tenant.organizationId}`, { name: 'Renamed' });
    expect((await rename(token)).status).toBe(403);
    // Each announcement has to be over before the next change is made behind its back.
    let announced = 0;
    const ear = await world.database.listen('gpuaas_tenancy', () => {
      announced += 1;
    });
    expect((await send(tenant.token, 'PATCH', members(tenant, id), { role: 'admin' })).status).toBe(200);
    expect((await rename(token)).status).toBe(200);
    await expect.poll(() => announced, patience).toBe(1);
    expect((await rename(token)).status).toBe(200);
    // Another process changes the role: this one only hears the announcement.
    const quietly = (role: string) =>
      asSystem(world.root, 'update tenant_memberships set role = $2 where user_id = $1', [id, role]);
    await quietly('viewer');
    expect((await rename(token)).status).toBe(200);
    await world.root.query('notify gpuaas_tenancy');
    await expect.poll(() => announced, patience).toBe(2);
    expect((await rename(token)).status).toBe(403);
    await ear.close();
    // The announcement is lost: five seconds later it does not matter.
    await quietly('admin');
    expect((await rename(token)).status).toBe(403);
    await clock.advance(5_001);
    expect((await rename(token)).status).toBe(200);
  });

  it('cannot be made or unmade owners by an admin', async () => {
    const tenant = await freshTenant();
    const admin = await somebody('ambitious', tenant, 'admin');
    const friend = await somebody('friend', tenant, 'member');
    const owner = await idOf(tenant.token);
    for (const reply of [
      await send(admin.token, 'PATCH', members(tenant, friend.id), { role: 'owner' }),
      await send(admin.token, 'PATCH', members(tenant, owner), { role: 'viewer' }),
      await send(admin.token, 'DELETE', members(tenant, owner)),
      await send(admin.token, 'POST', `organizations/${tenant.organizationId}/invitations`, {
        email: 'x@example.test',
        role: 'owner',
      }),
    ]) {
      expect(reply).toMatchObject({ status: 403, body: { code: 'ownership_required' } });
      // A refusal by rule is written down like any other.
      await expect
        .poll(
          async () =>
            (
              await world.root.query(
                'select action, result, organization_id from audit_logs where correlation_id = $1',
                [reply.body.correlation_id],
              )
            ).rows,
          patience,
        )
        .toEqual([{ action: 'authz.deny', result: 'failure', organization_id: tenant.organizationId }]);
    }
  });

  it('do not lift themselves, and those without the right change nobody', async () => {
    const tenant = await freshTenant();
    const admin = await somebody('lifter', tenant, 'admin');
    const member = await somebody('plain', tenant, 'member');
    expect(await send(admin.token, 'PATCH', members(tenant, admin.id), { role: 'owner' })).toMatchObject({
      status: 403,
    });
    expect(await send(member.token, 'PATCH', members(tenant, admin.id), { role: 'viewer' })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_permissions' },
    });
    expect((await send(admin.token, 'PATCH', members(tenant, admin.id), { role: 'member' })).status).toBe(200);
  });

  it('always include an owner: the last one is neither removed nor demoted', async () => {
    const tenant = await freshTenant();
    const owner = await idOf(tenant.token);
    for (const reply of [
      await send(tenant.token, 'DELETE', members(tenant, owner)),
      await send(tenant.token, 'PATCH', members(tenant, owner), { role: 'admin' }),
    ]) {
      expect(reply).toMatchObject({ status: 409, body: { code: 'last_owner' } });
    }
  });

  it('keep one owner when two owners demote each other at once', async () => {
    const tenant = await freshTenant();
    const first = await idOf(tenant.token);
    const second = await somebody('second-owner', tenant, 'owner');
    const statuses = (
      await Promise.all([
        send(tenant.token, 'PATCH', members(tenant, second.id), { role: 'viewer' }),
        send(second.token, 'PATCH', members(tenant, first), { role: 'viewer' }),
      ])
    ).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 403]);
    const { rows } = await world.root.query(
      `select count(*)::int as owners from tenant_memberships where organization_id = $1 and role = 'owner'`,
      [tenant.organizationId],
    );
    expect(rows).toEqual([{ owners: 1 }]);
  });

  it('who are removed see nothing, and come back by invitation without the roles of old in projects', async () => {
    const tenant = await freshTenant();
    const { token, id } = await somebody('comes-back', tenant, 'member');
    const project = `projects/${tenant.projectId}`;
    expect((await send(tenant.token, 'PUT', `${project}/members/${id}`, { role: 'admin' })).status).toBe(200);
    expect((await send(token, 'PATCH', project, { name: 'Mine to name' })).status).toBe(200);
    expect((await send(tenant.token, 'DELETE', members(tenant, id))).status).toBe(200);
    expect((await world.call('GET', `/api/v1/${project}`, { as: token })).status).toBe(404);
    const invited = await send(tenant.token, 'POST', `organizations/${tenant.organizationId}/invitations`, {
      email: 'Back@Example.test',
      role: 'viewer',
    });
    expect(invited.body).toMatchObject({ email: 'back@example.test', state: 'pending' });
    expect((await send(token, 'POST', 'invitations/accept', { token: invited.body.token })).body.role).toBe('viewer');
    expect((await world.call('GET', `/api/v1/${project}`, { as: token })).status).toBe(200);
    expect((await send(token, 'PATCH', project, { name: 'No more' })).status).toBe(403);
  });
});

describe('a role in a project', () => {
  it('counts there when it is higher, and nowhere else', async () => {
    const tenant = await freshTenant();
    const { token, id } = await somebody('local-admin', tenant, 'viewer');
    const other = await send(tenant.token, 'POST', `organizations/${tenant.organizationId}/projects`, {
      name: 'Other',
      slug: 'other',
    });
    await send(tenant.token, 'PUT', `projects/${tenant.projectId}/members/${id}`, { role: 'admin' });
    expect((await send(token, 'PATCH', `projects/${tenant.projectId}`, { name: 'Here' })).status).toBe(200);
    expect((await send(token, 'PATCH', `projects/${other.body.id}`, { name: 'There' })).status).toBe(403);
    expect((await send(token, 'PATCH', `organizations/${tenant.organizationId}`, { name: 'All' })).status).toBe(403);
    const listed = await world.call('GET', `/api/v1/projects/${tenant.projectId}/members`, { as: token });
    expect(listed.body.data).toMatchObject([{ user_id: id, role: 'admin' }]);
    await send(tenant.token, 'DELETE', `projects/${tenant.projectId}/members/${id}`);
    expect((await send(token, 'PATCH', `projects/${tenant.projectId}`, { name: 'Here' })).status).toBe(403);
  });

  it('does not lower what the organization gives', async () => {
    const tenant = await freshTenant();
    const { token, id } = await somebody('stays-admin', tenant, 'admin');
    await send(tenant.token, 'PUT', `projects/${tenant.projectId}/members/${id}`, { role: 'viewer' });
    expect((await send(token, 'PATCH', `projects/${tenant.projectId}`, { name: 'Still' })).status).toBe(200);
  });

  it('of an owner is not an admin’s to give, and only members of the organization get one', async () => {
    const tenant = await freshTenant();
    const admin = await somebody('no-owner-maker', tenant, 'admin');
    const member = await somebody('not-owner', tenant, 'member');
    const path = (id: string) => `projects/${tenant.projectId}/members/${id}`;
    expect(await send(admin.token, 'PUT', path(member.id), { role: 'owner' })).toMatchObject({
      status: 403,
      body: { code: 'ownership_required' },
    });
    expect(await send(admin.token, 'PUT', path(admin.id), { role: 'owner' })).toMatchObject({ status: 403 });
    const stranger = await idOf(home.token);
    expect(await send(admin.token, 'PUT', path(stranger), { role: 'viewer' })).toMatchObject({
      status: 404,
      body: { code: 'member_not_found' },
    });
  });
});

describe('departments', () => {
  const departments = (tenant: Tenant) => `organizations/${tenant.organizationId}/departments`;

  it('begin with exactly one default, which takes projects that name none and cannot be disabled', async () => {
    const tenant = await freshTenant();
    const { body } = await world.call('GET', `/api/v1/${departments(tenant)}`, { as: tenant.token });
    expect(body.data).toMatchObject([{ is_default: true, state: 'active', slug: 'default' }]);
    const [only] = body.data;
    const project = await world.call('GET', `/api/v1/projects/${tenant.projectId}`, { as: tenant.token });
    expect(project.body.department_id).toBe(only.id);
    expect(await send(tenant.token, 'PATCH', `${departments(tenant)}/${only.id}`, { state: 'disabled' })).toMatchObject(
      {
        status: 409,
        body: { code: 'department_is_default' },
      },
    );
    const second = `insert into departments (id, organization_id, name, slug, is_default)
      values (gen_random_uuid(), $1, 'Second', 'second', true)`;
    await expect(world.root.query(second, [tenant.organizationId])).rejects.toThrow();
  });

  it('are renamed, disabled and enabled; a disabled one takes no new project', async () => {
    const tenant = await freshTenant();
    const made = await send(tenant.token, 'POST', departments(tenant), { name: 'Research', slug: 'research' });
    expect(made).toMatchObject({ status: 201, body: { is_default: false, version: 1 } });
    expect(await send(tenant.token, 'POST', departments(tenant), { name: 'Again', slug: 'research' })).toMatchObject({
      status: 409,
      body: { code: 'department_slug_taken' },
    });
    const one = `${departments(tenant)}/${made.body.id}`;
    const create = (slug: string, department: string) =>
      send(tenant.token, 'POST', `organizations/${tenant.organizationId}/projects`, {
        name: slug,
        slug,
        department_id: department,
      });
    expect((await create('a', made.body.id)).body.department_id).toBe(made.body.id);
    const both = await send(tenant.token, 'PATCH', one, { name: 'Old research', state: 'disabled', version: 1 });
    expect(both.body).toMatchObject({ name: 'Old research', state: 'disabled', version: 3 });
    expect(await send(tenant.token, 'PATCH', one, { name: 'Late', version: 1 })).toMatchObject({ status: 409 });
    expect(await create('b', made.body.id)).toMatchObject({ status: 409, body: { code: 'department_disabled' } });
    const foreign = await world.call('GET', `/api/v1/${departments(home)}`, { as: home.token });
    expect(await create('c', foreign.body.data[0].id)).toMatchObject({
      status: 404,
      body: { code: 'department_not_found' },
    });
    await send(tenant.token, 'PATCH', one, { state: 'active' });
    expect((await create('b', made.body.id)).status).toBe(201);
  });
});

describe('a department that many change at once', () => {
  it('is changed by one of those who saw the same version', async () => {
    const tenant = await freshTenant();
    const path = `organizations/${tenant.organizationId}/departments`;
    const { body } = await send(tenant.token, 'POST', path, { name: 'Crowded', slug: 'crowded' });
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        send(tenant.token, 'PATCH', `${path}/${body.id}`, { name: `Name ${n}`, version: 1 }),
      ),
    );
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(409)]);
  });
});

describe('an organization', () => {
  it('is deleted by an owner when no project is left, and everything under it is gone', async () => {
    const tenant = await freshTenant();
    const admin = await somebody('not-the-owner', tenant, 'admin');
    const path = `organizations/${tenant.organizationId}`;
    expect(await send(admin.token, 'DELETE', path)).toMatchObject({ status: 403 });
    expect(await send(tenant.token, 'DELETE', path)).toMatchObject({
      status: 409,
      body: { code: 'organization_not_empty' },
    });
    const invited = await send(tenant.token, 'POST', `${path}/invitations`, { email: 'a@b.test', role: 'member' });
    await world.root.query('begin');
    await world.root.query(`select set_config('gpuaas.act', $1, true), set_config('gpuaas.audited', $1, true)`, [
      systemIds.next(),
    ]);
    for (const state of ['removing', 'deleted']) {
      await world.root.query('update projects set state = $2, version = version + 1 where id = $1', [
        tenant.projectId,
        state,
      ]);
    }
    await world.root.query('commit');
    expect((await send(tenant.token, 'DELETE', path)).status).toBe(200);
    for (const under of ['', '/members', '/departments', '/invitations', '/projects']) {
      expect((await world.call('GET', `/api/v1/${path}${under}`, { as: tenant.token })).status, under).toBe(404);
    }
    const me = await world.call('GET', '/api/v1/me', { as: tenant.token });
    expect(me.body.organizations).toEqual([]);
    const late = await send(home.token, 'POST', 'invitations/accept', { token: invited.body.token });
    expect(late).toMatchObject({ status: 404, body: { code: 'invitation_invalid' } });
  });
});

describe('oneself', () => {
  it('is told with roles, organizations, default project and a lasting identity on hosts', async () => {
    const tenant = await freshTenant();
    const { body } = await world.call('GET', '/api/v1/me', { as: tenant.token });
    expect(body).toMatchObject({
      platform_roles: [],
      organizations: [{ id: tenant.organizationId, role: 'owner' }],
      default_project_id: null,
    });
    expect(body.posix.uid).toBeGreaterThan(20_000);
    expect(body.posix).toMatchObject({ gid: body.posix.uid, username: expect.stringMatching(/^[a-z][a-z0-9-]*$/) });
    const operator = await world.call('GET', '/api/v1/me', { as: await world.operator() });
    expect(operator.body.platform_roles).toEqual(['platform_superadmin']);
  });

  it('chooses a default project among its own, which is forgotten with the membership', async () => {
    const tenant = await freshTenant();
    const { token, id } = await somebody('chooser', tenant, 'viewer');
    const choose = (project: string) => send(token, 'PUT', 'me/default-project', { project_id: project });
    const chosen = async () => (await world.call('GET', '/api/v1/me/default-project', { as: token })).body.project_id;
    expect(await choose(home.projectId)).toMatchObject({ status: 404, body: { code: 'project_not_found' } });
    expect((await choose(tenant.projectId)).body).toEqual({ project_id: tenant.projectId });
    expect(await chosen()).toBe(tenant.projectId);
    await send(tenant.token, 'DELETE', members(tenant, id));
    expect(await chosen()).toBeNull();
  });

  it.each([
    ['Ada.Lovelace@example.com'],
    ['018f0000-0000-7000-8000-000000000000'],
    ['42|numbers'],
    ['root'],
    [`a${'-'.repeat(80)}`],
    ['x; rm -rf /'],
  ])('is called on hosts by a number, whatever its subject says: %s', async (subject) => {
    const { body } = await world.call('GET', '/api/v1/me', { as: await world.token(subject) });
    expect(body.posix.username).toBe(`u${body.posix.uid}`);
  });

  it('gets its number from where the policy says, and keeps the one it has', async () => {
    const early = await world.token('early');
    const uid = async (as: string) => (await world.call('GET', '/api/v1/me', { as })).body.posix.uid;
    const before = await uid(early);
    expect(policies.find(({ key }) => key === 'tenancy.posix_uid_base')?.default).toBe(20_000);
    const set = await send(await world.operator(), 'PUT', 'admin/policies/tenancy.posix_uid_base', {
      level: 'global',
      value: 700_000,
      reason: 'another range',
    });
    expect(set.status, set.text).toBe(200);
    const later = await uid(await world.token('later'));
    expect([before, later].map((number) => Math.floor(number / 10_000))).toEqual([2, 70]);
    expect(await uid(early)).toBe(before);
  });
});
