import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { Organization } from '../organizations.ts';
import { GpuQuota, PolicySetting } from '../policies.ts';

const strict = { additionalProperties: false } as const;
const { role: _role, resource_name: _name, version: _version, ...own } = Organization.properties;

/** An organization as operators see it: its identity and its size on the platform. */
export const AdminOrganization = Type.Object(
  {
    ...own,
    owner_name: Type.Union([Type.String(), Type.Null()], {
      description: 'The name of the person whose personal organization it is; null for every other organization.',
    }),
    plan: Type.String(),
    projects: Type.Integer(),
    members: Type.Integer(),
    allocations: Type.Integer({ description: 'Allocations that have not ended.' }),
    gpus: Type.Integer({ description: 'GPUs of those allocations.' }),
  },
  { $id: 'AdminOrganization', ...strict },
);
export type AdminOrganization = Static<typeof AdminOrganization>;

export const AdminOrganizationDetail = Type.Object(
  {
    ...AdminOrganization.properties,
    project_list: Type.Array(
      Type.Object(
        {
          id: Uuid,
          name: Type.String(),
          slug: Type.String(),
          state: Type.String(),
          allocations: Type.Integer(),
          created_at: Timestamp,
        },
        strict,
      ),
      { description: 'At most 200.' },
    ),
    member_list: Type.Array(
      Type.Object(
        {
          user_id: Uuid,
          role: Type.String(),
          joined_at: Timestamp,
          last_seen_at: Type.Union([Timestamp, Type.Null()]),
        },
        strict,
      ),
      { description: 'At most 200.' },
    ),
    gpu_quota: Type.Object(GpuQuota.properties, strict),
    policies: Type.Array(PolicySetting, {
      description:
        'Policies set for the organization, its plan or one of its projects; all others come from the platform.',
    }),
  },
  { $id: 'AdminOrganizationDetail', ...strict },
);
export type AdminOrganizationDetail = Static<typeof AdminOrganizationDetail>;

const shared = {
  tag: 'AdminOrganizations',
  auth: { kind: 'admin', scope: 'organizations:admin' },
  tenancy: { kind: 'none', why: 'Operators manage all tenants.' },
  lane: 'admin',
} as const;

export const adminOrganizationList = defineRoute({
  id: 'admin_organization_list',
  method: 'GET',
  path: '/api/v1/admin/organizations',
  summary: 'Every organization, newest first',
  ...shared,
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      q: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or slug, or a whole id.' }),
      ),
    },
    strict,
  ),
  response: page(AdminOrganization),
});

export const adminOrganizationGet = defineRoute({
  id: 'admin_organization_get',
  method: 'GET',
  path: '/api/v1/admin/organizations/{organization_id}',
  summary: 'One organization with its projects, members and policies',
  ...shared,
  errors: ['organization_not_found'],
  params: Type.Object({ organization_id: Uuid }, strict),
  response: AdminOrganizationDetail,
});
