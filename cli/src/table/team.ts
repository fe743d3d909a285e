import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';

const team = () => import('../commands/team.ts');
const limit: FlagSpec = { type: 'string', value: 'N', meaning: 'the most rows (default: 100)' };
const organization: FlagSpec = {
  type: 'string',
  value: 'ORGANIZATION',
  meaning: 'by id or slug (default: the one of the project)',
};
const scopes: FlagSpec = { type: 'string', value: 'SCOPE,…', meaning: 'what it may do' };
const days: FlagSpec = { type: 'string', value: 'N', meaning: 'for how many days it is good' };
const account: ArgSpec = { name: 'ID', meaning: 'a service account' };

export const teamwork: CommandGroup = {
  title: 'Team',
  commands: [
    {
      name: 'project list',
      summary: 'Your projects',
      flags: { limit },
      examples: ['gpuaas project list'],
      reads: true,
      load: async () => (await team()).projectList,
    },
    {
      name: 'project use',
      summary: 'Choose the project that commands are about',
      args: [{ name: 'PROJECT', meaning: 'by id or slug' }],
      examples: ['gpuaas project use vision'],
      load: async () => (await team()).projectUse,
    },
    {
      name: 'project create',
      summary: 'Make a project',
      args: [{ name: 'NAME', meaning: 'what people call it' }],
      flags: { slug: { type: 'string', value: 'SLUG', meaning: 'what programs call it' }, organization },
      examples: [
        'gpuaas project create Vision',
        'gpuaas project create "Deep vision" --slug vision --organization lab',
      ],
      load: async () => (await team()).projectCreate,
    },
    {
      name: 'member list',
      summary: 'Who belongs to the organization, or with -p to the project',
      flags: { organization, limit },
      examples: ['gpuaas member list --organization lab', 'gpuaas member list -p vision'],
      reads: true,
      load: async () => (await team()).memberList,
    },
    {
      name: 'member add',
      summary: 'Invite somebody by address, or give a member a role in a project',
      args: [{ name: 'WHO', meaning: 'an address, or the id of a member' }],
      flags: {
        role: {
          type: 'string',
          value: 'ROLE',
          choices: ['owner', 'admin', 'member', 'viewer'],
          meaning: 'what they may do (default: member)',
        },
        organization,
      },
      examples: ['gpuaas member add ada@example.com --role admin --organization lab'],
      load: async () => (await team()).memberAdd,
    },
    {
      name: 'member rm',
      summary: 'Take somebody out of the organization, or with -p of the project',
      args: [{ name: 'USER', meaning: 'the id of a member' }],
      flags: { organization },
      examples: ['gpuaas member rm 01a1dea2-0000-7000-8000-000000000000 --organization lab --yes'],
      load: async () => (await team()).memberRemove,
    },
    {
      name: 'token list',
      summary: 'Your tokens',
      flags: { limit },
      examples: ['gpuaas token list'],
      reads: true,
      load: async () => (await team()).tokenList,
    },
    {
      name: 'token create',
      summary: 'Make a token for a program that acts as you',
      args: [{ name: 'NAME', meaning: 'what it is for' }],
      flags: { scopes, days: { ...days, meaning: `${days.meaning} (default: 30)` } },
      examples: ['gpuaas token create ci --scopes allocations:read,allocations:write --days 7'],
      load: async () => (await team()).tokenCreate,
    },
    {
      name: 'token rm',
      summary: 'Revoke a token',
      args: [{ name: 'ID', meaning: 'as gpuaas token list shows it' }],
      examples: ['gpuaas token rm 01a1dea2-0000-7000-8000-000000000000 --yes'],
      load: async () => (await team()).tokenRemove,
    },
    {
      name: 'sa list',
      summary: 'Service accounts of the project',
      flags: { limit },
      examples: ['gpuaas sa list'],
      reads: true,
      load: async () => (await team()).accountList,
    },
    {
      name: 'sa get',
      summary: 'One service account',
      args: [account],
      examples: ['gpuaas sa get 01a1dea2-0000-7000-8000-000000000000'],
      reads: true,
      load: async () => (await team()).accountGet,
    },
    {
      name: 'sa create',
      summary: 'Make an identity for a machine',
      args: [{ name: 'NAME', meaning: 'what it is for' }],
      flags: { scopes },
      examples: ['gpuaas sa create trainer --scopes allocations:read,allocations:write'],
      load: async () => (await team()).accountCreate,
    },
    {
      name: 'sa disable',
      summary: 'Let it do nothing for now',
      args: [account],
      examples: ['gpuaas sa disable 01a1dea2-0000-7000-8000-000000000000'],
      load: async () => (await team()).accountDisable,
    },
    {
      name: 'sa enable',
      summary: 'Let it go on',
      args: [account],
      examples: ['gpuaas sa enable 01a1dea2-0000-7000-8000-000000000000'],
      load: async () => (await team()).accountEnable,
    },
    {
      name: 'sa rm',
      summary: 'Remove it for good',
      args: [account],
      examples: ['gpuaas sa rm 01a1dea2-0000-7000-8000-000000000000 --yes'],
      load: async () => (await team()).accountRemove,
    },
    {
      name: 'sa keys',
      summary: 'The keys that it proves itself with',
      args: [account],
      flags: { limit },
      examples: ['gpuaas sa keys 01a1dea2-0000-7000-8000-000000000000'],
      reads: true,
      load: async () => (await team()).accountKeys,
    },
    {
      name: 'sa key-add',
      summary: 'Make a key for it; the private half is shown this once',
      args: [account, { name: 'NAME', meaning: 'what the key is for' }],
      flags: { days: { ...days, meaning: `${days.meaning} (default: 90)` } },
      examples: ['gpuaas sa key-add 01a1dea2-0000-7000-8000-000000000000 runner > key.json'],
      load: async () => (await team()).accountKeyAdd,
    },
    {
      name: 'sa key-rm',
      summary: 'Revoke a key of it',
      args: [account, { name: 'KEY', meaning: 'as gpuaas sa keys shows it' }],
      examples: ['gpuaas sa key-rm 01a1dea2-0000-7000-8000-000000000000 01a1dea2-0000-7000-8000-000000000001'],
      load: async () => (await team()).accountKeyRemove,
    },
    {
      name: 'events tail',
      summary: 'What happens in the project, as it happens',
      flags: {
        types: { type: 'string', value: 'TYPE,…', meaning: 'only these' },
        about: { type: 'string', value: 'ID', meaning: 'only about this allocation' },
        after: { type: 'string', value: 'POSITION', meaning: 'from here on' },
        'no-follow': { type: 'boolean', meaning: 'only what is there already' },
      },
      examples: ['gpuaas events tail', 'gpuaas events tail --about @last -o ndjson'],
      reads: true,
      load: async () => (await import('../commands/events.ts')).tail,
    },
  ],
};
