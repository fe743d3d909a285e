import { type Static, Type } from 'typebox';
import { Name, Slug, Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

export const Organization = Type.Object(
  {
    id: Uuid,
    resource_name: Type.String(),
    type: Type.Enum(['personal', 'enterprise']),
    name: Name,
    slug: Slug,
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    role: Type.Enum(['owner', 'admin', 'member', 'viewer', 'finance'], { description: 'The role of the caller.' }),
    version: Type.Integer({
      description: 'Grows with every change; send it back to change only the version that you saw.',
    }),
    created_at: Timestamp,
  },
  { $id: 'Organization', additionalProperties: false },
);
export type Organization = Static<typeof Organization>;

const organizationParams = Type.Object({ organization_id: Uuid }, { additionalProperties: false });

export const organizationCreate = defineRoute({
  id: 'organization_create',
  method: 'POST',
  path: '/api/v1/organizations',
  tag: 'Organizations',
  summary: 'Create an organization; the caller becomes its owner',
  auth: { kind: 'user', scope: 'organizations:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'founds' },
  lane: 'default',
  idempotency: 'key',
  audit: 'organization.create',
  errors: ['organization_slug_taken', 'organization_limit_reached'],
  status: 201,
  body: Type.Object(
    {
      name: Name,
      slug: Slug,
      type: Type.Optional(Type.Enum(['personal', 'enterprise'])),
      currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217; default: USD.' })),
    },
    { additionalProperties: false },
  ),
  response: Organization,
});

export const organizationList = defineRoute({
  id: 'organization_list',
  method: 'GET',
  path: '/api/v1/organizations',
  tag: 'Organizations',
  summary: 'The organizations the caller belongs to',
  auth: { kind: 'user', scope: 'organizations:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(Organization),
});

export const organizationGet = defineRoute({
  id: 'organization_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}',
  tag: 'Organizations',
  summary: 'One organization',
  auth: { kind: 'user', scope: 'organizations:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: ['organization_not_found'],
  params: organizationParams,
  response: Organization,
});

export const organizationUpdate = defineRoute({
  id: 'organization_update',
  method: 'PATCH',
  path: '/api/v1/organizations/{organization_id}',
  tag: 'Organizations',
  summary: 'Rename an organization',
  auth: { kind: 'user', scope: 'organizations:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'organization.update',
  errors: ['organization_not_found', 'version_conflict'],
  params: organizationParams,
  body: Type.Object(
    { name: Name, version: Type.Optional(Type.Integer({ minimum: 1 })) },
    { additionalProperties: false },
  ),
  response: Organization,
});

export const organizationDelete = defineRoute({
  id: 'organization_delete',
  method: 'DELETE',
  path: '/api/v1/organizations/{organization_id}',
  tag: 'Organizations',
  summary: 'Delete an organization that has no projects left',
  auth: { kind: 'user', scope: 'organizations:delete', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'organization.delete',
  errors: ['organization_not_found', 'organization_not_empty'],
  params: organizationParams,
  response: Organization,
});
