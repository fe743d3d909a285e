import type { AdminUser } from '@gpuaas/sdk';

export type PlatformRole = AdminUser['platform_roles'][number];
export const roleName: Readonly<Record<PlatformRole, string>> = {
  platform_superadmin: 'superadmin',
  platform_ops: 'operator',
  platform_finance: 'finance',
  platform_support: 'support',
};
export const roleMeaning: Readonly<Record<PlatformRole, string>> = {
  platform_superadmin: 'may do everything, and gives roles to others',
  platform_ops: 'operates the fleet, policies and people',
  platform_finance: 'looks after money',
  platform_support: 'looks at tenants, people and the fleet, and changes nothing',
};
