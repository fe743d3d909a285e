import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { allocation, because, limit } from './words.ts';

const someId = '01935a2c-0000-7000-8000-000000000001';
const session: ArgSpec = { name: 'SESSION', meaning: 'the id of a terminal session', field: 'terminal_session_id' };
const live: FlagSpec = {
  type: 'string',
  value: 'true|false',
  as: 'truth',
  meaning: 'only those that run, or only ended ones',
};
const columns = ['id', 'name', 'state', 'user_id', 'has_writer', 'watchers', 'created_at', 'ended_at', 'end_reason'];

export const terminals: CommandGroup = {
  title: 'Terminals',
  commands: [
    {
      name: 'terminal-sessions',
      summary: 'The terminal sessions of an allocation',
      args: [allocation],
      flags: { live, limit },
      examples: ['gpuaas terminal-sessions trainer', 'gpuaas terminal-sessions trainer --live true'],
      operation: 'terminal_session_list',
      columns,
      none: 'There are no terminal sessions.',
      reads: true,
    },
    {
      name: 'terminal-end',
      summary: 'End a terminal session and its shell',
      args: [session],
      examples: [`gpuaas terminal-end ${someId}`],
      operation: 'terminal_session_end',
      columns,
      asks: 'End terminal session {} and everything that runs in its shell?',
    },
    {
      name: 'terminal',
      summary: 'Open a shell in an allocation, in this terminal',
      description:
        'The shell runs on the machine and is reached through the gateway, without an address or an SSH key. When the connection is lost it connects again and goes on. Typing ~. at the beginning of a line leaves; the shell goes on and can be joined with --session. The exit code is that of the shell.',
      args: [allocation],
      flags: {
        session: { type: 'string', value: 'SESSION', meaning: 'join a session of yours instead of a new shell' },
        'take-over': { type: 'boolean', meaning: 'with --session: also when another client types there' },
        'read-only': { type: 'boolean', meaning: 'with --session: only watch; admins also watch sessions of others' },
        name: { type: 'string', value: 'NAME', meaning: 'the name of a new session' },
      },
      examples: ['gpuaas terminal trainer', `gpuaas terminal trainer --session ${someId} --take-over`],
      load: async () => (await import('../commands/terminal.ts')).terminal,
    },
    {
      name: 'ops terminal-sessions',
      summary: 'Terminal sessions of all tenants',
      flags: {
        live,
        organization: { type: 'string', value: 'ID', meaning: 'only of this organization' },
        allocation: { type: 'string', value: 'ID', meaning: 'only of this allocation' },
        user: { type: 'string', value: 'ID', meaning: 'only of this person' },
        node: { type: 'string', value: 'ID', meaning: 'only on this host' },
        limit,
      },
      examples: ['gpuaas ops terminal-sessions --live true'],
      operation: 'admin_terminal_session_list',
      columns: [...columns, 'organization_id', 'allocation_id', 'gateway_copy'],
      none: 'There are no terminal sessions.',
      reads: true,
    },
    {
      name: 'ops terminal-end',
      summary: 'End a terminal session of any tenant',
      args: [session],
      flags: { reason: because },
      examples: [`gpuaas ops terminal-end ${someId} --reason 'a runaway script'`],
      operation: 'admin_terminal_session_end',
      columns,
      asks: 'End terminal session {} of a tenant?',
    },
  ],
};
