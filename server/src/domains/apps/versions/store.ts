import type {
  AppChannel,
  AppEvidence,
  AppLifecycleState,
  AppManifest,
  AppTrustState,
  AppVersion,
  RevocationEffect,
} from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { resourceName } from '../../../kernel/resource-name.ts';
import { referenceOf } from '../store.ts';
import { insertVerification } from '../verification/store.ts';

export interface VersionRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly app_id: string;
  readonly publisher: string;
  readonly slug: string;
  readonly number: string;
  readonly manifest: AppManifest;
  readonly manifest_digest: string;
  readonly image_repository: string;
  readonly image_digest: string;
  readonly lifecycle: AppLifecycleState;
  readonly trust: AppTrustState;
  readonly channel: AppChannel;
  readonly evidence: AppEvidence[];
  readonly verified_at: Date | null;
  readonly revocation_reason: string | null;
  readonly revocation_effect: RevocationEffect | null;
  readonly version: bigint;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly deprecated_at: Date | null;
  readonly retired_at: Date | null;
  readonly asked_at: Date;
  readonly tried_at: Date | null;
  readonly due_at: Date | null;
  readonly tries: number;
  readonly trouble: string | null;
}

const insert = sql(
  'app-version-insert',
  `insert into app_versions (id, organization_id, app_id, number, manifest, manifest_digest, image_repository, image_digest)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (app_id, number) do nothing`,
);
const insertTrust = sql('app-trust-insert', 'insert into app_version_trust (id, organization_id) values ($1, $2)');
const find = sql(
  'app-version-find',
  `select v.id, v.organization_id, a.project_id, v.app_id, a.publisher, a.slug, v.number, v.manifest, v.manifest_digest,
     v.image_repository, v.image_digest, v.state as lifecycle, t.state as trust, v.channel, t.evidence, t.verified_at,
     t.revocation_reason, t.revocation_effect, v.version, v.created_at, v.updated_at, v.deprecated_at, v.retired_at,
     w.asked_at, w.tried_at, w.due_at, w.tries, w.trouble
   from app_versions v
     join apps a on a.id = v.app_id and a.organization_id = v.organization_id
     join app_version_trust t on t.id = v.id and t.organization_id = v.organization_id
     join app_verifications w on w.id = v.id and w.organization_id = v.organization_id
   where v.id = $1 and mine(v.organization_id)`,
);
const list = sql(
  'app-version-list',
  `select v.id, v.organization_id, a.project_id, v.app_id, a.publisher, a.slug, v.number, v.manifest, v.manifest_digest,
     v.image_repository, v.image_digest, v.state as lifecycle, t.state as trust, v.channel, t.evidence, t.verified_at,
     t.revocation_reason, t.revocation_effect, v.version, v.created_at, v.updated_at, v.deprecated_at, v.retired_at,
     w.asked_at, w.tried_at, w.due_at, w.tries, w.trouble
   from app_versions v
     join apps a on a.id = v.app_id and a.organization_id = v.organization_id
     join app_version_trust t on t.id = v.id and t.organization_id = v.organization_id
     join app_verifications w on w.id = v.id and w.organization_id = v.organization_id
   where v.organization_id = $1 and v.app_id = $2 and mine(v.organization_id)
     and ($3::text is null or v.state = $3) and ($4::text is null or t.state = $4) and ($5::uuid is null or v.id < $5)
   order by v.id desc limit $6`,
);
const listAll = sql(
  'app-version-list-all',
  `select v.id, v.organization_id, a.project_id, v.app_id, a.publisher, a.slug, v.number, v.manifest, v.manifest_digest,
     v.image_repository, v.image_digest, v.state as lifecycle, t.state as trust, v.channel, t.evidence, t.verified_at,
     t.revocation_reason, t.revocation_effect, v.version, v.created_at, v.updated_at, v.deprecated_at, v.retired_at,
     w.asked_at, w.tried_at, w.due_at, w.tries, w.trouble
   from app_versions v
     join apps a on a.id = v.app_id and a.organization_id = v.organization_id
     join app_version_trust t on t.id = v.id and t.organization_id = v.organization_id
     join app_verifications w on w.id = v.id and w.organization_id = v.organization_id
   where mine(v.organization_id) and ($1::uuid is null or v.organization_id = $1)
     and ($2::text is null or v.state = $2) and ($3::text is null or t.state = $3) and ($4::uuid is null or v.id < $4)
   order by v.id desc limit $5`,
);
const holdOne = sql(
  'app-version-hold',
  'select id from app_versions where id = $1 and mine(organization_id) for update',
);
const toChannel = sql(
  'app-version-channel',
  `update app_versions set channel = $2, version = version + 1, updated_at = act_time()
   where id = $1 and mine(organization_id)`,
);
const hold = sql('app-versions-hold', 'select id from apps where id = $1 and mine(organization_id) for update');
const count = sql(
  'app-version-count',
  'select count(*)::int as versions from app_versions where app_id = $1 and mine(organization_id)',
);
const owner = sql(
  'app-version-owner',
  `select a.organization_id, a.project_id from app_versions v
     join apps a on a.id = v.app_id and a.organization_id = v.organization_id
   where v.id = $1 and mine(v.organization_id)`,
);

