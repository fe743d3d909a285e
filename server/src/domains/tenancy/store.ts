import type { Organization, Project, TenantRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { resourceName } from '../../kernel/resource-name.ts';

const insertOrganizationSql = sql(
  'organization-insert',
  `insert into organizations (id, type, name, slug, currency) values ($1, $2, $3, $4, $5)
   on conflict (slug) where deleted_at is null do nothing
   returning id, type, name, slug, currency, version, created_at`,
);
const organizationSql = sql(
  'organization-get',
  `select id, type, name, slug, currency, version, created_at from organizations
   where id = $1 and mine(id) and deleted_at is null`,
);
const myOrganizationsSql = sql(
  'organization-list',
  `select o.id, o.type, o.name, o.slug, o.currency, o.version, o.created_at, m.role
   from tenant_memberships m join organizations o on o.id = m.organization_id
   where m.user_id = $1 and is_me(m.user_id) and m.deleted_at is null and o.deleted_at is null
     and ($2::uuid is null or o.id > $2)
   order by o.id limit $3`,
);
const ownedSql = sql('organizations-owned', 'select organizations_owned() as n');
const renameOrganizationSql = sql(
  'organization-rename',
  `update organizations set name = $2, version = version + 1, updated_at = act_time()
   where id = $1 and mine(id) and deleted_at is null and version = coalesce($3, version)
   returning id, type, name, slug, currency, version, created_at`,
);
const insertProjectSql = sql(
  'project-insert',
  `insert into projects (id, organization_id, name, slug, department_id)
   select $1::uuid, o.id, $3, $4, coalesce($5, o.id) from organizations o
   where o.id = $2 and mine(o.id) and o.deleted_at is null for key share of o
   on conflict (organization_id, slug) where state <> 'deleted' do nothing
   returning id, organization_id, department_id, name, slug, state, version, created_at, updated_at`,
);
const projectSql = sql(
  'project-get',
  `select id, organization_id, department_id, name, slug, state, version, created_at, updated_at from projects
   where id = $1 and mine(organization_id)`,
);
const projectsSql = sql(
  'project-list',
  `select id, organization_id, department_id, name, slug, state, version, created_at, updated_at from projects
   where organization_id = $1 and mine(organization_id) and ($2::uuid is null or id > $2)
     and ($3::text is null or state = $3) and ($3::text is not null or state <> 'deleted')
     and ($5::uuid[] is null or id = any ($5))
   order by id limit $4`,
);
const renameProjectSql = sql(
  'project-rename',
  `update projects set name = $2, version = version + 1, updated_at = act_time()
   where id = $1 and mine(organization_id) and version = coalesce($3, version) and state <> 'deleted'
   returning id, organization_id, department_id, name, slug, state, version, created_at, updated_at`,
);
const ownerSql = sql(
  'project-owner',
  `select organization_id from projects where id = $1 and state <> 'deleted' and mine(organization_id)`,
);
const organizationExistsSql = sql(
  'organization-exists',
  'select id from organizations where id = $1 and deleted_at is null and mine(id)',
);
/** Nobody creates a project while this is held: an insert waits for it, and then finds the organization deleted. */
const holdOrganizationSql = sql(
  'organization-hold',
  'select id from organizations where id = $1 and mine(id) and deleted_at is null for update',
);
const hasProjectsSql = sql(
  'organization-has-projects',
  `select id from projects where organization_id = $1 and mine(organization_id) and state <> 'deleted' limit 1`,
);
const deleteOrganizationSql = sql(
  'organization-delete',
  `update organizations set deleted_at = act_time(), version = version + 1, updated_at = act_time()
   where id = $1 and mine(id) returning id, type, name, slug, currency, version, created_at`,
);

export const lockProject = sql(
  'project-lock',
  'select state, version from projects where id = $1 and mine(organization_id) for update',
);
export const moveProject = sql(
  'project-move',
  'update projects set state = $2, version = $3, updated_at = act_time() where id = $1 and mine(organization_id)',
);

interface OrganizationRow {
  readonly id: string;
  readonly type: Organization['type'];
  readonly name: string;
  readonly slug: string;
  readonly currency: string;
  readonly version: bigint;
  readonly created_at: Date;
}
interface ProjectRow {
  readonly id: string;
  readonly organization_id: string;
  readonly department_id: string;
  readonly name: string;
  readonly slug: string;
  readonly state: Project['state'];
  readonly version: bigint;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const showOrganization = (region: string, role: TenantRole, row: OrganizationRow): Organization => ({
  id: row.id,
  resource_name: resourceName(region, { organizationId: row.id }, 'tenancy/organization', row.id),
  type: row.type,
  name: row.name,
  slug: row.slug,
  currency: row.currency,
  role,
  version: Number(row.version),
  created_at: row.created_at.toISOString(),
});
export const showProject = (region: string, row: ProjectRow): Project => ({
  id: row.id,
  resource_name: resourceName(
    region,
    { organizationId: row.organization_id, projectId: row.id },
    'tenancy/project',
    row.id,
  ),
  organization_id: row.organization_id,
  department_id: row.department_id,
  name: row.name,
  slug: row.slug,
  state: row.state,
  version: Number(row.version),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const one = async <R>(rows: Promise<R[]>): Promise<R | undefined> => (await rows)[0];

export const insertOrganization = (
  tx: WriteTx,
  row: { id: string; type: Organization['type']; name: string; slug: string; currency: string },
) => one(tx.rows<OrganizationRow>(insertOrganizationSql, [row.id, row.type, row.name, row.slug, row.currency]));
/** How many organizations the caller owns. It cannot change before the transaction ends. */
export const countOwned = async (tx: WriteTx): Promise<number> =>
  (await tx.rows<{ n: number }>(ownedSql, []))[0]?.n ?? 0;
export const findOrganization = (tx: ReadTx, id: string) => one(tx.rows<OrganizationRow>(organizationSql, [id]));
export const listMyOrganizations = (tx: ReadTx, userId: string, after: string | undefined, limit: number) =>
  tx.rows<OrganizationRow & { readonly role: TenantRole }>(myOrganizationsSql, [userId, after ?? null, limit]);
export const renameOrganization = (tx: WriteTx, id: string, name: string, version: number | undefined) =>
  one(tx.rows<OrganizationRow>(renameOrganizationSql, [id, name, version ?? null]));

export const holdOrganization = (tx: WriteTx, id: string) => one(tx.rows<{ id: string }>(holdOrganizationSql, [id]));
export const hasProjects = async (tx: ReadTx, id: string) => (await tx.rows(hasProjectsSql, [id])).length > 0;
export const deleteOrganization = (tx: WriteTx, id: string) =>
  one(tx.rows<OrganizationRow>(deleteOrganizationSql, [id]));

export const insertProject = (
  tx: WriteTx,
  row: { id: string; organizationId: string; departmentId?: string | undefined; name: string; slug: string },
) =>
  one(
    tx.rows<ProjectRow>(insertProjectSql, [row.id, row.organizationId, row.name, row.slug, row.departmentId ?? null]),
  );
export const findProject = (tx: ReadTx, id: string) => one(tx.rows<ProjectRow>(projectSql, [id]));
export const listProjects = (
  tx: ReadTx,
  organizationId: string,
  page: {
    readonly after: string | undefined;
    readonly state: string | undefined;
    /** Only these, for a caller who may not see the others. */
    readonly within: readonly string[] | undefined;
    readonly limit: number;
  },
) =>
  tx.rows<ProjectRow>(projectsSql, [
    organizationId,
    page.after ?? null,
    page.state ?? null,
    page.limit,
    page.within ?? null,
  ]);
export const renameProject = (tx: WriteTx, id: string, name: string, version: number | undefined) =>
  one(tx.rows<ProjectRow>(renameProjectSql, [id, name, version ?? null]));

export const findProjectOwner = (tx: ReadTx, id: string) => one(tx.rows<{ organization_id: string }>(ownerSql, [id]));
export const organizationExists = (tx: ReadTx, id: string) => one(tx.rows<{ id: string }>(organizationExistsSql, [id]));
