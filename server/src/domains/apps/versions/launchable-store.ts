import type { AppLifecycleState, AppManifest, AppTrustState, RevocationEffect } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../../kernel/act.ts';

export interface LaunchableRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly app_id: string;
  readonly publisher: string;
  readonly slug: string;
  readonly number: string;
  readonly manifest: AppManifest;
  readonly image_repository: string;
  readonly image_digest: string;
  readonly lifecycle: AppLifecycleState;
  readonly trust: AppTrustState;
  readonly revocation_effect: RevocationEffect | null;
}
/** A version without its manifest, to choose from. */
export type CandidateRow = Pick<LaunchableRow, 'id' | 'organization_id' | 'number' | 'lifecycle' | 'trust'>;

const fromVersions = `from app_versions v
     join apps a on a.id = v.app_id and a.organization_id = v.organization_id
     join app_version_trust t on t.id = v.id and t.organization_id = v.organization_id`;
/** Apps that are for this organization and project: their own by visibility, everybody's, and those that they are entitled to. */
const isForThem = `(
     a.organization_id = $1 and mine(a.organization_id) and (a.visibility <> 'project' or a.project_id = $2)
     or a.visibility = 'platform'
     or exists (
       select from app_entitlements e
       where e.app_id = a.id and e.organization_id = $1 and mine(e.organization_id)
         and (e.project_id is null or e.project_id = $2)
     ))`;
const byId = sql(
  'app-launchable-by-id',
  `select v.id, v.organization_id, a.project_id, v.app_id, a.publisher, a.slug, v.number, v.manifest, v.image_repository,
     v.image_digest, v.state as lifecycle, t.state as trust, t.revocation_effect
   ${fromVersions}
   where v.id = $3 and ${isForThem}`,
);
const candidates = sql(
  'app-launchable-candidates',
  `select v.id, v.organization_id, v.number, v.state as lifecycle, t.state as trust
   ${fromVersions}
   where a.publisher = $3 and a.slug = $4 and ($5::text is null or v.number = $5) and ${isForThem}`,
);

export interface Launcher {
  readonly organizationId: string;
  readonly projectId: string;
}
export const findLaunchableRow = async (tx: ReadTx, who: Launcher, id: string): Promise<LaunchableRow | undefined> =>
  (await tx.rows<LaunchableRow>(byId, [who.organizationId, who.projectId, id]))[0];
export const listCandidates = (
  tx: ReadTx,
  who: Launcher,
  app: { readonly publisher: string; readonly slug: string; readonly version: string | undefined },
) =>
  tx.rows<CandidateRow>(candidates, [
    ...[who.organizationId, who.projectId],
    ...[app.publisher, app.slug, app.version ?? null],
  ]);
