import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { allocation, reason, timeout } from './words.ts';

/** The flags of every command that launches. */
export const skuAndCount: ArgSpec = { name: 'SKU[xN]', meaning: 'the SKU, and optionally the GPU count', field: 'sku' };
export const launchFlags: Readonly<Record<string, FlagSpec>> = {
  count: { type: 'string', value: 'N', as: 'number', field: 'gpus', meaning: 'the GPU count' },
  region: { type: 'string', value: 'REGION', meaning: 'the region (default: the one with the most free capacity)' },
  name: { type: 'string', value: 'NAME', meaning: 'a name' },
  image: { type: 'string', value: 'IMAGE', meaning: 'the image (default: the first for the SKU)' },
  'ssh-key': {
    type: 'string',
    value: 'KEY',
    many: true,
    as: 'keys',
    field: 'ssh_key_ids',
    meaning: 'the SSH keys, by name, id or fingerprint, or none (default: all of yours and of the project)',
  },
  for: {
    type: 'string',
    value: 'TIME',
    as: 'seconds',
    field: 'max_duration_seconds',
    meaning: 'release it after this duration: 30m, 3h, 2d (default: until you release it)',
  },
  'max-spend': {
    type: 'string',
    value: 'AMOUNT',
    as: 'money',
    field: 'max_spend',
    meaning: 'release it before it costs more: 25 or 25.50',
  },
  quote: { type: 'string', value: 'QUOTE', field: 'quote_id', meaning: 'pay the price of gpuaas billing quote' },
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
    meaning: 'wait in the queue for this long if no capacity is free',
  },
  tag: {
    type: 'string',
    value: 'KEY=VALUE',
    many: true,
    as: 'pairs',
    field: 'tags',
    meaning: 'a tag, KEY=VALUE',
  },
};

export const start: CommandGroup = {
  title: 'Start here',
  commands: [
    {
      name: 'login',
      summary: 'Sign in',
      description: 'Sign in with the browser of this machine, or without one with a code for a browser elsewhere.',
      flags: {
        browser: { type: 'boolean', meaning: 'use the browser of this machine' },
        device: { type: 'boolean', meaning: 'use a code for a browser anywhere' },
        token: { type: 'string', value: '-', meaning: 'read a token from standard input' },
        'step-up': {
          type: 'boolean',
          meaning: 'confirm your identity again, for an operation that needs a recent sign-in',
        },
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
      summary: 'Show a plan with its price, confirm, and launch GPUs',
      description:
        'Show the plan and its price, confirm, launch, and follow the progress until it is active. In a pipe the output is the id; -o ndjson prints an object for each step.',
      args: [skuAndCount],
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
      summary: 'One screen: person, project, running allocations, and what needs attention',
      examples: ['gpuaas status', 'gpuaas status -o json'],
      reads: true,
      load: async () => (await import('../commands/status.ts')).status,
    },
    {
      name: 'overview',
      summary: 'Overview of the project: counts, hourly price, queue and recent activity',
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
      summary: 'Release an allocation',
      args: [allocation],
      flags: {
        reason,
        wait: { type: 'boolean', meaning: 'wait until it is released and wiped' },
        timeout,
      },
      examples: ['gpuaas release trainer', 'gpuaas release @last --yes --wait'],
      operation: 'allocation_release',
      load: async () => (await import('../commands/alloc.ts')).release,
    },
    {
      name: 'open',
      summary: 'Open it in the console',
      args: [{ ...allocation, optional: true, meaning: 'an allocation (default: the start page)' }],
      flags: { print: { type: 'boolean', meaning: 'only print the address' } },
      examples: ['gpuaas open', 'gpuaas open trainer'],
      reads: true,
      load: async () => (await import('../commands/open.ts')).open,
    },
    {
      name: 'why',
      summary: 'Why an allocation is in its state, with the evidence',
      args: [allocation],
      examples: ['gpuaas why @last', 'gpuaas why trainer -o json'],
      reads: true,
      load: async () => (await import('../commands/alloc.ts')).why,
    },
    {
      name: 'timeline',
      summary: 'The timeline of an allocation',
      args: [allocation],
      examples: ['gpuaas timeline @last', 'gpuaas timeline trainer -o csv'],
      reads: true,
      load: async () => (await import('../commands/alloc.ts')).timeline,
    },
    {
      name: 'whoami',
      summary: 'Show the signed-in person and their organizations',
      examples: ['gpuaas whoami', 'gpuaas whoami --json'],
      reads: true,
      operation: 'me_get',
      load: async () => (await import('../commands/whoami.ts')).whoami,
    },
    {
      name: 'logout',
      summary: 'Sign out',
      description: 'Sign out: end the session on the server and remove the stored sign-in.',
      examples: ['gpuaas logout', 'gpuaas logout --profile work'],
      load: async () => (await import('../commands/logout.ts')).logout,
    },
  ],
};
