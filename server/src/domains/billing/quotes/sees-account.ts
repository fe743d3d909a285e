import { tenantRoles } from '@gpuaas/contract';
import type { Viewer } from '../../../kernel/act.ts';

/** Whether the caller may see the account of the organization: by role, unless the token narrows it. */
export function seesAccount({ actorRole, credential }: Viewer): boolean {
  const scopes: readonly string[] = Object.hasOwn(tenantRoles, actorRole)
    ? tenantRoles[actorRole as keyof typeof tenantRoles]
    : [];
  return scopes.includes('billing:read') && (credential?.scopes?.has('billing:read') ?? true);
}
