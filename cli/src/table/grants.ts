import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { allocation, because, limit } from './words.ts';

const someId = '01935a2c-0000-7000-8000-000000000001';
const own = () => import('../commands/ssh/grants.ts');
const columns = ['id', 'user_id', 'state', 'expires_at', 'ssh_key_id', 'reason'];
const grant: ArgSpec = { name: 'GRANT', meaning: 'as gpuaas grant list shows it', field: 'access_grant_id' };
const until: FlagSpec = {
  type: 'string',
  value: 'DURATION',
  meaning: 'how long from now, e.g. 4h or 2d (default: 4h)',
};
const platformKey: ArgSpec = {
  name: 'KIND',
  meaning: 'jump_host (its host key) or user_authority (what signs certificates)',
  field: 'kind',
};
const keyColumns = ['kind', 'number', 'state', 'fingerprint', 'created_at', 'used_from', 'retired_at'];

/** Who else may work in an allocation. */
export const grants: CommandGroup = {
  title: 'Grants',
  commands: [
    {
      name: 'grant list',
      summary: 'Who else may work in an allocation',
      args: [allocation],
      flags: {
        active: {
          type: 'string',
          value: 'true|false',
          as: 'truth',
          meaning: 'only those that work, or only ended ones',
        },
        limit,
      },
      examples: ['gpuaas grant list trainer', 'gpuaas grant list trainer --active true'],
      operation: 'access_grant_list',
      columns,
      none: 'Nobody else has a grant. gpuaas grant add makes one.',
      reads: true,
    },
    {
      name: 'grant add',
      summary: 'Let another member work in an allocation until a time',
      description:
        'The person may open terminals and SSH in it, and the keys of the person are installed. All of it ends with the grant, within seconds.',
      args: [allocation, { name: 'MEMBER', meaning: 'by id, user name or display name' }],
      flags: {
        for: until,
        key: { type: 'string', value: 'ID', meaning: 'install this key of the person alone' },
        reason: { type: 'string', value: 'TEXT', meaning: 'why; shown in the list' },
      },
      examples: ['gpuaas grant add trainer u20002 --for 4h --reason debugging'],
      load: async () => (await own()).grant,
    },
    {
      name: 'grant extend',
      summary: 'Change when a grant ends',
      args: [allocation, grant],
      flags: { for: until },
      examples: [`gpuaas grant extend trainer ${someId} --for 1d`],
      load: async () => (await own()).extend,
    },
    {
      name: 'grant revoke',
      summary: 'End a grant: its sessions and keys go within seconds',
      args: [allocation, grant],
      examples: [`gpuaas grant revoke trainer ${someId} --yes`],
      operation: 'access_grant_revoke',
      columns,
      asks: 'End the grant {}?',
    },
  ],
};

/** The SSH keys of the platform, for operators. */
export const platformKeys: CommandGroup['commands'] = [
  {
    name: 'ops ssh-key list',
    summary: 'The SSH keys of the platform: host keys of the jump host, and keys that sign certificates',
    examples: ['gpuaas ops ssh-key list'],
    operation: 'ssh_platform_key_list',
    columns: keyColumns,
    none: 'There are none: this installation has no terminal gateway, or no GPUAAS_SECRETS_KEY.',
    reads: true,
  },
  {
    name: 'ops ssh-key announce',
    summary: 'Make the next key: clients and machines learn it before it is used',
    args: [platformKey],
    flags: { reason: because },
    examples: ["gpuaas ops ssh-key announce jump_host --reason 'yearly rotation'"],
    operation: 'ssh_platform_key_announce',
    columns: keyColumns,
  },
  {
    name: 'ops ssh-key switch',
    summary: 'Use the announced key from now on, and retire the one before',
    args: [platformKey],
    flags: { reason: because },
    examples: ["gpuaas ops ssh-key switch jump_host --reason 'yearly rotation'"],
    operation: 'ssh_platform_key_switch',
    columns: keyColumns,
    asks: 'Switch to the announced key of {}? Clients that have not learnt it will refuse the jump host.',
  },
];
