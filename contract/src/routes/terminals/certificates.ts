import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const tag = 'Terminals';
const person = { kind: 'user', scope: 'allocations:write', serviceAccounts: 'refused' } as const;
const ofAllocation = { kind: 'owner-of', param: 'allocation_id' } as const;
const Fingerprint = Type.String({ description: 'SHA256:…, as ssh-keygen -lf prints it.' });

const certificateFields = {
  id: Uuid,
  organization_id: Uuid,
  project_id: Uuid,
  allocation_id: Uuid,
  user_id: Type.String({ ...Uuid, description: 'Who may use it.' }),
  serial: Type.String({
    pattern: '^[0-9]{1,19}$',
    description: 'In decimal digits: it is larger than JSON numbers hold.',
  }),
  key_fingerprint: Type.String({ ...Fingerprint, description: 'Of the public key that it is for.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
  revoked_at: Type.Union([Timestamp, Type.Null()]),
};
export const SshCertificate = Type.Object(certificateFields, { $id: 'SshCertificate', ...strict });
export type SshCertificate = Static<typeof SshCertificate>;

export const SignedSshCertificate = Type.Object(
  {
    ...certificateFields,
    certificate: Type.String({ description: 'The line of an id_…-cert.pub file.' }),
    username: Type.String({ description: 'The login on the machine.' }),
    principals: Type.Array(Type.String(), { description: 'It opens this allocation and nothing else.' }),
  },
  { $id: 'SignedSshCertificate', ...strict },
);
export type SignedSshCertificate = Static<typeof SignedSshCertificate>;

export const sshCertificateSign = defineRoute({
  id: 'ssh_certificate_sign',
  method: 'POST',
  path: '/api/v1/allocations/{allocation_id}/ssh-certificates',
  tag,
  summary: 'Sign a public key: a certificate that opens one allocation for some minutes',
  auth: person,
  tenancy: ofAllocation,
  lane: 'terminal',
  idempotency: 'key',
  audit: 'ssh_certificate.sign',
  errors: [
    'allocation_not_found',
    'allocation_not_active',
    'ownership_required',
    'ssh_key_invalid',
    'terminal_unsupported',
    'terminal_recording_required',
  ],
  status: 201,
  params: Type.Object({ allocation_id: Uuid }, strict),
  body: Type.Object(
    {
      public_key: Type.String({
        minLength: 1,
        maxLength: 16_384,
        description: 'One line of an id_….pub file: Ed25519 or ECDSA, also of a security token.',
      }),
      seconds: Type.Optional(
        Type.Integer({
          minimum: 60,
          maximum: 3_600,
          description: 'How long it works; at most, and when left out, what the policy ssh.certificate_seconds says.',
        }),
      ),
    },
    strict,
  ),
  response: SignedSshCertificate,
});

export const sshCertificateList = defineRoute({
  id: 'ssh_certificate_list',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/ssh-certificates',
  tag,
  summary: 'The certificates that were signed for an allocation, latest first',
  auth: { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' },
  tenancy: ofAllocation,
  lane: 'default',
  errors: ['allocation_not_found', 'cursor_invalid'],
  params: Type.Object({ allocation_id: Uuid }, strict),
  query: Type.Object(pageQuery, strict),
  response: page(SshCertificate),
});

export const sshCertificateRevoke = defineRoute({
  id: 'ssh_certificate_revoke',
  method: 'DELETE',
  path: '/api/v1/allocations/{allocation_id}/ssh-certificates/{ssh_certificate_id}',
  tag,
  summary: 'Revoke a certificate: the jump host refuses it, and what it opened there ends within seconds',
  auth: person,
  tenancy: ofAllocation,
  lane: 'default',
  idempotency: 'key',
  audit: 'ssh_certificate.revoke',
  errors: ['allocation_not_found', 'ssh_certificate_not_found', 'ownership_required'],
  params: Type.Object({ allocation_id: Uuid, ssh_certificate_id: Uuid }, strict),
  response: SshCertificate,
});
