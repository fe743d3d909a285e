import type { CommandGroup } from '../command.ts';

const config = () => import('../commands/config.ts');

export const tooling: CommandGroup = {
  title: 'Tooling',
  commands: [
    {
      name: 'api',
      summary: 'Call any operation of the API',
      description: 'Call any operation of the API and show its answer. Writes carry an Idempotency-Key by themselves.',
      args: [
        { name: 'METHOD', meaning: 'GET, POST, PUT, PATCH or DELETE' },
        { name: 'PATH', meaning: 'from the first slash on' },
      ],
      flags: { body: { type: 'string', value: 'JSON', meaning: 'what to send; @file reads a file, - standard input' } },
      examples: [
        'gpuaas api GET /api/v1/organizations',
        `gpuaas api POST /api/v1/organizations --body '{"name": "Lab", "slug": "lab"}'`,
        'gpuaas api GET /api/v1/activity --project 01a1dea2-0000-7000-8000-000000000000',
      ],
      load: async () => (await import('../commands/api.ts')).api,
    },
    {
      name: 'config list',
      summary: 'What is in force, and where each of it comes from',
      examples: ['gpuaas config list', 'gpuaas config list -o json'],
      reads: true,
      load: async () => (await config()).list,
    },
    {
      name: 'config get',
      summary: 'One setting that is in force',
      args: [{ name: 'SETTING', meaning: 'as gpuaas config list shows it' }],
      examples: ['gpuaas config get project'],
      reads: true,
      load: async () => (await config()).get,
    },
    {
      name: 'config set',
      summary: 'Keep a setting with the profile; without a value it is forgotten',
      args: [
        { name: 'SETTING', meaning: 'project or region' },
        { name: 'VALUE', optional: true, meaning: 'what it should be' },
      ],
      examples: ['gpuaas config set region eu-1', 'gpuaas config set region'],
      load: async () => (await config()).set,
    },
    {
      name: 'profile list',
      summary: 'Sign-ins that are kept under names',
      examples: ['gpuaas profile list'],
      reads: true,
      load: async () => (await config()).profiles,
    },
    {
      name: 'profile use',
      summary: 'Choose the one that is used where none is named',
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
      load: async () => (await import('../commands/completion.ts')).completion,
    },
    {
      name: 'doctor',
      summary: 'Check what usually goes wrong',
      description:
        'Check what usually goes wrong: the program, its files, the installation, the sign-in and the project.',
      examples: ['gpuaas doctor', 'gpuaas doctor -o json'],
      reads: true,
      load: async () => (await import('../commands/tooling.ts')).doctor,
    },
    {
      name: 'mcp serve',
      summary: 'Offer commands as tools to a program that speaks the Model Context Protocol',
      description:
        'Offer commands as tools to a program that speaks the Model Context Protocol, over standard input and output. Only what changes nothing is offered, unless changes are allowed.',
      flags: { 'allow-changes': { type: 'boolean', meaning: 'also what changes something, without a question' } },
      examples: ['gpuaas mcp serve', 'gpuaas mcp serve --profile lab --allow-changes'],
      load: async () => (await import('../commands/mcp.ts')).serve,
    },
    {
      name: 'version',
      summary: 'The version of this program and of the installation',
      examples: ['gpuaas version'],
      reads: true,
      load: async () => (await import('../commands/tooling.ts')).version,
    },
  ],
};
