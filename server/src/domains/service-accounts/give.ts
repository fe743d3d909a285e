import { type Scope, type TenantRole, tenantRoles } from '@gpuaas/contract';
import type { Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';

declare const proof: unique symbol;
/**
 * Says that whoever acts holds every scope of an account, with the token at hand. Only `mayGive` makes one, and nothing that
 * gives power to an account can be stored without: neither the account nor a key that acts as it.
 */
export interface MayGive {
  readonly scopes: readonly Scope[];
  readonly [proof]: 'checked';
}

/** Nobody gives away what they do not have themselves, with the token at hand. */
export function mayGive(who: Viewer, wanted: readonly Scope[]): MayGive | Fault<'insufficient_permissions'> {
  const held = tenantRoles[who.actorRole as TenantRole] ?? [];
  const narrowed = who.credential?.scopes;
  const more = wanted.filter((scope) => !held.includes(scope) || (narrowed && !narrowed.has(scope)));
  if (more.length === 0) return { scopes: wanted } as MayGive;
  return new Fault('insufficient_permissions', `You cannot give away what you do not have: ${more.join(', ')}.`, {
    beyond: more,
  });
}
