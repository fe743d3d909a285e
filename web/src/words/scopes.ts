import type { PersonalToken } from '@gpuaas/sdk';
import { counted } from './sizes.ts';

export type Scope = PersonalToken['scopes'][number];

/** Named sets of scopes, so that a person can make a token without knowing thirty scopes. */
export const scopeSets: readonly { readonly name: string; readonly lead: string; readonly scopes: readonly Scope[] }[] =
  [
    {
      name: 'Look',
      lead: 'See projects, allocations, keys and activity; change nothing.',
      scopes: ['organizations:read', 'projects:read', 'allocations:read', 'ssh_keys:read', 'activity:read'],
    },
    {
      name: 'Launch',
      lead: 'Read, launch and release GPUs.',
      scopes: [
        'organizations:read',
        'projects:read',
        'allocations:read',
        'allocations:write',
        'ssh_keys:read',
        'activity:read',
      ],
    },
    {
      name: 'Full access',
      lead: 'All of that, and manage your keys and projects.',
      scopes: [
        'organizations:read',
        'projects:read',
        'projects:write',
        'allocations:read',
        'allocations:write',
        'ssh_keys:read',
        'ssh_keys:write',
        'activity:read',
        'profile:read',
        'members:read',
      ],
    },
  ];
/** What a service account may be given in a project. */
export const machineSets = scopeSets.slice(0, 2);

/** `Launch`, where the rights are those of a set; else how many there are. */
export const nameScopes = (scopes: readonly string[]): string => {
  const same = ({ scopes: set }: (typeof scopeSets)[number]) =>
    set.length === scopes.length && set.every((scope) => scopes.includes(scope));
  return scopeSets.find(same)?.name ?? counted(scopes.length, 'right');
};
