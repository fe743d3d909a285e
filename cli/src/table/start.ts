import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { allocation, reason, timeout } from './words.ts';

/** What to start, as everything that starts something takes it. */
export const wish: ArgSpec = { name: 'SKU[xN]', meaning: 'what to start, and how many GPUs of it', field: 'sku' };
export const launchFlags: Readonly<Record<string, FlagSpec>> = {
  count: { type: 'string', value: 'N', as: 'number', field: 'gpus', meaning: 'how many GPUs' },
  region: { type: 'string', value: 'REGION', meaning: 'where (default: where most of it is free)' },
  name: { type: 'string', value: 'NAME', meaning: 'a name of your own' },
  image: { type: 'string', value: 'IMAGE', meaning: 'the operating system (default: the first that suits)' },
  'ssh-key': {
    type: 'string',
    value: 'KEY',
    many: true,
    as: 'keys',
    field: 'ssh_key_ids',
    meaning: 'who may enter, by name, id or fingerprint',
  },
  for: {
    type: 'string',
    value: 'TIME',
    as: 'seconds',
    field: 'max_duration_seconds',
    meaning: 'release it after this long: 30m, 3h, 2d (default: until you release it)',
  },
  'idle-stop': {
    type: 'string',
    value: 'TIME',
    as: 'minutes',
    field: 'idle.minutes',
    meaning: 'release it when its GPUs were idle for this long',
  },
  queue: {
    type: 'string',
    value: 'TIME',
    as: 'seconds',
    field: 'queue.max_wait_seconds',
    meaning: 'wait in the queue this long when nothing is available',
  },
  tag: {
    type: 'string',
    value: 'KEY=VALUE',
    many: true,
    as: 'pairs',
    field: 'tags',
    meaning: 'a word of your own to find it by',
  },
};

export const start: CommandGroup = {
  title: 'Start here',
  commands: [
    {
      name: 'login',
      summary: 'Sign in',
      description:
        'Sign in: with the browser of this machine, or where there is none with a code that is typed into another one.',
      flags: {
        browser: { type: 'boolean', meaning: 'with the browser of this machine' },
        device: { type: 'boolean', meaning: 'with a code, in a browser anywhere' },
        token: { type: 'string', value: '-', meaning: 'with a token that is read from standard input' },
        'step-up': { type: 'boolean', meaning: 'prove anew who you are, for an operation that asks for it' },
        'second-factor': {
          type: 'boolean',
          meaning: 'the same with a second factor, which is set up if there is none',
        },
      },
      examples: [
        'gpuaas login',
        'gpuaas login --base-url https://gpu.example.com --profile work',
        'gpuaas login --device',
        'gpuaas login --token - < token.txt',
      ],
      load: async () => (await import('../commands/login.ts')).login,
    },
    {
      name: 'launch',
      summary: 'Show a plan with its price, ask, and start GPUs',
      description:
        'Show what would be started and what it costs, ask, start it, and follow every step until it can be used. In a pipe the answer is the id; -o ndjson answers an object for each step.',
      args: [wish],
      flags: {
        ...launchFlags,
        detach: { type: 'boolean', short: 'd', meaning: 'do not wait until it is active' },
        timeout,
      },
      examples: [
        'gpuaas launch h200-sxm-slice --for 3h --idle-stop 30m',
        'gpuaas launch h200-sxm-slice --count 2 --name trainer --ssh-key laptop --tag team=vision',
        'id=$(gpuaas launch h200-sxm-slice --for 1h --yes)',
        'gpuaas launch h200x8 --queue 2h --yes --detach',
      ],
      operation: 'allocation_create',
      gives: { 'idle.action': 'release' },
      load: async () => (await import('../commands/launch.ts')).launch,
    },
    {
      name: 'status',
      summary: 'One screen: who, which project, what runs, what needs a look',
      examples: ['gpuaas status', 'gpuaas status -o json'],
      reads: true,
      load: async () => (await import('../commands/status.ts')).status,
    },
    {
      name: 'overview',
      summary: 'The project at a glance: counts, hourly price, queue and recent activity',
      examples: ['gpuaas overview', 'gpuaas overview --json running,states'],
      operation: 'overview_get',
      columns: [
        ...['running.allocations', 'running.gpus', 'running.per_hour', 'queued', 'states', 'unread_notices'],
        ...['gpu_quota.held', 'gpu_quota.limit'],
      ],
      reads: true,
    },
    {
      name: 'release',
      summary: 'Release GPUs',
      args: [allocation],
      flags: {
        reason,
        wait: { type: 'boolean', meaning: 'until it is released and wiped' },
        timeout,
      },
      examples: ['gpuaas release trainer', 'gpuaas release @last --yes --wait'],
      operation: 'allocation_release',
      load: async () => (await import('../commands/alloc.ts')).release,
    },
    {
      name: 'ssh',
      summary: 'Enter an allocation, or run a command on it',
      args: [allocation, { name: 'COMMAND', optional: true, meaning: 'what to run there, instead of a shell' }],
      flags: {
        identity: { type: 'string', short: 'i', value: 'FILE', meaning: 'the private key to show' },
        print: { type: 'boolean', meaning: 'only show the line' },
      },
      examples: ['gpuaas ssh trainer', "gpuaas ssh @last 'nvidia-smi -L'", 'gpuaas ssh trainer --print'],
      load: async () => (await import('../commands/ssh.ts')).ssh,
    },
    {
      name: 'open',
      summary: 'Show it in the console, in a browser',
      args: [{ ...allocation, optional: true, meaning: 'an allocation (default: the first page)' }],
      flags: { print: { type: 'boolean', meaning: 'only show the address' } },
      examples: ['gpuaas open', 'gpuaas open trainer'],
      reads: true,
      load: async () => (await import('../commands/open.ts')).open,
    },
    {
      name: 'why',
      summary: 'Say why an allocation is as it is, with the evidence',
      args: [allocation],
      examples: ['gpuaas why @last', 'gpuaas why trainer -o json'],
      reads: true,
      load: async () => (await import('../commands/alloc.ts')).why,
    },
    {
      name: 'timeline',
      summary: 'Everything that happened to an allocation',
      args: [allocation],
      examples: ['gpuaas timeline @last', 'gpuaas timeline trainer -o csv'],
      reads: true,
      load: async () => (await import('../commands/alloc.ts')).timeline,
    },
    {
      name: 'whoami',
      summary: 'Show who is signed in, and what they belong to',
      examples: ['gpuaas whoami', 'gpuaas whoami --json'],
      reads: true,
      operation: 'me_get',
      load: async () => (await import('../commands/whoami.ts')).whoami,
    },
    {
      name: 'logout',
      summary: 'Sign out and forget the sign-in',
      description: 'Sign out: end the session on the server and forget what was kept here.',
      examples: ['gpuaas logout', 'gpuaas logout --profile work'],
      load: async () => (await import('../commands/logout.ts')).logout,
    },
  ],
};
