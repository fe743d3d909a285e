import type { App, AppVisibility } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { resourceName } from '../../kernel/resource-name.ts';

export interface AppRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly publisher: string;
  readonly slug: string;
  readonly name: string;
  readonly summary: string;
  readonly visibility: AppVisibility;
  readonly created_at: Date;
  readonly updated_at: Date;
}

// The slug of an organization never changes, so a copy stays true.
const insert = sql(
  'app-insert',
  `insert into apps (id, organization_id, project_id, publisher, slug, name, summary, visibility)
   select $1, o.id, p.id, o.slug, $4, $5, $6, $7
   from organizations o join projects p on p.organization_id = o.id
   where o.id = $2 and p.id = $3 and p.state <> 'deleted' and mine(o.id)
   on conflict do nothing`,
);
const project = sql(
  'app-project',
  `select id from projects where id = $1 and organization_id = $2 and state <> 'deleted' and mine(organization_id)`,
);
const find = sql(
  'app-find',
  `select id, organization_id, project_id, publisher, slug, name, summary, visibility, created_at, updated_at
   from apps where id = $1 and mine(organization_id)`,
);
const list = sql(
  'app-list',
  `select id, organization_id, project_id, publisher, slug, name, summary, visibility, created_at, updated_at
   from apps where organization_id = $1 and project_id = $2 and mine(organization_id) and ($3::uuid is null or id < $3)
   order by id desc limit $4`,
);
const change = sql(
  'app-change',
  `update apps set name = coalesce($2, name), summary = coalesce($3, summary), visibility = coalesce($4, visibility),
     updated_at = act_time()
   where id = $1 and mine(organization_id)`,
);
/** Locks the apps of an organization, so that concurrent creations cannot exceed the limit together. */
const hold = sql('apps-hold', `select pg_advisory_xact_lock(hashtextextended('apps ' || $1::uuid::text, 0))`);
const count = sql(
  'app-count',
  'select count(*)::int as apps from apps where organization_id = $1 and mine(organization_id)',
);
const owner = sql('app-owner', 'select organization_id, project_id from apps where id = $1 and mine(organization_id)');

export interface NewApp {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly slug: string;
  readonly name: string;
  readonly summary: string;
  readonly visibility: AppVisibility;
}
/** False when the slug is taken. */
export const insertApp = async (tx: WriteTx, app: NewApp): Promise<boolean> =>
  (await tx.run(insert, [
    ...[app.id, app.organizationId, app.projectId],
    ...[app.slug, app.name, app.summary, app.visibility],
  ])) > 0;
export const hasProject = async (tx: ReadTx, of: Pick<NewApp, 'organizationId' | 'projectId'>): Promise<boolean> =>
  (await tx.rows(project, [of.projectId, of.organizationId])).length > 0;
export const findApp = async (tx: ReadTx, id: string): Promise<AppRow | undefined> =>
  (await tx.rows<AppRow>(find, [id]))[0];
export const listApps = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly projectId: string },
  after: string | undefined,
  limit: number,
) => tx.rows<AppRow>(list, [of.organizationId, of.projectId, after ?? null, limit]);
export const changeApp = (
  tx: WriteTx,
  id: string,
  to: { readonly name?: string; readonly summary?: string; readonly visibility?: AppVisibility },
) => tx.run(change, [id, to.name ?? null, to.summary ?? null, to.visibility ?? null]);
/** How many there are; nobody else adds one until this act ends. */
export async function holdAndCountApps(tx: WriteTx, organizationId: string): Promise<number> {
  await tx.rows(hold, [organizationId]);
  return (await tx.rows<{ apps: number }>(count, [organizationId]))[0]?.apps ?? 0;
}
export const findAppOwner = async (tx: ReadTx, id: string) =>
  (await tx.rows<{ organization_id: string; project_id: string }>(owner, [id]))[0];

export const referenceOf = ({ publisher, slug }: Pick<AppRow, 'publisher' | 'slug'>): string => `${publisher}/${slug}`;

export const showApp = (region: string, row: AppRow): App => ({
  id: row.id,
  resource_name: resourceName(
    region,
    { organizationId: row.organization_id, projectId: row.project_id },
    'apps/app',
    row.id,
  ),
  organization_id: row.organization_id,
  project_id: row.project_id,
  publisher: row.publisher,
  slug: row.slug,
  reference: referenceOf(row),
  name: row.name,
  summary: row.summary,
  visibility: row.visibility,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
