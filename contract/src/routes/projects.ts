import { type Static, Type } from 'typebox';
import { Name, Slug, Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

export const Project = Type.Object(
  {
    id: Uuid,
    resource_name: Type.String(),
    organization_id: Uuid,
    department_id: Uuid,
    name: Name,
    slug: Slug,
    state: Type.Enum(['active', 'archived', 'removing', 'deleted']),
    version: Type.Integer({
      description: 'Grows with every change; send it back to change only the version that you saw.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Project', additionalProperties: false },
);
export type Project = Static<typeof Project>;

const projectParams = Type.Object({ project_id: Uuid }, { additionalProperties: false });
const expectedVersion = Type.Object(
  { version: Type.Optional(Type.Integer({ minimum: 1, description: 'Refuse if the project has changed since.' })) },
  { additionalProperties: false },
);

export const projectCreate = defineRoute({
  id: 'project_create',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/projects',
  tag: 'Projects',
  summary: 'Create a project',
  auth: { kind: 'user', scope: 'projects:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'project.create',
  errors: ['project_slug_taken', 'organization_not_found', 'department_not_found', 'department_disabled'],
  status: 201,
  params: Type.Object({ organization_id: Uuid }, { additionalProperties: false }),
  body: Type.Object(
    {
      name: Name,
      slug: Slug,
      department_id: Type.Optional(
        Type.String({
          ...Uuid,
          description: 'The department that its spending belongs to; default: the default department.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Project,
});

export const projectList = defineRoute({
  id: 'project_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/projects',
  tag: 'Projects',
  summary: 'The projects of an organization',
  auth: { kind: 'user', scope: 'projects:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: ['cursor_invalid'],
  params: Type.Object({ organization_id: Uuid }, { additionalProperties: false }),
  query: Type.Object(
    { ...pageQuery, state: Type.Optional(Type.Enum(['active', 'archived', 'removing', 'deleted'])) },
    { additionalProperties: false },
  ),
  response: page(Project),
});

export const projectGet = defineRoute({
  id: 'project_get',
  method: 'GET',
  path: '/api/v1/projects/{project_id}',
  tag: 'Projects',
  summary: 'One project',
  auth: { kind: 'user', scope: 'projects:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'owner-of', param: 'project_id' },
  lane: 'default',
  errors: ['project_not_found'],
  params: projectParams,
  response: Project,
});

export const projectUpdate = defineRoute({
  id: 'project_update',
  method: 'PATCH',
  path: '/api/v1/projects/{project_id}',
  tag: 'Projects',
  summary: 'Rename a project',
  auth: { kind: 'user', scope: 'projects:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'owner-of', param: 'project_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'project.update',
  errors: ['project_not_found', 'version_conflict'],
  params: projectParams,
  body: Type.Object(
    { name: Name, version: Type.Optional(Type.Integer({ minimum: 1 })) },
    { additionalProperties: false },
  ),
  response: Project,
});

const lifecycle = <const I extends `project_${string}`, const A extends `project.${string}`>(
  id: I,
  audit: A,
  verb: string,
  summary: string,
) =>
  defineRoute({
    id,
    method: 'POST',
    path: `/api/v1/projects/{project_id}/${verb}`,
    tag: 'Projects',
    summary,
    auth: { kind: 'user', scope: 'projects:write', serviceAccounts: 'refused' },
    tenancy: { kind: 'owner-of', param: 'project_id' },
    lane: 'default',
    idempotency: 'key',
    audit,
    errors: ['project_not_found', 'illegal_transition', 'version_conflict'],
    params: projectParams,
    body: expectedVersion,
    response: Project,
  });

export const projectArchive = lifecycle('project_archive', 'project.archive', 'archive', 'Archive a project');
export const projectRestore = lifecycle('project_restore', 'project.restore', 'restore', 'Restore an archived project');

export const projectRemove = defineRoute({
  id: 'project_remove',
  method: 'DELETE',
  path: '/api/v1/projects/{project_id}',
  tag: 'Projects',
  summary: 'Remove a project: its resources are wound down, then it is deleted',
  auth: { kind: 'user', scope: 'projects:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'owner-of', param: 'project_id' },
  lane: 'default',
  idempotency: 'key',
  audit: 'project.remove',
  errors: ['project_not_found', 'illegal_transition'],
  status: 202,
  params: projectParams,
  response: Project,
});
