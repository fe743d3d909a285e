import { type Static, Type } from 'typebox';
import { Name, Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

export const SshKey = Type.Object(
  {
    id: Uuid,
    resource_name: Type.String(),
    name: Name,
    type: Type.String({ description: 'As OpenSSH calls it: ssh-ed25519, ecdsa-sha2-nistp256, …' }),
    bits: Type.Integer(),
    fingerprint: Type.String({ description: 'SHA256:…, as ssh-keygen -lf prints it.' }),
    public_key: Type.String({ description: 'Type and key, without the comment.' }),
    comment: Type.String(),
    user_id: Type.Union([Uuid, Type.Null()], { description: 'The owner; null for a key of a project.' }),
    project_id: Type.Union([Uuid, Type.Null()]),
    created_at: Timestamp,
    proven_at: Type.Union([Timestamp, Type.Null()], {
      description:
        'When the owner proved to hold the private half. At the jump host a proven key names its owner alone.',
    }),
    last_used_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When an allocation with this key last became active.',
    }),
  },
  { $id: 'SshKey', additionalProperties: false },
);
export type SshKey = Static<typeof SshKey>;

const addBody = Type.Object(
  {
    name: Type.Optional(Name),
    public_key: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'One line of an id_….pub file. Options and private keys are refused.',
    }),
  },
  { additionalProperties: false },
);
const byKey = Type.Object({ ssh_key_id: Uuid }, { additionalProperties: false });

export const sshKeyAdd = defineRoute({
  id: 'ssh_key_add',
  method: 'POST',
  path: '/api/v1/me/ssh-keys',
  tag: 'SshKeys',
  summary: 'Add a key of your own',
  auth: { kind: 'user', scope: 'ssh_keys:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'ssh_key.add',
  errors: ['ssh_key_invalid', 'ssh_key_exists', 'ssh_key_limit'],
  status: 201,
  body: addBody,
  response: SshKey,
});

export const sshKeyList = defineRoute({
  id: 'ssh_key_list',
  method: 'GET',
  path: '/api/v1/me/ssh-keys',
  tag: 'SshKeys',
  summary: 'Your own keys',
  auth: { kind: 'user', scope: 'ssh_keys:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(SshKey),
});

export const sshKeyRemove = defineRoute({
  id: 'ssh_key_remove',
  method: 'DELETE',
  path: '/api/v1/me/ssh-keys/{ssh_key_id}',
  tag: 'SshKeys',
  summary: 'Remove a key of your own',
  auth: { kind: 'user', scope: 'ssh_keys:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'ssh_key.remove',
  errors: ['ssh_key_not_found'],
  params: byKey,
  response: SshKey,
});

export const sshKeyProve = defineRoute({
  id: 'ssh_key_prove',
  method: 'POST',
  path: '/api/v1/me/ssh-keys/{ssh_key_id}/prove',
  tag: 'SshKeys',
  summary: 'Prove that you hold the private half of a key of yours',
  auth: { kind: 'user', scope: 'ssh_keys:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'ssh_key.prove',
  errors: ['ssh_key_not_found', 'ssh_key_proof_invalid'],
  params: byKey,
  body: Type.Object(
    {
      signature: Type.String({
        minLength: 1,
        maxLength: 8_192,
        description:
          'What `ssh-keygen -Y sign -n gpuaas-key` writes for the text `gpuaas key of USER_ID`, without a line break at its end.',
      }),
    },
    { additionalProperties: false },
  ),
  response: SshKey,
});

export const projectSshKeyAdd = defineRoute({
  id: 'project_ssh_key_add',
  method: 'POST',
  path: '/api/v1/ssh-keys',
  tag: 'SshKeys',
  summary: 'Add a key of the project; it opens every allocation of the project',
  auth: { kind: 'user', scope: 'ssh_keys:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'header' },
  lane: 'default',
  idempotency: 'key',
  audit: 'project_ssh_key.add',
  errors: ['ssh_key_invalid', 'ssh_key_exists', 'ssh_key_limit', 'project_not_found'],
  status: 201,
  body: addBody,
  response: SshKey,
});

export const projectSshKeyList = defineRoute({
  id: 'project_ssh_key_list',
  method: 'GET',
  path: '/api/v1/ssh-keys',
  tag: 'SshKeys',
  summary: 'The keys of the project',
  auth: { kind: 'user', scope: 'ssh_keys:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(SshKey),
});

export const projectSshKeyRemove = defineRoute({
  id: 'project_ssh_key_remove',
  method: 'DELETE',
  path: '/api/v1/ssh-keys/{ssh_key_id}',
  tag: 'SshKeys',
  summary: 'Remove a key of the project',
  auth: { kind: 'user', scope: 'ssh_keys:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'header' },
  lane: 'default',
  idempotency: 'key',
  audit: 'project_ssh_key.remove',
  errors: ['ssh_key_not_found'],
  params: byKey,
  response: SshKey,
});
