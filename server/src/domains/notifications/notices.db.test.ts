import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';

let world: World;
let home: Tenant;
let other: Tenant;
let member: string;
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  other = await world.found('other');
  member = await world.join('member', home, 'member');
});
afterAll(() => world.close());

const list = (as: string, tenant = home, query = '') =>
  world.call('GET', `/api/v1/notices${query}`, { as, headers: { 'x-project-id': tenant.projectId } });
const readUntil = (as: string, until: string) =>
  world.call('PUT', '/api/v1/me/notices-read', { as, key: systemIds.next(), body: { until } });
/** Something happens in the project that is worth a notice. */
async function giveRole(role: 'viewer' | 'admin'): Promise<void> {
  const { rows } = await world.root.query('select id from users where oidc_subject = $1', [decodeJwt(member).sub]);
  const path = `/api/v1/projects/${home.projectId}/members/${rows[0].id}`;
  const made = await world.call('PUT', path, { as: home.token, key: systemIds.next(), body: { role } });
  expect(made.status).toBe(200);
}

describe('notices', () => {
  it('tell what happened in a project, newest first, and each reader what they have read', async () => {
    await giveRole('viewer');
    await giveRole('admin');
    const first = await list(member);
    expect(first.body.data).toMatchObject([
      { type: 'tenancy.project_member.changed', read: false, payload: { role: 'admin' } },
      { type: 'tenancy.project_member.changed', read: false, payload: { role: 'viewer' } },
    ]);
    const [latest, earlier] = first.body.data;
    await readUntil(member, earlier.at);
    const read = async (as: string) => (await list(as)).body.data.map((notice: { read: boolean }) => notice.read);
    expect(await read(member)).toEqual([false, true]);
    expect(await read(home.token)).toEqual([false, false]);
    await readUntil(member, latest.at);
    expect(await read(member)).toEqual([true, true]);
    // It never moves back.
    await readUntil(member, earlier.at);
    expect(await read(member)).toEqual([true, true]);
  });

  it('come in pages', async () => {
    const page = await list(member, home, '?limit=1');
    expect(page.body).toMatchObject({ has_more: true, data: [{ payload: { role: 'admin' } }] });
    const next = await list(member, home, `?limit=1&cursor=${page.body.next_cursor}`);
    expect(next.body).toMatchObject({ has_more: false, data: [{ payload: { role: 'viewer' } }] });
  });

  it('stay within the project', async () => {
    expect((await list(other.token, other)).body.data).toEqual([]);
    expect((await list(other.token)).status).toBe(404);
  });

  it('that are yet to come cannot be read ahead', async () => {
    await readUntil(home.token, '2999-01-01T00:00:00Z');
    await giveRole('viewer');
    expect((await list(home.token)).body.data[0]).toMatchObject({ read: false, payload: { role: 'viewer' } });
  });
});

describe('the activity of a project', () => {
  it('can leave out what the machinery did and what changed nothing', async () => {
    const ask = async (query: string) => {
      const path = `/api/v1/activity${query}`;
      const { body } = await world.call('GET', path, { as: home.token, headers: { 'x-project-id': home.projectId } });
      return (body.data as { action: string; actor_role: string }[]).map(({ action }) => action);
    };
    expect(await ask('?actors=people')).toContain('project_member.set');
    expect((await ask('?actors=people')).filter((action) => action === 'allocation.plan')).toEqual([]);
    expect(await ask('')).toEqual(expect.arrayContaining(await ask('?actors=people')));
  });
});

describe('the name of a person', () => {
  it('is chosen by themselves, seen by those who share an organization, and taken back', async () => {
    const set = (display_name: string | null) =>
      world.call('PATCH', '/api/v1/me', { as: member, key: systemIds.next(), body: { display_name } });
    const names = async () => {
      const path = `/api/v1/organizations/${home.organizationId}/members`;
      const { body } = await world.call('GET', path, { as: home.token });
      return (body.data as { display_name: string | null }[]).map((each) => each.display_name);
    };
    expect(await names()).toEqual([null, null]);
    expect((await set('Mara <b>שלום</b>')).body).toEqual({ display_name: 'Mara <b>שלום</b>' });
    expect(await names()).toContain('Mara <b>שלום</b>');
    expect((await world.call('GET', '/api/v1/me', { as: member })).body.display_name).toBe('Mara <b>שלום</b>');
    expect((await set('two\nlines')).status).toBe(400);
    await set(null);
    expect(await names()).toEqual([null, null]);
  });
});
