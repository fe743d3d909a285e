import { type TenantRole, tenantRoles } from '@gpuaas/contract';

/** The roles, in an organization or a project, that may put a key on an allocation. */
export const keyWriters = (Object.keys(tenantRoles) as TenantRole[]).filter((role) =>
  tenantRoles[role].includes('allocations:write'),
);
