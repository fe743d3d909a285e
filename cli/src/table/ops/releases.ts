import type { ArgSpec, CommandGroup } from '../../command.ts';
import { because, limit } from '../words.ts';

const someId = '01a1dea2-0000-7000-8000-000000000000';
const columns = ['id', 'version', 'kind', 'arch', 'digest', 'size_bytes', 'created_at', 'withdrawn_at'];
export const release: ArgSpec = {
  name: 'RELEASE',
  meaning: 'as gpuaas ops release list shows it',
  field: 'release_id',
};

/** Releases of the node agent. */
export const releases: CommandGroup['commands'] = [
  {
    name: 'ops release list',
    summary: 'Agent releases, newest first',
    flags: { limit },
    examples: ['gpuaas ops release list'],
    operation: 'agent_release_list',
    columns,
    none: 'There are no releases. gpuaas ops release add uploads one.',
    reads: true,
  },
  {
    name: 'ops release add',
    summary: 'Upload an agent release: a package for new hosts, or a bundle for updates',
    args: [{ name: 'FILE', meaning: 'gpuaas-node-agent-….tar.gz or .deb, or the bundle: node-agent.mjs' }],
    flags: {
      'release-version': { type: 'string', value: 'VERSION', meaning: 'its version; the name of a package says it' },
    },
    examples: [
      'gpuaas ops release add dist/gpuaas-node-agent-1.4.0-linux-x64.tar.gz',
      'gpuaas ops release add ./node-agent.mjs --release-version 1.4.0',
    ],
    load: async () => (await import('../../commands/ops/release.ts')).add,
  },
  {
    name: 'ops release withdraw',
    summary: 'Withdraw an agent release: no further host gets it',
    args: [release],
    flags: { reason: because },
    examples: [`gpuaas ops release withdraw ${someId} --reason 'it leaks'`],
    operation: 'agent_release_withdraw',
    columns,
  },
];
