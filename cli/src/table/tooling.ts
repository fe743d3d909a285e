import type { CommandGroup } from '../command.ts';

const config = () => import('../commands/tooling/config.ts');

export const tooling: CommandGroup = {
  title: 'Tooling',
  commands: [
    {
      name: 'api',
      summary: 'Call any operation of the API',
      description: 'Call any operation of the API and print its answer. Writes get an Idempotency-Key automatically.',
      args: [
        { name: 'METHOD', meaning: 'GET, POST, PUT, PATCH or DELETE' },
        { name: 'PATH', meaning: 'the path, from the first slash' },
      ],
      flags: {
        body: { type: 'string', value: 'JSON', meaning: 'the request body; @file reads a file, - standard input' },
      },
      examples: [
        'gpuaas api GET /api/v1/organizations',
        `gpuaas api POST /api/v1/organizations --body '{"name": "Lab", "slug": "lab"}'`,
        'gpuaas api GET /api/v1/activity --project 01a1dea2-0000-7000-8000-000000000000',
      ],
      load: async () => (await import('../commands/tooling/api.ts')).api,
    },
    {
      name: 'config list',
      summary: 'Effective settings and their sources',
      examples: ['gpuaas config list', 'gpuaas config list -o json'],
      reads: true,
      load: async () => (await config()).list,
    },
    {
      name: 'config get',
      summary: 'One effective setting',
      args: [{ name: 'SETTING', meaning: 'as gpuaas config list shows it' }],
      examples: ['gpuaas config get project'],
      reads: true,
      load: async () => (await config()).get,
    },
    {
      name: 'config set',
      summary: 'Store a setting with the profile; without a value it is removed',
      args: [
        { name: 'SETTING', meaning: 'project or region' },
        { name: 'VALUE', optional: true, meaning: 'the value' },
      ],
      examples: ['gpuaas config set region eu-1', 'gpuaas config set region'],
      load: async () => (await config()).set,
    },
    {
      name: 'profile list',
      summary: 'Stored profiles',
      examples: ['gpuaas profile list'],
      reads: true,
      load: async () => (await config()).profiles,
    },
    {
      name: 'profile use',
      summary: 'Choose the default profile',
      args: [{ name: 'NAME', meaning: 'as gpuaas profile list shows it' }],
      examples: ['gpuaas profile use work'],
      load: async () => (await config()).use,
    },
    {
      name: 'completion',
      summary: 'Completion for a shell',
      description: 'Completion for a shell, for gpuaas and npx gpuaas. In bash: source <(npx gpuaas completion bash)',
      args: [{ name: 'SHELL', meaning: 'bash, zsh or fish' }],
      examples: [
        'gpuaas completion bash > ~/.local/share/bash-completion/completions/gpuaas',
        'gpuaas completion zsh > ~/.zfunc/_gpuaas',
        'gpuaas completion fish > ~/.config/fish/completions/gpuaas.fish',
      ],
      reads: true,
      load: async () => (await import('../commands/tooling/completion.ts')).completion,
    },
    {
      name: 'doctor',
      summary: 'Check the most common problems',
      description:
        'Check the most common problems: the program, its files, the installation, the sign-in and the project.',
      examples: ['gpuaas doctor', 'gpuaas doctor -o json'],
      reads: true,
      load: async () => (await import('../commands/tooling/tooling.ts')).doctor,
    },
    {
      name: 'mcp serve',
      summary: 'Serve commands as tools of the Model Context Protocol',
      description:
        'Serve commands as tools of the Model Context Protocol, over standard input and output. Only commands that read are served, unless changes are allowed.',
      flags: {
        'allow-changes': {
          type: 'boolean',
          meaning: 'also serve commands that change something, without confirmation',
        },
      },
      examples: ['gpuaas mcp serve', 'gpuaas mcp serve --profile lab --allow-changes'],
      load: async () => (await import('../commands/tooling/mcp.ts')).serve,
    },
    {
      name: 'version',
      summary: 'The version of this program and of the installation',
      examples: ['gpuaas version'],
      reads: true,
      load: async () => (await import('../commands/tooling/tooling.ts')).version,
    },
  ],
};
