import type { Member } from '@gpuaas/sdk';

export type Role = Member['role'];
export const roles: readonly (readonly [Role, string])[] = [
  ['finance', 'can see and pay the bills, and not what runs'],
  ['viewer', 'can see everything and change nothing'],
  ['member', 'can launch and release GPUs'],
  ['admin', 'can also manage people, projects and keys'],
  ['owner', 'can do everything, including deleting the organization'],
];

export const article = (role: Role): string =>
  role === 'finance' ? 'a finance person' : `${role === 'admin' || role === 'owner' ? 'an' : 'a'} ${role}`;

/** `A member can launch and release GPUs.` */
export const tellRole = (role: Role): string =>
  `${article(role)[0]?.toUpperCase()}${article(role).slice(1)} ${roles.find(([name]) => name === role)?.[1]}.`;
