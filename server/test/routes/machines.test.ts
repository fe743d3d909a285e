import { isWrite, type Route, routes, type Scope, tenantRoles } from '@gpuaas/contract';
import { importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld, publicUrl, type Tenant, type World } from '../../src/testing/world.ts';
import { exampleOf, sentWith, urlOf } from './examples.ts';
import { createdBy } from './people-examples.ts';

/**
 * A machine that is bounded by an organization and one of its projects, with every scope that a machine can hold: of the
 * organization's other project it learns nothing, from no operation that it may call.
 */
let world: World;
let home: Tenant;
let hidden: Tenant;
let robot: string;
let robotId: string;

const open = routes.filter((route) => route.auth.kind === 'user' && route.auth.serviceAccounts === 'allowed');
const named = (list: readonly Route[]) =>
  list.map((route): [string, Route] => [`${route.method} ${route.path}`, route]);

beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  const post = async (path: string, body: object, as: string | undefined = home.token) => {
    const made = await world.call('POST', path, { ...(as && { as }), key: systemIds.next(), body });
    if (made.status >= 300) throw new Error(made.text);
    return made.body;
  };
  const organization = `/api/v1/organizations/${home.organizationId}`;
  const second = await post(`${organization}/projects`, { name: 'Nobody may know', slug: 'nobody-may-know' });
  hidden = { ...home, projectId: second.id };
  const scopes = [...new Set(open.map((route) => (route.auth as { readonly scope: Scope }).scope))];
  const { id } = await post(`${organization}/service-accounts`, {
    name: 'Robot',
    slug: 'robot',
    scopes: scopes.filter((scope) => tenantRoles.owner.includes(scope)),
    project_ids: [home.projectId],
  });
  robotId = id;
  const key = await post(`/api/v1/service-accounts/${id}/keys`, { name: 'First', expires_in_days: 7 });
  const assertion = await new SignJWT({ iss: id, sub: id, jti: systemIds.next() })
    .setAudience(`${publicUrl}/api/v1/auth/service-accounts/token`)
    .setProtectedHeader({ alg: 'ES256', kid: key.id })
    .setExpirationTime(Math.floor(world.now().getTime() / 1_000) + 60)
    .sign(await importJWK(key.private_key as JWK, 'ES256'));
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  robot = (await post('/api/v1/auth/service-accounts/token', { grant_type, assertion }, '')).access_token;
});
afterAll(() => world.close());

async function ask(route: Route, tenant: Tenant) {
  const example = await exampleOf(route, world, tenant);
  // A machine launches apps on allocations of its own, and changes what runs there.
  const { rows } = await world.root.query<{ id: string }>(
    'select allocation_id as id from app_instances where id = $1',
    [example.params?.['app_instance_id']],
  );
  const allocation = example.body?.['allocation_id'] ?? rows[0]?.id;
  if (typeof allocation === 'string') await createdBy(world, allocation, robotId);
  return world.call(route.method, urlOf(route, example), {
    as: robot,
    ...(isWrite(route) && { key: systemIds.next() }),
    ...sentWith(example),
    headers: route.tenancy.kind === 'header' ? { 'x-project-id': tenant.projectId } : {},
  });
}

describe('a machine of an organization, bounded to one project', () => {
  it.each(named(open))('may call %s there, and is shown nothing of the other project', async (_, route) => {
    const reply = await ask(route, home);
    // The allocation of the example belongs to a person, and a key is a way into it: a machine changes those of its own.
    if (route.id === 'allocation_set_ssh_keys') expect(reply.body).toMatchObject({ code: 'insufficient_permissions' });
    else expect(reply.status, reply.text).toBeLessThan(300);
    expect(reply.text).not.toContain(hidden.projectId);
    expect(reply.text).not.toContain('obody may know');
  });

  const ofProject = open.filter(({ tenancy }) => tenancy.kind === 'header' || tenancy.kind === 'owner-of');
  it.each(named(ofProject))('is told by %s that the other project does not exist', async (_, route) => {
    const reply = await ask(route, hidden);
    expect(reply.status, reply.text).toBe(404);
  });

  it('is not all there is: people see both projects', async () => {
    const { body } = await world.call('GET', `/api/v1/organizations/${home.organizationId}/projects`, {
      as: home.token,
    });
    const ids = body.data.map(({ id }: { id: string }) => id);
    expect(new Set(ids)).toEqual(new Set([home.projectId, hidden.projectId]));
  });
});
