import { type Scope, type TenantRole, tenantRoles } from '@gpuaas/contract';
import type { Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';

declare const proof: unique symbol;
/**
 * Proves that the caller holds every one of these scopes, with the token of this request. Only `grantScopes` makes one, and the
 * store asks for it before it writes an account or a key of an account.
 */
export interface ScopeGrant {
  readonly scopes: readonly Scope[];
  readonly [proof]: 'checked';
}

/** Stops a write that gives away more than was checked. It is a fault of ours, not of the caller. */
export function expectCovered(grant: ScopeGrant, scopes: readonly Scope[]): void {
  const unchecked = scopes.filter((scope) => !grant.scopes.includes(scope));
  if (unchecked.length > 0) throw new Error(`nobody checked whether the caller holds ${unchecked.join(', ')}`);
}

/** A caller can grant only the scopes that both their role and their token hold. */
export function grantScopes(who: Viewer, wanted: readonly Scope[]): ScopeGrant | Fault<'insufficient_permissions'> {
  const held = tenantRoles[who.actorRole as TenantRole] ?? [];
  const narrowed = who.credential?.scopes;
  const more = wanted.filter((scope) => !held.includes(scope) || (narrowed && !narrowed.has(scope)));
  if (more.length === 0) return { scopes: wanted } as ScopeGrant;
  return new Fault('insufficient_permissions', `You cannot give away what you do not have: ${more.join(', ')}.`, {
    beyond: more,
  });
}
