import { type Static, Type } from 'typebox';
import { Name, ProjectRoleName, TenantRoleName, Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';
import { recentSignIn } from '../step-up.ts';

export const Member = Type.Object(
  {
    user_id: Uuid,
    resource_name: Type.String(),
    username: Type.String({ description: 'The name of the person on hosts; it never changes.' }),
    display_name: Type.Union([Name, Type.Null()], { description: 'The display name of the person.' }),
    role: TenantRoleName,
    created_at: Timestamp,
  },
  { $id: 'Member', additionalProperties: false },
);
export type Member = Static<typeof Member>;

const ofOrganization = { organization_id: Uuid };
const ofProject = { project_id: Uuid };
const roleBody = Type.Object({ role: TenantRoleName }, { additionalProperties: false });

export const memberList = defineRoute({
  id: 'member_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/members',
  tag: 'Members',
  summary: 'The members of the organization',
  auth: { kind: 'user', scope: 'members:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: ['cursor_invalid'],
  params: Type.Object(ofOrganization, { additionalProperties: false }),
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(Member),
});

export const memberUpdate = defineRoute({
  id: 'member_update',
  method: 'PATCH',
  path: '/api/v1/organizations/{organization_id}/members/{user_id}',
  tag: 'Members',
  summary: 'Change the role of a member',
  auth: { kind: 'user', scope: 'members:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'member.update',
  stepUp: recentSignIn,
  errors: ['member_not_found', 'ownership_required', 'insufficient_permissions', 'last_owner'],
  params: Type.Object({ ...ofOrganization, user_id: Uuid }, { additionalProperties: false }),
  body: roleBody,
  response: Member,
});

export const memberRemove = defineRoute({
  id: 'member_remove',
  method: 'DELETE',
  path: '/api/v1/organizations/{organization_id}/members/{user_id}',
  tag: 'Members',
  summary: 'Remove a member from the organization and from all its projects',
  auth: { kind: 'user', scope: 'members:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'member.remove',
  errors: ['member_not_found', 'ownership_required', 'insufficient_permissions', 'last_owner'],
  params: Type.Object({ ...ofOrganization, user_id: Uuid }, { additionalProperties: false }),
  response: Member,
});

export const memberLeave = defineRoute({
  id: 'member_leave',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/leave',
  tag: 'Members',
  summary: 'Leave an organization and all its projects; the last owner stays',
  auth: { kind: 'user', scope: 'membership:leave', serviceAccounts: 'refused', personalTokens: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'member.leave',
  errors: ['member_not_found', 'last_owner'],
  params: Type.Object(ofOrganization, { additionalProperties: false }),
  body: Type.Object({}, { additionalProperties: false }),
  response: Member,
});

export const projectMemberList = defineRoute({
  id: 'project_member_list',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/members',
  tag: 'Members',
  summary: 'The members of the project who have a role of their own there',
  auth: { kind: 'user', scope: 'members:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'owner-of', param: 'project_id' },
  lane: 'default',
  errors: ['cursor_invalid'],
  params: Type.Object(ofProject, { additionalProperties: false }),
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(Member),
});

export const projectMemberSet = defineRoute({
  id: 'project_member_set',
  method: 'PUT',
  path: '/api/v1/projects/{project_id}/members/{user_id}',
  tag: 'Members',
  summary: 'Give a member of the organization a role in the project; the higher of the two roles counts there',
  auth: { kind: 'user', scope: 'members:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'owner-of', param: 'project_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'project_member.set',
  stepUp: recentSignIn,
  errors: ['project_not_found', 'member_not_found', 'ownership_required', 'insufficient_permissions'],
  params: Type.Object({ ...ofProject, user_id: Uuid }, { additionalProperties: false }),
  body: Type.Object({ role: ProjectRoleName }, { additionalProperties: false }),
  response: Member,
});

export const projectMemberRemove = defineRoute({
  id: 'project_member_remove',
  method: 'DELETE',
  path: '/api/v1/projects/{project_id}/members/{user_id}',
  tag: 'Members',
  summary: 'Remove the role in the project; the role in the organization stays',
  auth: { kind: 'user', scope: 'members:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'owner-of', param: 'project_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'project_member.remove',
  errors: ['project_not_found', 'member_not_found', 'ownership_required', 'insufficient_permissions'],
  params: Type.Object({ ...ofProject, user_id: Uuid }, { additionalProperties: false }),
  response: Member,
});
