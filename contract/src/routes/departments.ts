import { type Static, Type } from 'typebox';
import { Name, Slug, Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

/** A group of projects whose spending and rules belong together. Every organization has a default one. */
export const Department = Type.Object(
  {
    id: Uuid,
    resource_name: Type.String(),
    organization_id: Uuid,
    name: Name,
    slug: Slug,
    is_default: Type.Boolean(),
    state: Type.Enum(['active', 'disabled']),
    version: Type.Integer({
      description: 'Grows with every change; send it back to change only the version that you saw.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Department', additionalProperties: false },
);
export type Department = Static<typeof Department>;

const ofOrganization = Type.Object({ organization_id: Uuid }, { additionalProperties: false });

export const departmentList = defineRoute({
  id: 'department_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/departments',
  tag: 'Departments',
  summary: 'The departments of an organization',
  auth: { kind: 'user', scope: 'organizations:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: ['cursor_invalid'],
  params: ofOrganization,
  query: Type.Object(pageQuery, { additionalProperties: false }),
  response: page(Department),
});

export const departmentCreate = defineRoute({
  id: 'department_create',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/departments',
  tag: 'Departments',
  summary: 'Create a department',
  auth: { kind: 'user', scope: 'organizations:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'department.create',
  errors: ['department_slug_taken'],
  status: 201,
  params: ofOrganization,
  body: Type.Object({ name: Name, slug: Slug }, { additionalProperties: false }),
  response: Department,
});

export const departmentUpdate = defineRoute({
  id: 'department_update',
  method: 'PATCH',
  path: '/api/v1/organizations/{organization_id}/departments/{department_id}',
  tag: 'Departments',
  summary: 'Rename a department, disable it or enable it again',
  auth: { kind: 'user', scope: 'organizations:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'department.update',
  errors: ['department_not_found', 'department_is_default', 'version_conflict'],
  params: Type.Object({ organization_id: Uuid, department_id: Uuid }, { additionalProperties: false }),
  body: Type.Object(
    {
      name: Type.Optional(Name),
      state: Type.Optional(
        Type.Enum(['active', 'disabled'], { description: 'A disabled department takes no new projects.' }),
      ),
      version: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    { additionalProperties: false },
  ),
  response: Department,
});
