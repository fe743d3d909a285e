import {
  type AppChannel,
  appStandings,
  type CatalogApp,
  type CatalogVersion,
  isFor,
  standingFault,
} from '@gpuaas/contract';
import { type ReadTx, sql } from '../../../kernel/act.ts';
import { type AppRow, referenceOf } from '../store.ts';
import type { LaunchableRow, Launcher } from '../versions/launchable-store.ts';

export type CatalogRow = Pick<
  AppRow,
  'id' | 'organization_id' | 'publisher' | 'slug' | 'name' | 'summary' | 'created_at'
>;

/** As findLaunchable sees them: own by visibility, everybody's, and those that the project is entitled to. */
const list = sql(
  'catalog-app-list',
  `select a.id, a.organization_id, a.publisher, a.slug, a.name, a.summary, a.created_at from apps a
   where (
     a.organization_id = $1 and mine(a.organization_id) and (a.visibility <> 'project' or a.project_id = $2)
     or (a.visibility = 'platform' or exists (
       select from app_entitlements e
       where e.app_id = a.id and e.organization_id = $1 and mine(e.organization_id)
         and (e.project_id is null or e.project_id = $2)
     )) and exists (
       select from app_versions v join app_version_trust t on t.id = v.id and t.organization_id = v.organization_id
       where v.app_id = a.id and v.organization_id = a.organization_id and v.state || ' ' || t.state = any ($3::text[])
     ))
     and ($4::uuid is null or a.id = $4) and ($5::uuid is null or a.id < $5)
   order by a.id desc limit $6`,
);
const versions = sql(
  'catalog-version-list',
  `select v.id, v.organization_id, a.project_id, v.app_id, a.publisher, a.slug, v.number, v.manifest, v.image_repository,
     v.image_digest, v.state as lifecycle, t.state as trust, t.revocation_effect, v.channel, v.created_at
   from app_versions v
     join apps a on a.id = v.app_id and a.organization_id = v.organization_id
     join app_version_trust t on t.id = v.id and t.organization_id = v.organization_id
   where v.app_id = $3 and (
     a.organization_id = $1 and mine(a.organization_id) and (a.visibility <> 'project' or a.project_id = $2)
     or a.visibility = 'platform'
     or exists (
       select from app_entitlements e
       where e.app_id = a.id and e.organization_id = $1 and mine(e.organization_id)
         and (e.project_id is null or e.project_id = $2)
     ))
     and v.state || ' ' || t.state = any (case when a.organization_id = $1 then $4::text[] else $5::text[] end)
     and ($6::uuid is null or v.id < $6)
   order by v.id desc limit $7`,
);

/** The pairs of lifecycle and trust that a publisher, or everybody else, may see; the table of the contract says so. */
const cellsFor = (isPublisher: boolean): readonly string[] =>
  Object.entries(appStandings).flatMap(([lifecycle, row]) =>
    Object.entries(row).flatMap(([trust, { seen }]) => (isFor(seen, isPublisher) ? [`${lifecycle} ${trust}`] : [])),
  );
const [ofPublisher, ofOthers] = [cellsFor(true), cellsFor(false)];

export const listCatalogApps = (tx: ReadTx, who: Launcher, after: string | undefined, limit: number) =>
  tx.rows<CatalogRow>(list, [who.organizationId, who.projectId, ofOthers, null, after ?? null, limit]);
export const findCatalogApp = async (tx: ReadTx, who: Launcher, id: string): Promise<CatalogRow | undefined> =>
  (await tx.rows<CatalogRow>(list, [who.organizationId, who.projectId, ofOthers, id, null, 1]))[0];

export type CatalogVersionRow = LaunchableRow & { readonly channel: AppChannel; readonly created_at: Date };
export const listCatalogVersions = (
  tx: ReadTx,
  who: Launcher,
  appId: string,
  after: string | undefined,
  limit: number,
) =>
  tx.rows<CatalogVersionRow>(versions, [
    ...[who.organizationId, who.projectId, appId],
    ...[ofPublisher, ofOthers, after ?? null, limit],
  ]);

export const showCatalogVersion = (row: CatalogVersionRow, who: Launcher): CatalogVersion => {
  const reason = standingFault('launch', row, row.organization_id === who.organizationId);
  return {
    ...{
      id: row.id,
      version: row.number,
      lifecycle_state: row.lifecycle,
      trust_state: row.trust,
      channel: row.channel,
    },
    ...{ launchable: reason === undefined, reason: reason ?? null, manifest: row.manifest },
    created_at: row.created_at.toISOString(),
  };
};
export const showCatalogApp = (row: CatalogRow, who: Launcher): CatalogApp => ({
  ...{ id: row.id, publisher: row.publisher, slug: row.slug, reference: referenceOf(row) },
  ...{ name: row.name, summary: row.summary, own: row.organization_id === who.organizationId },
  created_at: row.created_at.toISOString(),
});
