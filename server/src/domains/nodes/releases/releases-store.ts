import type { AgentRelease } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const listSql = sql(
  'agent-release-list',
  `select id, version, kind, arch, digest, size_bytes, created_at, withdrawn_at from agent_releases
   where $1::uuid is null or id < $1 order by id desc limit $2`,
);
const insertSql = sql(
  'agent-release-insert',
  `insert into agent_releases (id, version, kind, arch, digest, size_bytes) values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing
   returning id, version, kind, arch, digest, size_bytes, created_at, withdrawn_at`,
);
const withdrawSql = sql(
  'agent-release-withdraw',
  `update agent_releases set withdrawn_at = coalesce(withdrawn_at, act_time()) where id = $1
   returning id, version, kind, arch, digest, size_bytes, created_at, withdrawn_at`,
);
const offeredSql = sql(
  'agent-release-offered',
  `select id, version, kind, arch, digest, size_bytes, created_at, withdrawn_at from agent_releases
   where id = $1 and kind = 'bundle' and withdrawn_at is null`,
);
const byDigestSql = sql(
  'agent-release-by-digest',
  'select kind from agent_releases where digest = $1 and withdrawn_at is null',
);
const packagesSql = sql(
  'agent-release-packages',
  `select version, arch, digest from agent_releases
   where kind = 'tarball' and withdrawn_at is null order by id desc limit $1`,
);

export type ReleaseKind = AgentRelease['kind'];
export type ReleaseArch = NonNullable<AgentRelease['arch']>;
export interface ReleaseRow {
  readonly id: string;
  readonly version: string;
  readonly kind: ReleaseKind;
  readonly arch: ReleaseArch | null;
  readonly digest: string;
  readonly size_bytes: bigint;
  readonly created_at: Date;
  readonly withdrawn_at: Date | null;
}
export const showRelease = (row: ReleaseRow): AgentRelease => ({
  id: row.id,
  version: row.version,
  kind: row.kind,
  arch: row.arch,
  digest: row.digest,
  size_bytes: Number(row.size_bytes),
  created_at: row.created_at.toISOString(),
  withdrawn_at: row.withdrawn_at?.toISOString() ?? null,
});

export const listReleases = (tx: ReadTx, before: string | undefined, limit: number) =>
  tx.rows<ReleaseRow>(listSql, [before ?? null, limit]);
/** Undefined when these bytes, or another package of this version and architecture, are offered already. */
export const insertRelease = async (
  tx: WriteTx,
  release: Pick<ReleaseRow, 'id' | 'version' | 'kind' | 'arch' | 'digest'> & { readonly sizeBytes: number },
): Promise<ReleaseRow | undefined> => {
  const { id, version, kind, arch, digest, sizeBytes } = release;
  return (await tx.rows<ReleaseRow>(insertSql, [id, version, kind, arch, digest, sizeBytes]))[0];
};
export const withdrawRelease = async (tx: WriteTx, id: string): Promise<ReleaseRow | undefined> =>
  (await tx.rows<ReleaseRow>(withdrawSql, [id]))[0];
/** A bundle that agents may be updated to. */
export const findOffered = async (tx: ReadTx, id: string): Promise<ReleaseRow | undefined> =>
  (await tx.rows<ReleaseRow>(offeredSql, [id]))[0];
/** What these bytes are offered as; undefined when they are not. */
export const offeredKind = async (tx: ReadTx, digest: string): Promise<ReleaseKind | undefined> =>
  (await tx.rows<Pick<ReleaseRow, 'kind'>>(byDigestSql, [digest]))[0]?.kind;
/** Packages that install an agent, newest first. */
export const listPackages = (tx: ReadTx, limit: number) =>
  tx.rows<{ readonly version: string; readonly arch: ReleaseArch | null; readonly digest: string }>(packagesSql, [
    limit,
  ]);
