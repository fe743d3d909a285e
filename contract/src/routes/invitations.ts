import { type Static, Type } from 'typebox';
import { TenantRoleName, Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';
import { recentSignIn } from '../step-up.ts';

const Email = Type.String({
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63})+$",
  description: 'An address in plain ASCII.',
});

const facts = {
  id: Uuid,
  resource_name: Type.String(),
  organization_id: Uuid,
  email: Type.String(),
  role: TenantRoleName,
  state: Type.Enum(['pending', 'accepted', 'revoked', 'expired']),
  invited_by: Uuid,
  accepted_by: Type.Union([Uuid, Type.Null()]),
  expires_at: Timestamp,
  created_at: Timestamp,
};
export const Invitation = Type.Object(facts, { $id: 'Invitation', additionalProperties: false });
export type Invitation = Static<typeof Invitation>;

export const InvitationCreated = Type.Object(
  {
    ...facts,
    token: Type.String({ description: 'Accepts the invitation. Shown once; only its hash is stored.' }),
  },
  { $id: 'InvitationCreated', additionalProperties: false },
);

export const Joined = Type.Object(
  { organization_id: Uuid, resource_name: Type.String(), role: TenantRoleName },
  { $id: 'Joined', additionalProperties: false },
);

const ofOrganization = { organization_id: Uuid };

export const invitationCreate = defineRoute({
  id: 'invitation_create',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/invitations',
  tag: 'Members',
  summary: 'Invite a person; the token in the answer accepts the invitation',
  auth: { kind: 'user', scope: 'members:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'invitation.create',
  stepUp: recentSignIn,
  errors: ['ownership_required', 'insufficient_permissions', 'invitation_pending', 'invitation_limit_reached'],
  status: 201,
  shownOnce: ['token'],
  params: Type.Object(ofOrganization, { additionalProperties: false }),
  body: Type.Object({ email: Email, role: TenantRoleName }, { additionalProperties: false }),
  response: InvitationCreated,
});

export const invitationList = defineRoute({
  id: 'invitation_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/invitations',
  tag: 'Members',
  summary: 'Invitations of the organization, newest first',
  auth: { kind: 'user', scope: 'members:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: ['cursor_invalid'],
  params: Type.Object(ofOrganization, { additionalProperties: false }),
  query: Type.Object(
    { ...pageQuery, state: Type.Optional(Type.Enum(['pending', 'accepted', 'revoked', 'expired'])) },
    { additionalProperties: false },
  ),
  response: page(Invitation),
});

export const invitationRevoke = defineRoute({
  id: 'invitation_revoke',
  method: 'DELETE',
  path: '/api/v1/organizations/{organization_id}/invitations/{invitation_id}',
  tag: 'Members',
  summary: 'Revoke an invitation before it is accepted',
  auth: { kind: 'user', scope: 'members:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'invitation.revoke',
  errors: ['invitation_not_found', 'illegal_transition'],
  params: Type.Object({ ...ofOrganization, invitation_id: Uuid }, { additionalProperties: false }),
  response: Invitation,
});

export const invitationAccept = defineRoute({
  id: 'invitation_accept',
  method: 'POST',
  path: '/api/v1/invitations/accept',
  tag: 'Members',
  summary: 'Accept an invitation and join its organization',
  auth: { kind: 'user', scope: 'profile:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'invitation.accept',
  errors: ['invitation_invalid', 'already_member'],
  body: Type.Object(
    { token: Type.String({ minLength: 1, maxLength: 200, description: 'The token of the invitation.' }) },
    { additionalProperties: false },
  ),
  response: Joined,
});