export interface NewVersion {
  readonly id: string;
  readonly organizationId: string;
  readonly appId: string;
  readonly manifest: AppManifest;
  readonly manifestDigest: string;
  readonly imageRepository: string;
  readonly imageDigest: string;
}
/** False when the app has this version already. */
export async function insertVersion(tx: WriteTx, one: NewVersion): Promise<boolean> {
  const inserted = await tx.run(insert, [
    ...[one.id, one.organizationId, one.appId, one.manifest.metadata.version, JSON.stringify(one.manifest)],
    ...[one.manifestDigest, one.imageRepository, one.imageDigest],
  ]);
  if (inserted === 0) return false;
  await tx.run(insertTrust, [one.id, one.organizationId]);
  await insertVerification(tx, one.id, one.organizationId);
  return true;
}
export const findVersion = async (tx: ReadTx, id: string): Promise<VersionRow | undefined> =>
  (await tx.rows<VersionRow>(find, [id]))[0];
export const listVersions = (
  tx: ReadTx,
  of: {
    readonly organizationId: string;
    readonly appId: string;
    readonly lifecycle: AppLifecycleState | undefined;
    readonly trust: AppTrustState | undefined;
  },
  after: string | undefined,
  limit: number,
) =>
  tx.rows<VersionRow>(list, [
    ...[of.organizationId, of.appId, of.lifecycle ?? null, of.trust ?? null],
    ...[after ?? null, limit],
  ]);
export const listAllVersions = (
  tx: ReadTx,
  of: {
    readonly lifecycle: AppLifecycleState | undefined;
    readonly trust: AppTrustState | undefined;
    readonly organizationId: string | undefined;
  },
  after: string | undefined,
  limit: number,
) =>
  tx.rows<VersionRow>(listAll, [
    ...[of.organizationId ?? null, of.lifecycle ?? null, of.trust ?? null],
    ...[after ?? null, limit],
  ]);
/** Nobody else moves the version until this act ends. */
export const holdVersion = (tx: WriteTx, id: string) => tx.rows(holdOne, [id]);
export const moveToChannel = (tx: WriteTx, id: string, channel: AppChannel) => tx.run(toChannel, [id, channel]);
/** How many versions the app has; nobody else adds one until this act ends. */
export async function holdAndCountVersions(tx: WriteTx, appId: string): Promise<number> {
  await tx.rows(hold, [appId]);
  return (await tx.rows<{ versions: number }>(count, [appId]))[0]?.versions ?? 0;
}
export const findVersionOwner = async (tx: ReadTx, id: string) =>
  (await tx.rows<{ organization_id: string; project_id: string }>(owner, [id]))[0];

const time = (at: Date | null): string | null => at?.toISOString() ?? null;
export const showVersion = (region: string, row: VersionRow): AppVersion => ({
  id: row.id,
  resource_name: resourceName(
    region,
    { organizationId: row.organization_id, projectId: row.project_id },
    'apps/version',
    row.id,
  ),
  app_id: row.app_id,
  app_reference: referenceOf(row),
  version: row.number,
  image_repository: row.image_repository,
  image_digest: row.image_digest,
  manifest: row.manifest,
  manifest_digest: row.manifest_digest,
  lifecycle_state: row.lifecycle,
  trust_state: row.trust,
  channel: row.channel,
  evidence: row.evidence,
  verification: {
    asked_at: row.asked_at.toISOString(),
    tried_at: time(row.tried_at),
    due_at: time(row.due_at),
    tries: row.tries,
    trouble: row.trouble,
  },
  verified_at: time(row.verified_at),
  revocation_reason: row.revocation_reason,
  revocation_effect: row.revocation_effect,
  revision: Number(row.version),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  deprecated_at: time(row.deprecated_at),
  retired_at: time(row.retired_at),
});
