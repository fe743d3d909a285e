import { type ErrorCode, errors } from './errors.ts';
import type { Route } from './route.ts';
import { type PlatformRole, platformRoles, type Scope, selfScopes, type TenantRole, tenantRoles } from './scopes.ts';

/** The people that every operation is tried with. Tenant roles are those in the organization that the request is about. */
export const personas = [
  'nobody',
  'stranger',
  'viewer',
  'member',
  'admin',
  'owner',
  'finance',
  'platform_support',
  'platform_finance',
  'platform_ops',
  'platform_superadmin',
] as const;
export type Persona = (typeof personas)[number];

/** The answer that the contract alone prescribes for one caller and one operation. */
export type Verdict = 'allowed' | ErrorCode;

const isPlatformRole = (persona: Persona): persona is PlatformRole & Persona => persona in platformRoles;
const isTenantRole = (persona: Persona): persona is TenantRole & Persona => persona in tenantRoles;
const holds = (scopes: readonly Scope[], wanted: Scope): boolean => scopes.includes(wanted);

/** Absent and foreign objects of a kind get the same answer. */
export function absentCode(route: Route): ErrorCode {
  const { tenancy } = route;
  const param = tenancy.kind === 'path' || tenancy.kind === 'owner-of' ? tenancy.param : 'project_id';
  const own = `${param.replace(/_id$/, '')}_not_found`;
  return own in errors ? (own as ErrorCode) : 'resource_not_found';
}

export function verdictOf(route: Route, persona: Persona): Verdict {
  const { auth, tenancy } = route;
  if (auth.kind === 'public') return 'allowed';
  if (persona === 'nobody') return 'token_missing';
  if (auth.kind === 'node') return 'token_invalid';
  if (auth.kind === 'admin') {
    if (!isPlatformRole(persona)) return 'admin_required';
    return holds(platformRoles[persona], auth.scope) ? 'allowed' : 'insufficient_permissions';
  }
  if (tenancy.kind === 'none') return 'allowed';
  if (tenancy.kind === 'self' || tenancy.kind === 'founds') {
    return holds(selfScopes, auth.scope) ? 'allowed' : 'insufficient_permissions';
  }
  // Operators have no role in an organization that they do not belong to.
  if (!isTenantRole(persona)) return absentCode(route);
  return holds(tenantRoles[persona], auth.scope) ? 'allowed' : 'insufficient_permissions';
}
