import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup } from '../command.ts';
import { because, limit, oneOf, userArg } from './words.ts';

const someId = '01a1dea2-0000-7000-8000-000000000000';
const role: ArgSpec = {
  name: 'ROLE',
  meaning: 'platform_superadmin, platform_ops, platform_finance or platform_support',
  field: 'role',
};
const columns = [
  'id',
  'username',
  'display_name',
  'subject',
  'state',
  'platform_roles',
  'organizations',
  'last_seen_at',
];

export const people: CommandGroup = {
  title: 'Operate: people',
  commands: [
    {
      name: 'ops user list',
      summary: 'People who have signed in',
      flags: {
        q: { type: 'string', value: 'TEXT', meaning: 'part of the subject or name, or a whole id' },
        state: oneOf('STATE', choices.user_list.state, 'only those in this state'),
        limit,
      },
      examples: ['gpuaas ops user list', 'gpuaas ops user list --q ada --state active'],
      operation: 'user_list',
      columns,
      none: 'No people match.',
      reads: true,
    },
    {
      name: 'ops user get',
      summary: 'One person, with organizations and credentials',
      args: [userArg],
      examples: [`gpuaas ops user get ${someId}`],
      operation: 'user_get',
      columns: [
        ...columns,
        'issuer',
        'disabled_at',
        'disabled_reason',
        'organization_list',
        'sessions',
        'personal_tokens',
        'ssh_keys',
        'allocations',
        'created_at',
      ],
      reads: true,
    },
    {
      name: 'ops user disable',
      summary: 'End all sessions and tokens of a person, and admit no new sign-in',
      args: [userArg],
      flags: { reason: because },
      examples: [`gpuaas ops user disable ${someId} --reason 'laptop was stolen' --yes`],
      operation: 'user_disable',
      columns,
      asks: 'Disable {}? All sessions end, and all personal tokens are revoked.',
    },
    {
      name: 'ops user enable',
      summary: 'Admit a person again',
      args: [userArg],
      flags: { reason: because },
      examples: [`gpuaas ops user enable ${someId} --reason 'laptop was found'`],
      operation: 'user_enable',
      columns,
    },
    {
      name: 'ops user delete',
      summary: 'Erase a person: names, memberships, keys, tokens and sessions',
      args: [userArg],
      flags: { reason: because },
      examples: [`gpuaas ops user delete ${someId} --reason 'asked to be forgotten' --yes`],
      operation: 'user_delete',
      columns,
      asks: 'Erase {}? This cannot be undone.',
    },
    {
      name: 'ops role list',
      summary: 'Who has a role on the platform',
      flags: { limit },
      examples: ['gpuaas ops role list'],
      operation: 'platform_role_list',
      columns: ['user_id', 'username', 'display_name', 'state', 'roles'],
      none: 'No platform roles are granted.',
      reads: true,
    },
    {
      name: 'ops role grant',
      summary: 'Give a person a role on the platform',
      args: [userArg, role],
      flags: { reason: because },
      examples: [`gpuaas ops role grant ${someId} platform_support --reason 'joined the support team' --yes`],
      operation: 'platform_role_grant',
      columns,
      asks: 'Make {} a {1}?',
    },
    {
      name: 'ops role revoke',
      summary: 'Take a role on the platform away',
      args: [userArg, role],
      flags: { reason: because },
      examples: [`gpuaas ops role revoke ${someId} platform_support --reason 'left the support team' --yes`],
      operation: 'platform_role_revoke',
      columns,
      asks: 'Take the role {1} away from {}?',
    },
  ],
};
