import type { AgentRelease } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const listSql = sql(
  'agent-release-list',
  `select id, version, digest, size_bytes, created_at, withdrawn_at from agent_releases
   where $1::uuid is null or id < $1 order by id desc limit $2`,
);
const insertSql = sql(
  'agent-release-insert',
  `insert into agent_releases (id, version, digest, size_bytes) values ($1, $2, $3, $4)
   on conflict (digest) where withdrawn_at is null do nothing
   returning id, version, digest, size_bytes, created_at, withdrawn_at`,
);
const withdrawSql = sql(
  'agent-release-withdraw',
  `update agent_releases set withdrawn_at = coalesce(withdrawn_at, act_time()) where id = $1
   returning id, version, digest, size_bytes, created_at, withdrawn_at`,
);
const offeredSql = sql(
  'agent-release-offered',
  `select id, version, digest, size_bytes, created_at, withdrawn_at from agent_releases
   where id = $1 and withdrawn_at is null`,
);
const byDigestSql = sql(
  'agent-release-by-digest',
  'select size_bytes from agent_releases where digest = $1 and withdrawn_at is null',
);

export interface ReleaseRow {
  readonly id: string;
  readonly version: string;
  readonly digest: string;
  readonly size_bytes: bigint;
  readonly created_at: Date;
  readonly withdrawn_at: Date | null;
}
export const showRelease = (row: ReleaseRow): AgentRelease => ({
  id: row.id,
  version: row.version,
  digest: row.digest,
  size_bytes: Number(row.size_bytes),
  created_at: row.created_at.toISOString(),
  withdrawn_at: row.withdrawn_at?.toISOString() ?? null,
});

export const listReleases = (tx: ReadTx, before: string | undefined, limit: number) =>
  tx.rows<ReleaseRow>(listSql, [before ?? null, limit]);
/** Undefined when this bundle is offered already. */
export const insertRelease = async (
  tx: WriteTx,
  release: { readonly id: string; readonly version: string; readonly digest: string; readonly sizeBytes: number },
): Promise<ReleaseRow | undefined> =>
  (await tx.rows<ReleaseRow>(insertSql, [release.id, release.version, release.digest, release.sizeBytes]))[0];
export const withdrawRelease = async (tx: WriteTx, id: string): Promise<ReleaseRow | undefined> =>
  (await tx.rows<ReleaseRow>(withdrawSql, [id]))[0];
export const findOffered = async (tx: ReadTx, id: string): Promise<ReleaseRow | undefined> =>
  (await tx.rows<ReleaseRow>(offeredSql, [id]))[0];
export const isOffered = async (tx: ReadTx, digest: string): Promise<boolean> =>
  (await tx.rows(byDigestSql, [digest])).length > 0;
