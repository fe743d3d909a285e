import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { because, limit, organization } from './words.ts';

const someId = '01935a2c-0000-7000-8000-000000000001';
const recording: ArgSpec = {
  name: 'RECORDING',
  meaning: 'the id of a recording, which is that of its session',
  field: 'terminal_recording_id',
};
const columns = ['id', 'name', 'state', 'kind', 'user_id', 'allocation_id', 'began_at', 'duration_ms', 'output_bytes'];
const filters: Readonly<Record<string, FlagSpec>> = {
  allocation: { type: 'string', value: 'ID', meaning: 'only of this allocation' },
  user: { type: 'string', value: 'ID', meaning: 'only of this person' },
  from: { type: 'string', value: 'TIME', meaning: 'sessions from this time on' },
  to: { type: 'string', value: 'TIME', meaning: 'sessions before this time' },
  limit,
};
const speed: FlagSpec = { type: 'string', value: 'N', meaning: 'times as fast (default: 1)' };
const saving: Readonly<Record<string, FlagSpec>> = {
  save: { type: 'string', value: 'FILE', meaning: 'where (default: the id with .cast)' },
  format: { type: 'string', value: 'v2|v3', meaning: 'the version of asciicast (default: v2)' },
};
const load = () => import('../recordings/recording.ts');
const verdict = ['intact', 'chunks', 'broken'];

export const recordings: CommandGroup = {
  title: 'Recordings',
  commands: [
    {
      name: 'recording list',
      summary: 'Recorded terminal sessions of the organization',
      flags: { organization, ...filters },
      examples: ['gpuaas recording list', `gpuaas recording list --allocation ${someId} --from 2026-11-01T00:00:00Z`],
      operation: 'recording_list',
      columns,
      none: 'There are no recordings.',
      reads: true,
    },
    {
      name: 'recording show',
      summary: 'One recording: whose, when, how long, and its digest',
      args: [recording],
      examples: [`gpuaas recording show ${someId}`],
      operation: 'recording_get',
      reads: true,
    },
    {
      name: 'recording play',
      summary: 'Play a recording in this terminal; the audit log notes it',
      description:
        'Pauses of more than two seconds are shortened. Text, colours and movements of the cursor are shown. Everything else that a recording could do to your terminal is left out.',
      args: [recording],
      flags: { speed },
      examples: [`gpuaas recording play ${someId} --speed 4`],
      load: async () => (await load()).playOwn,
    },
    {
      name: 'recording download',
      summary: 'Save a recording as asciicast; the audit log notes it',
      args: [recording],
      flags: saving,
      examples: [`gpuaas recording download ${someId} --save trainer.cast`],
      load: async () => (await load()).downloadOwn,
    },
    {
      name: 'recording verify',
      summary: 'Recompute the digests of a recording and name a chunk that was changed',
      args: [recording],
      examples: [`gpuaas recording verify ${someId}`],
      operation: 'recording_verify',
      columns: verdict,
      reads: true,
    },
    {
      name: 'ops recording list',
      summary: 'Recorded terminal sessions of all tenants',
      flags: { organization: { type: 'string', value: 'ID', meaning: 'only of this organization' }, ...filters },
      examples: ['gpuaas ops recording list'],
      operation: 'admin_recording_list',
      columns: [...columns, 'organization_id'],
      none: 'There are no recordings.',
      reads: true,
    },
    {
      name: 'ops recording show',
      summary: 'One recording of any tenant',
      args: [recording],
      examples: [`gpuaas ops recording show ${someId}`],
      operation: 'admin_recording_get',
      reads: true,
    },
    {
      name: 'ops recording play',
      summary: 'Play a recording of any tenant; its audit log notes it',
      args: [recording],
      flags: { speed, reason: because },
      examples: [`gpuaas ops recording play ${someId} --reason 'ticket 7'`],
      load: async () => (await load()).playAny,
    },
    {
      name: 'ops recording download',
      summary: 'Save a recording of any tenant as asciicast; its audit log notes it',
      args: [recording],
      flags: { ...saving, reason: because },
      examples: [`gpuaas ops recording download ${someId} --reason 'ticket 7'`],
      load: async () => (await load()).downloadAny,
    },
    {
      name: 'ops recording verify',
      summary: 'Recompute the digests of a recording of any tenant',
      args: [recording],
      examples: [`gpuaas ops recording verify ${someId}`],
      operation: 'admin_recording_verify',
      columns: verdict,
      reads: true,
    },
  ],
};
