import { describe, expect, it } from 'vitest';
import { verdictOf } from './authorisation.ts';
import { permissionsOf } from './permissions.ts';
import { routes } from './routes/index.ts';
import { type PlatformRole, platformRoles, type TenantRole, tenantRoles } from './scopes.ts';

const nobody = { platformRoles: [], tenantRoles: [], narrowed: undefined };
const listed = (person: Parameters<typeof permissionsOf>[1]) =>
  permissionsOf(routes, person).flatMap(({ operations }) => operations);
/** Every operation that needs a role or a sign-in, and that the table of authorisation allows to this persona. */
const allowed = (persona: TenantRole | PlatformRole) =>
  routes
    .filter(({ auth, tenancy }) => auth.kind === 'admin' || (auth.kind === 'user' && tenancy.kind !== 'none'))
    .filter((route) => verdictOf(route, persona) === 'allowed')
    .map(({ id }) => id);

describe('the operations that a person is told of', () => {
  it.each(Object.keys(tenantRoles) as TenantRole[])('are those that %s may call, and no others', (role) => {
    expect(listed({ ...nobody, tenantRoles: [role, role] }).sort()).toEqual(allowed(role).sort());
  });

  it.each(Object.keys(platformRoles) as PlatformRole[])('are those that %s may call, and no others', (role) => {
    expect(listed({ ...nobody, platformRoles: [role] }).sort()).toEqual(allowed(role).sort());
  });

  it('are about money alone for the finance role: no machines, keys, programs or activity', () => {
    const ofTenants = routes.filter(
      ({ id, tenancy }) => ['header', 'path', 'owner-of'].includes(tenancy.kind) && allowed('finance').includes(id),
    );
    const tags = new Set(ofTenants.map(({ tag }) => tag));
    expect([...tags].sort()).toEqual(['Billing', 'Departments', 'Members', 'Organizations', 'Payments', 'Projects']);
    expect(ofTenants.filter(({ id }) => /allocation|ssh|service_account|activity/.test(id))).toEqual([]);
  });

  it('never let support or operators see a payment or a card', () => {
    for (const route of routes.filter(({ tag }) => /Payment|Billing/.test(tag) && tag.startsWith('Admin'))) {
      for (const role of ['platform_support', 'platform_ops'] as const) {
        expect([route.id, role, verdictOf(route, role)]).toEqual([route.id, role, 'insufficient_permissions']);
      }
    }
  });

  it('are fewer with a token that has fewer scopes', () => {
    const person = { ...nobody, tenantRoles: ['owner'] as const, narrowed: new Set(['allocations:read']) };
    expect(permissionsOf(routes, person).map(({ role }) => role)).toEqual(['owner']);
    expect(listed(person)).toContain('allocation_list');
    expect(listed(person)).not.toContain('allocation_create');
  });
});
