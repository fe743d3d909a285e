import { type Static, Type } from 'typebox';
import { Timestamp } from '../../ids.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const orNull = Type.Union([Timestamp, Type.Null()]);
/** `jump_host`: the host key that the jump host shows. `user_authority`: the key that signs certificates of people. */
export const sshPlatformKeyKinds = ['jump_host', 'user_authority'] as const;
export type SshPlatformKeyKind = (typeof sshPlatformKeyKinds)[number];
const Kind = Type.Enum([...sshPlatformKeyKinds], {
  description: 'jump_host: the host key of the jump host. user_authority: the key that signs certificates.',
});

export const SshPlatformKey = Type.Object(
  {
    kind: Kind,
    number: Type.Integer({ minimum: 1 }),
    state: Type.Enum(['announced', 'current', 'retired']),
    public_key: Type.String({ description: 'Type and key, as OpenSSH writes them.' }),
    fingerprint: Type.String({ description: 'SHA256:…, as ssh-keygen -lf prints it.' }),
    created_at: Timestamp,
    used_from: orNull,
    retired_at: orNull,
  },
  { $id: 'SshPlatformKey', ...strict },
);
export type SshPlatformKey = Static<typeof SshPlatformKey>;

const operators = { kind: 'none', why: 'Keys of the platform, for operators only.' } as const;
const change = {
  tag: 'AdminFleet',
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy: operators,
  lane: 'admin',
  idempotency: 'key',
  stepUp: recentSignIn,
  params: Type.Object({ kind: Kind }, strict),
  body: Type.Object(
    { reason: Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' }) },
    strict,
  ),
  response: SshPlatformKey,
} as const;

export const sshPlatformKeyList = defineRoute({
  id: 'ssh_platform_key_list',
  method: 'GET',
  path: '/api/v1/admin/ssh-platform-keys',
  tag: 'AdminFleet',
  summary: 'The SSH keys of the platform: host keys of the jump host, and keys that sign certificates',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: operators,
  lane: 'admin',
  errors: [],
  response: Type.Object({ data: Type.Array(SshPlatformKey) }, strict),
});

export const sshPlatformKeyAnnounce = defineRoute({
  ...change,
  id: 'ssh_platform_key_announce',
  method: 'POST',
  path: '/api/v1/admin/ssh-platform-keys/{kind}/announce',
  summary: 'Make the next key of a kind: clients and machines learn it before it is used',
  audit: 'ssh_platform_key.announce',
  errors: ['illegal_transition', 'terminal_unsupported'],
  status: 201,
});

export const sshPlatformKeySwitch = defineRoute({
  ...change,
  id: 'ssh_platform_key_switch',
  method: 'POST',
  path: '/api/v1/admin/ssh-platform-keys/{kind}/switch',
  summary: 'Use the announced key from now on, and retire the one before',
  audit: 'ssh_platform_key.switch',
  errors: ['illegal_transition', 'terminal_unsupported'],
});
