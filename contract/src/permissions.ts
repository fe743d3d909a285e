import type { Route } from './route.ts';
import { type PlatformRole, platformRoles, type Scope, selfScopes, type TenantRole, tenantRoles } from './scopes.ts';

/** What gives a person the right to an operation: being signed in, a platform role, or a role in an organization. */
export const entitlements = ['self', 'platform', 'viewer', 'member', 'admin', 'owner', 'finance'] as const;
export type Entitlement = (typeof entitlements)[number];

export interface Permission {
  readonly role: Entitlement;
  readonly operations: string[];
}

/**
 * The operations that a person may call, by the source of the right. The mount decides each request by the same scopes.
 */
export function permissionsOf(
  routes: readonly Route[],
  person: {
    readonly platformRoles: readonly PlatformRole[];
    readonly tenantRoles: readonly TenantRole[];
    /** The scopes that a token keeps of the roles; undefined when it keeps all. */
    readonly narrowed: ReadonlySet<string> | undefined;
  },
): Permission[] {
  const held: readonly (readonly [Entitlement, readonly Scope[]])[] = [
    ['self', selfScopes],
    ['platform', person.platformRoles.flatMap((role) => platformRoles[role])],
    ...[...new Set(person.tenantRoles)].map((role) => [role, tenantRoles[role]] as const),
  ];
  return held.flatMap(([role, scopes]) => {
    const operations = routes.flatMap((route) => {
      const wanted = scopeFor(route, role);
      if (wanted === undefined || !scopes.includes(wanted)) return [];
      return person.narrowed === undefined || person.narrowed.has(wanted) ? [route.id] : [];
    });
    return operations.length > 0 ? [{ role, operations }] : [];
  });
}

/** The scope that a route requires, if this source of rights counts for the route. */
function scopeFor({ auth, tenancy }: Route, as: Entitlement): Scope | undefined {
  if (auth.kind === 'admin') return as === 'platform' ? auth.scope : undefined;
  if (auth.kind !== 'user' || tenancy.kind === 'none') return undefined;
  const isOwn = tenancy.kind === 'self' || tenancy.kind === 'founds';
  return isOwn === (as === 'self') && as !== 'platform' ? auth.scope : undefined;
}
