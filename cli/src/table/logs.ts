import { choices } from '@gpuaas/sdk/choices';
import type { CommandGroup, FlagSpec } from '../command.ts';
import { allocation, limit, node, oneOf } from './words.ts';

const lines: Readonly<Record<string, FlagSpec>> = {
  follow: { type: 'boolean', short: 'f', meaning: 'and new ones, until interrupted' },
  since: { type: 'string', value: 'TIME', meaning: 'from this time on, or so long ago: 30m, 2h' },
  until: { type: 'string', value: 'TIME', meaning: 'before this time, or so long ago' },
  contains: { type: 'string', value: 'TEXT', meaning: 'only lines with this text in them' },
  limit: { ...limit, meaning: 'the last so many lines (default: 200, with --follow 20)' },
};

/** What machines and nodes log. */
export const logs: CommandGroup = {
  title: 'Logs',
  commands: [
    {
      name: 'logs',
      summary: 'What the machine of an allocation wrote on its console',
      description:
        'The last lines, oldest first. A whole host has no console of its own that is recorded, and says so.',
      args: [allocation],
      flags: lines,
      examples: ['gpuaas logs trainer', 'gpuaas logs trainer --follow', 'gpuaas logs @last --since 10m'],
      operation: 'allocation_log_list',
      instead: { follow: 'allocation_log_stream' },
      reads: true,
      load: async () => (await import('../commands/logs.ts')).logs,
    },
    {
      name: 'ops logs',
      summary: 'What nodes and the machines on them log, by node, allocation or request',
      args: [{ ...node, optional: true }],
      flags: {
        allocation: { type: 'string', value: 'ID', field: 'allocation_id', meaning: 'only about this allocation' },
        correlation: {
          type: 'string',
          value: 'ID',
          field: 'correlation_id',
          meaning: 'only what this request led to, by its correlation id',
        },
        level: oneOf('LEVEL', choices.node_log_list.level, 'only of this level and above'),
        stream: oneOf('STREAM', choices.node_log_list.stream, 'only of agents, or only of consoles'),
        ...lines,
      },
      examples: [
        'gpuaas ops logs gpu-01 --follow',
        'gpuaas ops logs --correlation 01930000-0000-7000-8000-000000000000',
        'gpuaas ops logs --level error --since 1h',
      ],
      operation: 'node_log_list',
      instead: { follow: 'node_log_stream' },
      reads: true,
      load: async () => (await import('../commands/logs.ts')).opsLogs,
    },
  ],
};
