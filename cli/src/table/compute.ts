import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';

const id: ArgSpec = { name: 'ID', meaning: 'an allocation: its id, its name, or @last' };
const timeout: FlagSpec = { type: 'string', value: 'TIME', meaning: 'how long to wait (default: 15m)' };
const limit: FlagSpec = { type: 'string', value: 'N', meaning: 'the most rows (default: 100)' };
const states = ['requested', 'provisioning', 'active', 'releasing', 'released', 'failed', 'release_failed'];
const state: FlagSpec = { type: 'string', value: 'STATE', choices: states, meaning: 'only those in this state' };
const alloc = () => import('../commands/alloc.ts');

export const compute: CommandGroup = {
  title: 'Compute',
  commands: [
    {
      name: 'alloc list',
      summary: 'What runs in the project',
      flags: {
        all: { type: 'boolean', meaning: 'with what has ended' },
        state,
        sku: { type: 'string', value: 'SKU', meaning: 'only of this kind' },
        tag: { type: 'string', value: 'KEY[=VALUE]', meaning: 'only with this tag' },
        limit,
      },
      examples: ['gpuaas alloc list', 'gpuaas alloc list --all -o csv', 'gpuaas alloc list --tag team=vision'],
      reads: true,
      load: async () => (await alloc()).list,
    },
    {
      name: 'alloc get',
      summary: 'One allocation',
      args: [id],
      examples: ['gpuaas alloc get trainer', 'gpuaas alloc get @last --json=state,access'],
      reads: true,
      load: async () => (await alloc()).get,
    },
    {
      name: 'alloc wait',
      summary: 'Wait until it is in a state',
      args: [id],
      flags: { state: { ...state, meaning: 'the state to wait for (default: active)' }, timeout },
      examples: ['gpuaas alloc wait @last', 'gpuaas alloc wait trainer --state released --timeout 10m'],
      reads: true,
      load: async () => (await alloc()).wait,
    },
    {
      name: 'alloc release',
      summary: 'Give it back',
      args: [id],
      flags: {
        reason: { type: 'string', value: 'TEXT', meaning: 'why, for the record' },
        wait: { type: 'boolean', meaning: 'until it is released and wiped' },
        timeout,
      },
      examples: ['gpuaas alloc release trainer'],
      load: async () => (await alloc()).release,
    },
    {
      name: 'alloc extend',
      summary: 'Let it run longer',
      args: [id],
      flags: { for: { type: 'string', value: 'TIME', meaning: 'how much longer: 30m, 3h' } },
      examples: ['gpuaas alloc extend trainer --for 2h'],
      load: async () => (await alloc()).extend,
    },
    {
      name: 'alloc rename',
      summary: 'Give it another name',
      args: [id, { name: 'NAME', meaning: 'the new name' }],
      examples: ['gpuaas alloc rename @last trainer'],
      load: async () => (await alloc()).rename,
    },
    {
      name: 'alloc restart',
      summary: 'Start the machine anew',
      args: [id],
      examples: ['gpuaas alloc restart trainer --yes'],
      load: async () => (await alloc()).restart,
    },
    {
      name: 'alloc events',
      summary: 'The events about it',
      args: [id],
      flags: { follow: { type: 'boolean', short: 'f', meaning: 'and those to come, until it is stopped' } },
      examples: ['gpuaas alloc events @last', 'gpuaas alloc events trainer --follow -o ndjson'],
      reads: true,
      load: async () => (await alloc()).events,
    },
    {
      name: 'alloc why',
      summary: 'Say why it is as it is, with the evidence',
      args: [id],
      examples: ['gpuaas alloc why trainer'],
      reads: true,
      load: async () => (await alloc()).why,
    },
    {
      name: 'alloc timeline',
      summary: 'Everything that happened to it',
      args: [id],
      examples: ['gpuaas alloc timeline trainer'],
      reads: true,
      load: async () => (await alloc()).timeline,
    },
    {
      name: 'sku list',
      summary: 'What there is, what it costs and how much of it is free',
      flags: { region: { type: 'string', value: 'REGION', meaning: 'only there' }, limit },
      examples: ['gpuaas sku list', 'gpuaas sku list -o csv --columns sku,unit_price,free_now'],
      reads: true,
      load: async () => (await import('../commands/catalog.ts')).skuList,
    },
    {
      name: 'sku get',
      summary: 'One of them',
      args: [{ name: 'SKU', meaning: 'as gpuaas sku list shows it' }],
      examples: ['gpuaas sku get h200-sxm-slice'],
      reads: true,
      load: async () => (await import('../commands/catalog.ts')).skuGet,
    },
    {
      name: 'image list',
      summary: 'Operating systems to start with',
      flags: { sku: { type: 'string', value: 'SKU', meaning: 'only those that suit it' }, limit },
      examples: ['gpuaas image list --sku h200-sxm-slice'],
      reads: true,
      load: async () => (await import('../commands/catalog.ts')).imageList,
    },
    {
      name: 'region list',
      summary: 'Places to start it in',
      flags: { limit },
      examples: ['gpuaas region list'],
      reads: true,
      load: async () => (await import('../commands/catalog.ts')).regionList,
    },
    {
      name: 'key list',
      summary: 'SSH keys',
      flags: { shared: { type: 'boolean', meaning: 'those of the project' }, limit },
      examples: ['gpuaas key list', 'gpuaas key list --shared'],
      reads: true,
      load: async () => (await import('../commands/key.ts')).list,
    },
    {
      name: 'key add',
      summary: 'Add an SSH key',
      args: [{ name: 'FILE', optional: true, meaning: 'a public key, or - (default: the one in ~/.ssh)' }],
      flags: {
        name: { type: 'string', value: 'NAME', meaning: 'what to call it' },
        shared: { type: 'boolean', meaning: 'for everybody in the project' },
      },
      examples: ['gpuaas key add --name laptop', 'gpuaas key add ~/.ssh/id_ed25519.pub'],
      load: async () => (await import('../commands/key.ts')).add,
    },
    {
      name: 'key rm',
      summary: 'Remove an SSH key',
      args: [{ name: 'KEY', meaning: 'its name, id or fingerprint' }],
      flags: { shared: { type: 'boolean', meaning: 'one of the project' } },
      examples: ['gpuaas key rm laptop --yes'],
      load: async () => (await import('../commands/key.ts')).remove,
    },
  ],
};
