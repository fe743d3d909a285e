/** What a caller may be allowed to do. Roles are sets of scopes; a token may narrow them, never widen. */
export const scopes = {
  'organizations:read': 'See organizations',
  'organizations:write': 'Create and change organizations',
  'organizations:delete': 'Delete organizations',
  'members:read': 'See who belongs to an organization or a project',
  'members:write': 'Invite people, change their roles and remove them',
  'membership:leave': 'Leave an organization',
  'profile:read': 'See your own profile and memberships',
  'profile:write': 'Change your own settings',
  'ssh_keys:read': 'See SSH keys',
  'ssh_keys:write': 'Add and remove SSH keys',
  'projects:read': 'See projects',
  'projects:write': 'Create, change and remove projects',
  'allocations:read': 'See allocations and their details',
  'allocations:write': 'Create, change and release allocations',
  'apps:read': 'See apps, their versions and what a project publishes',
  'apps:publish': 'Publish apps and versions, promote and retire them',
  'apps:admin': 'See every version of every app, and revoke the trust in one',
  'storage:read': 'See and fetch the files of a project',
  'storage:write': 'Store, change and delete files of a project, and share them',
  'usage:read': 'See what a project used and what it cost',
  'billing:read': 'See the balance, the ledger and the usage of an organization',
  'billing:write': 'Set the budgets of an organization',
  'billing:pay': 'Add to the balance of an organization by paying',
  'billing:admin': 'See every account and payment, give credit and send payments back',
  'activity:read': 'See who did what in a project',
  'audit:read': 'See and check the audit log of an organization',
  'audit:admin': 'See and check every audit log',
  'sessions:read': 'See your own sessions',
  'sessions:write': 'End your own sessions',
  'sessions:admin': 'See and end the sessions of any person',
  'tokens:read': 'See personal access tokens',
  'tokens:write': 'Create and revoke personal access tokens',
  'factors:read': 'See your own second factors',
  'factors:write': 'Add and remove your own second factors',
  'service_accounts:read': 'See service accounts and their keys',
  'service_accounts:write': 'Create, change and remove service accounts and their keys',
  'webhooks:read': 'See webhooks and what was posted to them',
  'webhooks:write': 'Create, change and remove webhooks',
  'policies:read': 'See which limits apply',
  'policies:admin': 'Set policies at every level',
  'fleet:read': 'See nodes, slots and what they report',
  'fleet:admin': 'Add, change and retire nodes, slots and SKUs',
  'organizations:admin': 'See every organization, its projects and its members',
  'users:read': 'See every person, their organizations and their roles on the platform',
  'users:admin': 'Disable, enable and erase people',
  'roles:admin': 'Give and revoke platform roles',
  'events:read': 'Search and watch the events of all tenants',
  'events:admin': 'Inspect, requeue and discard events that could not be delivered',
} as const;
export type Scope = keyof typeof scopes;

export type TenantRole = 'owner' | 'admin' | 'member' | 'viewer' | 'finance';
export type PlatformRole = 'platform_superadmin' | 'platform_ops' | 'platform_finance' | 'platform_support';

const viewer = [
  'organizations:read',
  'members:read',
  'membership:leave',
  'projects:read',
  'ssh_keys:read',
  'allocations:read',
  'apps:read',
  'storage:read',
  'usage:read',
  'activity:read',
  'policies:read',
  'service_accounts:read',
] as const satisfies readonly Scope[];
const member = [...viewer, 'allocations:write', 'apps:publish', 'storage:write'] as const satisfies readonly Scope[];
const admin = [
  ...member,
  'audit:read',
  'billing:read',
  'billing:write',
  'billing:pay',
  'organizations:write',
  'members:write',
  'projects:write',
  'ssh_keys:write',
  'service_accounts:write',
  'webhooks:read',
  'webhooks:write',
] as const satisfies readonly Scope[];

export const tenantRoles: Readonly<Record<TenantRole, readonly Scope[]>> = {
  owner: [...admin, 'organizations:delete'],
  admin,
  member,
  viewer,
  // Sees and pays the bills, with the names of projects and people in them, but not what runs.
  finance: [
    'organizations:read',
    'members:read',
    'membership:leave',
    'projects:read',
    'usage:read',
    'billing:read',
    'billing:write',
    'billing:pay',
  ],
};

const supporter = [
  'audit:admin',
  'fleet:read',
  'organizations:admin',
  'users:read',
  'events:read',
] as const satisfies readonly Scope[];
const operator = [
  ...supporter,
  'apps:admin',
  'events:admin',
  'policies:admin',
  'sessions:admin',
  'fleet:admin',
  'users:admin',
] as const satisfies readonly Scope[];

export const platformRoles: Readonly<Record<PlatformRole, readonly Scope[]>> = {
  platform_superadmin: [...operator, 'roles:admin', 'billing:admin'],
  platform_ops: operator,
  // Finance sees the tenants and their accounts, but not what they run.
  platform_finance: ['organizations:admin', 'billing:admin'],
  platform_support: supporter,
};

/** What every signed-in person may do with their own data, before belonging to any organization. */
export const selfScopes: readonly Scope[] = [
  'organizations:read',
  'organizations:write',
  'sessions:read',
  'sessions:write',
  'tokens:read',
  'tokens:write',
  'factors:read',
  'factors:write',
  'profile:read',
  'profile:write',
  'ssh_keys:read',
  'ssh_keys:write',
];
