import type { AdminUser } from '@gpuaas/sdk';

export type PlatformRole = AdminUser['platform_roles'][number];
export const roleName: Readonly<Record<PlatformRole, string>> = {
  platform_superadmin: 'superadmin',
  platform_ops: 'operator',
  platform_finance: 'finance',
  platform_support: 'support',
};
export const roleMeaning: Readonly<Record<PlatformRole, string>> = {
  platform_superadmin: 'can do everything, including granting roles',
  platform_ops: 'can manage the fleet, policies and people',
  platform_finance: 'can see tenants and their accounts, and give credit',
  platform_support: 'can see tenants, people and the fleet, and change nothing',
};
