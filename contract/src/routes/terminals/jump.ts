import { type Static, Type } from 'typebox';
import { defineRoute } from '../../route.ts';

export const JumpHost = Type.Object(
  {
    host: Type.String({ description: 'Its name or address, for ssh -J.' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    username: Type.String({ description: 'The user to give to ssh. The key says who it is.' }),
    host_keys: Type.Array(Type.String(), { description: 'Type and key, as OpenSSH writes them.' }),
    known_hosts: Type.Array(Type.String(), { description: 'The same as lines of a known_hosts file.' }),
  },
  { $id: 'JumpHost', additionalProperties: false },
);
export type JumpHost = Static<typeof JumpHost>;

export const jumpHostGet = defineRoute({
  id: 'jump_host_get',
  method: 'GET',
  path: '/api/v1/ssh/jump-host',
  tag: 'Terminals',
  summary: 'Where the SSH jump host is, and its host keys: nothing is trusted on first use',
  auth: { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'none', why: 'The same for everybody.' },
  lane: 'default',
  errors: ['terminal_unsupported'],
  response: JumpHost,
});
